import { ATTEMPT_PATTERNS } from "../causes.js";
import { attemptOf, equalitiesOf, type MetadataMatch, type TraceFilter, type TraceScope } from "../store.js";
import { jsonOf } from "../stored-rows.js";
import type { Tables } from "./schema.js";
import { identifier, joined, type Sql, sql } from "./sql.js";

interface Where {
  readonly scope: TraceScope;
  readonly tables: Pick<Tables, "feedback">;
}

/** What a row must fulfil to match a filter and be within a scope. */
export function conditionOf(filter: TraceFilter, { scope, tables }: Where): Sql {
  const { startMs, endMs, attemptCode, executed, hasFeedback, otherModel, text, metadata = [] } = filter;
  const { modelPart, principals } = filter;
  const terms: readonly (Sql | undefined)[] = [
    startMs === undefined ? undefined : sql`created_at_ms >= ${startMs}`,
    endMs === undefined ? undefined : sql`created_at_ms < ${endMs}`,
    // Both stand side by side, so that a filter can only narrow what the scope allows.
    scope === "all" ? undefined : sql`source = ${scope.source}`,
    ...equalitiesOf(filter).map(([column, value]) => sql`${identifier(column)} = ${value}`),
    principals === undefined ? undefined : anyOf(principals),
    modelPart === undefined ? undefined : hasPart(["model", "requested_model"], modelPart),
    attemptCode === undefined ? undefined : hasAttempt(attemptOf(filter)),
    executed === undefined ? undefined : executed ? sql`NOT ${IS_DECISION_ALONE}` : IS_DECISION_ALONE,
    hasFeedback === undefined ? undefined : isAmong(tables.feedback, hasFeedback),
    otherModel === undefined ? undefined : otherModel ? SERVED_ANOTHER : sql`NOT ${SERVED_ANOTHER}`,
    ...metadata.map(hasMetadata),
    text === undefined ? undefined : hasText(text),
  ];
  const given = terms.filter((term) => term !== undefined);
  return given.length === 0 ? sql`1` : joined(given, " AND ");
}

const anyOf = (principals: readonly string[]): Sql =>
  principals.length === 0
    ? sql`0`
    : sql`principal IN (${joined(
        principals.map((principal) => sql`${principal}`),
        ", ",
      )})`;

/** A decision alone runs nothing, so that it has no cost to know. */
export const IS_DECISION_ALONE = sql`(kind = 'router' AND status = 'success' AND isNull(tokens_in))`;

/** In one attempt, or in the error of the request. */
function hasAttempt(members: ReturnType<typeof attemptOf>): Sql {
  const inOne = members.map(([name, value]) => sql`position(one, ${`${jsonOf(name)}:${jsonOf(value)}`}) > 0`);
  const ofError = members.map(
    ([name, value]) => sql`${identifier(name === "code" ? "error_code" : name)} = ${value}`,
  );
  return sql`(arrayExists(one -> ${joined(inOne, " AND ")}, extractAll(attempts, ${ATTEMPT_PATTERNS.attempt}))
    OR (${joined(ofError, " AND ")}))`;
}

function isAmong(feedback: Sql, hasFeedback: boolean): Sql {
  const ids = sql`(SELECT request_id FROM ${feedback})`;
  return hasFeedback ? sql`request_id IN ${ids}` : sql`request_id NOT IN ${ids}`;
}

/** The member alone: quotes within texts of an attempt are escaped. */
const SERVED_ANOTHER = sql`(position(attempts, '"served_model":') > 0)`;

const hasMetadata = ({ key, value }: MetadataMatch): Sql =>
  sql`arrayExists((key, value) -> key = ${key} AND value = ${value}, metadata.key, metadata.value)`;

/** Every text contains the empty one, but `position` does not say so. */
const hasText = (part: string): Sql =>
  part === "" ? sql`isNotNull(input_text)` : hasPart(["input_text", "context_text", "output_text"], part);

/** In any case. @param part not empty */
const hasPart = (columns: readonly string[], part: string): Sql =>
  sql`(${joined(
    columns.map(
      (column) => sql`position(lowerUTF8(ifNull(${identifier(column)}, '')), lowerUTF8(${part})) > 0`,
    ),
    " OR ",
  )})`;
