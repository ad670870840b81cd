import type { TraceFilter, TraceScope } from "../store.js";
import type { Parameter } from "./database.js";
import type { FileReader } from "./file-reader.js";
import { metadataHash } from "./metadata-hash.js";
import { slotColumn } from "./metadata-slots.js";
import { hasPieces, longTextContains } from "./text-pieces.js";
import { KINDS, STATUSES } from "./trace-block.js";

/** A condition with `$1`, `$2`, … and what they stand for. Values never become part of the text. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** What a row must fulfil to match a filter and be within a scope; `true` when that is any row. */
export async function conditionOf(
  filter: TraceFilter,
  scope: TraceScope,
  { connection, names, slots }: FileReader,
): Promise<Condition> {
  const parameters: Parameter[] = [];
  const terms: string[] = [];
  const require = (value: Parameter | undefined, term: (placeholder: string) => string): void => {
    if (value === undefined) return;
    parameters.push(value);
    terms.push(term(`$${parameters.length}`));
  };
  const requireName = async (name: string | undefined, column: string): Promise<void> => {
    if (name === undefined) return;
    const id = await names.numberOf(connection, name);
    if (id === undefined) terms.push("false");
    else require(BigInt(id), (value) => `${column} = ${value}`);
  };
  // Both stand side by side, so that a filter can only narrow what the scope allows.
  await requireName(scope === "all" ? undefined : scope.source, "source");
  await requireName(filter.source, "source");
  require(wholeNumber(filter.startMs), (value) => `created_ms >= ${value}`);
  require(wholeNumber(filter.endMs), (value) => `created_ms < ${value}`);
  await requireName(filter.model, "model");
  await requireName(filter.provider, "provider");
  require(positionOf(STATUSES, filter.status), (value) => `status = ${value}`);
  require(positionOf(KINDS, filter.kind), (value) => `kind = ${value}`);
  for (const { key, value } of filter.metadata ?? []) {
    const slot = slots.slotOf(key);
    require(metadataHash(key, value), (hash) =>
      slot === undefined ? `list_contains(metadata_hashes, ${hash})` : `${slotColumn(slot)} = ${hash}`);
  }
  if (filter.text !== undefined) {
    const { text } = filter;
    const placeholder = (value: string): string => `$${parameters.push(value)}`;
    const part = placeholder(text);
    const columns = [`contains(input_text, ${part})`, `contains(output_text, ${part})`];
    if (await hasPieces(connection)) columns.push(`(${longTextContains(text, placeholder)})`);
    terms.push(`(${columns.join(" OR ")})`);
  }
  return { sql: terms.length === 0 ? "true" : terms.join(" AND "), parameters };
}

/** The condition, and one more about a column. */
export const and = ({ sql, parameters }: Condition, comparison: string, value: Parameter): Condition => ({
  sql: `${sql} AND ${comparison} $${parameters.length + 1}`,
  parameters: [...parameters, value],
});

const wholeNumber = (ms: number | undefined): bigint | undefined =>
  ms === undefined ? undefined : BigInt(ms);

const positionOf = <State>(states: readonly State[], state: State | undefined): bigint | undefined =>
  state === undefined ? undefined : BigInt(states.indexOf(state));
