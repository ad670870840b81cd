import { ATTEMPT_PATTERNS, type CauseStep, MOST_CAUSE_STEPS, PATTERN_CHARACTERS } from "../causes.js";
import type { ArgumentOf, QueryOptions } from "../store.js";
import { causeStepIn } from "../stored-rows.js";
import type { QuerySession } from "./queries.js";
import { sql } from "./sql.js";

const part = (name: "provider" | "model" | "status" | "code" | "message") =>
  sql`extract(piece, ${ATTEMPT_PATTERNS[name]})`;

/** As `duckdb/causes.ts`, by the same patterns: version 18 has no other way to read JSON. */
export async function causes(
  session: QuerySession,
  { filter, originMs, stepMs }: ArgumentOf<"causes">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly CauseStep[]> {
  const calls = sql`SELECT request_id, created_at_ms, status != 'success' AS has_failed, error_code, error_message,
      provider AS last_provider, model AS last_model,
      arrayFilter(one -> NOT match(one, ${ATTEMPT_PATTERNS.notFailed}),
        extractAll(attempts, ${ATTEMPT_PATTERNS.attempt})) AS pieces
    FROM ${session.tables.traces} WHERE ${session.conditionOf(filter, scope)}
      AND (status != 'success' OR position(attempts, '},{') > 0)`;
  const failedCalls = sql`SELECT request_id, created_at_ms, has_failed, error_code, error_message, last_provider, last_model,
      arrayJoin(if(has_failed AND empty(pieces), [''], pieces)) AS piece FROM (${calls})`;
  const named = sql`SELECT request_id, created_at_ms, has_failed, ifNull(error_code, '') AS code_of_request, last_model,
      if(piece = '', last_provider, ${part("provider")}) AS at_provider,
      if(piece = '', last_model, ${part("model")}) AS at_model,
      if(piece = '', ifNull(error_code, ''), ${part("code")}) AS with_code,
      if(piece = '', '', ${part("status")}) AS with_status,
      if(piece = '', ifNull(error_message, ''), ${part("message")}) AS said FROM (${failedCalls})`;
  const { rows } = await session.query(
    sql`SELECT at_provider AS provider, at_model AS model, with_code AS code, with_status AS status,
        substringUTF8(replaceRegexpAll(said, ${ATTEMPT_PATTERNS.varying}, '#'), 1, ${PATTERN_CHARACTERS}) AS pattern,
        greatest(toInt64(floor((created_at_ms - ${originMs}) / ${stepMs})), -1) AS step,
        uniqExactIf(request_id, has_failed) AS failed_requests, uniqExactIf(request_id, NOT has_failed) AS rescued,
        uniqExactIf(request_id, ifNull(at_model, '') != ifNull(last_model, '')) AS elsewhere,
        min(created_at_ms) AS first_ms, max(created_at_ms) AS last_ms, argMax(request_id, created_at_ms) AS last_id,
        argMaxIf(code_of_request, created_at_ms, has_failed) AS last_code, argMax(said, created_at_ms) AS last_said
      FROM (${named}) GROUP BY provider, model, code, status, pattern, step
      ORDER BY count() DESC LIMIT ${MOST_CAUSE_STEPS}`,
  );
  return rows.map(causeStepIn);
}
