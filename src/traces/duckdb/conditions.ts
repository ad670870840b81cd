import type { TraceFilter, TraceScope } from "../store.js";
import type { Parameter } from "./database.js";
import { metadataHash } from "./metadata-hash.js";

/** A condition with `$1`, `$2`, … and what they stand for. Values never become part of the text. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** What a row must fulfil to match a filter and be within a scope; `true` when that is any row. */
export function conditionOf(filter: TraceFilter, scope: TraceScope): Condition {
  const parameters: Parameter[] = [];
  const terms: string[] = [];
  const require = (value: Parameter | undefined, term: (placeholder: string) => string): void => {
    if (value === undefined) return;
    parameters.push(value);
    terms.push(term(`$${parameters.length}`));
  };
  // Both stand side by side, so that a filter can only narrow what the scope allows.
  require(scope === "all" ? undefined : scope.source, (value) => `source = ${value}`);
  require(filter.source, (value) => `source = ${value}`);
  require(dateOf(filter.startMs), (value) => `created_at >= ${value}`);
  require(dateOf(filter.endMs), (value) => `created_at < ${value}`);
  require(filter.model, (value) => `model = ${value}`);
  require(filter.provider, (value) => `provider = ${value}`);
  require(filter.status, (value) => `status = ${value}`);
  require(filter.kind, (value) => `kind = ${value}`);
  for (const { key, value } of filter.metadata ?? []) {
    require(metadataHash(key, value), (hash) => `list_contains(metadata_hashes, ${hash})`);
  }
  require(filter.text, (part) => `(${CONTENT.map((column) => `contains(${column}, ${part})`).join(" OR ")})`);
  return { sql: terms.length === 0 ? "true" : terms.join(" AND "), parameters };
}

/** The condition, and one more about a column. */
export const and = ({ sql, parameters }: Condition, comparison: string, value: Parameter): Condition => ({
  sql: `${sql} AND ${comparison} $${parameters.length + 1}`,
  parameters: [...parameters, value],
});

const CONTENT = ["input_text", "output_text", "input_long", "output_long"];

const dateOf = (ms: number | undefined): Date | undefined => (ms === undefined ? undefined : new Date(ms));
