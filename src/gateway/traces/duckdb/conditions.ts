import { ATTEMPT_PATTERNS } from "../causes.js";
import { attemptOf, equalitiesOf, type MetadataMatch, type TraceFilter, type TraceScope } from "../store.js";
import { jsonOf } from "../stored-rows.js";
import type { Connection, Parameter } from "./database.js";
import { idsWithLongText } from "./long-texts.js";

/** A condition with `$1`, `$2`, … and what they stand for. Values never become part of the text. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** Names a value in a statement: `$1`, `$2`, … */
type Placeholder = (value: Parameter) => string;

/** What a row must fulfil to match a filter and be within a scope; `true` when that is any row. */
export async function conditionOf(
  connection: Connection,
  filter: TraceFilter,
  { scope }: { readonly scope: TraceScope },
): Promise<Condition> {
  const parameters: Parameter[] = [];
  const placeholder: Placeholder = (value) => `$${parameters.push(value)}`;
  const { startMs, endMs, executed, hasFeedback, otherModel, text, metadata = [] } = filter;
  const { modelPart, principals } = filter;
  const terms: string[] = [];
  if (startMs !== undefined) terms.push(`created_at >= ${placeholder(new Date(startMs))}`);
  if (endMs !== undefined) terms.push(`created_at < ${placeholder(new Date(endMs))}`);
  // Both sources stand side by side, so that a filter can only narrow what the scope allows.
  if (scope !== "all") terms.push(`source = ${placeholder(scope.source)}`);
  for (const [column, value] of equalitiesOf(filter)) terms.push(`${column} = ${placeholder(value)}`);
  if (principals !== undefined) terms.push(`principal IN (SELECT unnest(${placeholder(principals)}))`);
  if (modelPart !== undefined) terms.push(hasPart(["model", "requested_model"], placeholder(modelPart)));
  if (filter.attemptCode !== undefined) terms.push(hasAttempt(attemptOf(filter), placeholder));
  if (executed !== undefined) terms.push(`${executed ? "NOT " : ""}${IS_DECISION_ALONE}`);
  if (hasFeedback !== undefined) terms.push(`${hasFeedback ? "" : "NOT "}${HAS_FEEDBACK}`);
  if (otherModel !== undefined) terms.push(`${otherModel ? "" : "NOT "}${SERVED_ANOTHER}`);
  for (const match of metadata) terms.push(hasMetadata(match, placeholder));
  if (text !== undefined) {
    const longTexts = await idsWithLongText(connection, text);
    terms.push(hasText(text, longTexts, placeholder));
  }
  return { sql: terms.length === 0 ? "true" : terms.join(" AND "), parameters };
}

const HAS_FEEDBACK = "(request_id IN (SELECT request_id FROM feedback))";

/** The member alone: quotes within texts of an attempt are escaped. */
const SERVED_ANOTHER = `contains(attempts, '"served_model":')`;

/** A decision alone runs nothing, so that it has no cost to know. */
export const IS_DECISION_ALONE = "(kind = 'router' AND status = 'success' AND tokens_in IS NULL)";

/** In one attempt, or in the error of the request. Only what contains the code as a text is taken apart. */
function hasAttempt(members: ReturnType<typeof attemptOf>, placeholder: Placeholder): string {
  const written = members.map(([name, value]) => placeholder(`${jsonOf(name)}:${jsonOf(value)}`));
  const inOne = written.map((member) => `contains(one, ${member})`).join(" AND ");
  const ofError = members.map(
    ([name, value]) => `${name === "code" ? "error_code" : name} = ${placeholder(value)}`,
  );
  return (
    `((contains(attempts, ${written[0]}) AND len(list_filter(regexp_extract_all(attempts, ` +
    `'${ATTEMPT_PATTERNS.attempt}'), lambda one: ${inOne})) > 0) OR (${ofError.join(" AND ")}))`
  );
}

/** One member of the object in `metadata`, as `JSON.stringify` writes it: `"tier":3`. */
const MEMBER = String.raw`"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[^",}]*)`;

/**
 * Metadata values are compared as text: `3` finds the number and the text.
 *
 * What the object contains as a text is looked for first, which takes a third of the time that reading the JSON does; only
 * then is it taken apart, as a text may contain what looks like a member, or a number begin with another.
 */
function hasMetadata({ key, value }: MetadataMatch, placeholder: Placeholder): string {
  const values = isNumberOrBoolean(value) ? [jsonOf(value), value] : [jsonOf(value)];
  const terms = values.map((json) => {
    const member = placeholder(`${jsonOf(key)}:${json}`);
    return `contains(metadata, ${member}) AND list_contains(regexp_extract_all(metadata, '${MEMBER}'), ${member})`;
  });
  return `(${terms.join(" OR ")})`;
}

const isNumberOrBoolean = (text: string): boolean =>
  text === "true" || text === "false" || text === String(Number(text));

function hasText(text: string, longTexts: readonly string[], placeholder: Placeholder): string {
  const part = placeholder(text);
  const found = hasPart(["input_text", "context_text", "output_text"], part);
  if (longTexts.length === 0) return found;
  return `(${found} OR request_id IN (SELECT unnest(${placeholder(longTexts)})))`;
}

/** In any case. */
const hasPart = (columns: readonly string[], part: string): string =>
  `(${columns.map((column) => `coalesce(contains(lower(${column}), lower(${part})), false)`).join(" OR ")})`;
