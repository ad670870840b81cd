import { ATTEMPT_PATTERNS, type Cause, MOST_FOUND_CAUSES, PATTERN_CHARACTERS } from "../causes.js";
import type { ArgumentOf, QueryOptions } from "../store.js";
import { causeIn } from "../stored-rows.js";
import type { QuerySession } from "./queries.js";
import { sql } from "./sql.js";

const part = (name: "provider" | "model" | "status" | "code" | "message") =>
  sql`extract(piece, ${ATTEMPT_PATTERNS[name]})`;

/** As `duckdb/causes.ts`, by the same patterns. */
export async function causes(
  session: QuerySession,
  { filter, originMs, stepMs, steps }: ArgumentOf<"causes">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly Cause[]> {
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
  const byStep = sql`SELECT at_provider AS provider, at_model AS model, with_code AS code, with_status AS status,
      substringUTF8(replaceRegexpAll(said, ${ATTEMPT_PATTERNS.varying}, '#'), 1, ${PATTERN_CHARACTERS}) AS pattern,
      greatest(toInt64(floor((created_at_ms - ${originMs}) / ${stepMs})), -1) AS step,
      uniqExactIf(request_id, has_failed) AS step_failed, uniqExactIf(request_id, NOT has_failed) AS step_rescued,
      uniqExactIf(request_id, ifNull(at_model, '') != ifNull(last_model, '')) AS step_elsewhere,
      min(created_at_ms) AS step_first, max(created_at_ms) AS step_last, argMax(request_id, created_at_ms) AS step_id,
      argMaxIf(code_of_request, created_at_ms, has_failed) AS step_code, argMax(said, created_at_ms) AS step_said
    FROM (${named}) GROUP BY provider, model, code, status, pattern, step`;
  const { rows } = await session.query(
    sql`SELECT provider, model, code, status, sumIf(step_failed, step >= 0) AS failed,
        sumIf(step_rescued, step >= 0) AS rescued, sumIf(step_elsewhere, step >= 0) AS elsewhere, sumIf(step_failed, step < 0) AS failed_before,
        sumIf(step_rescued, step < 0) AS rescued_before, groupArrayIf(step, step >= 0) AS steps,
        groupArrayIf(step_failed + step_rescued, step >= 0) AS counts, minIf(step_first, step >= 0) AS first_ms,
        max(step_last) AS last_ms, argMax(step_id, step_last) AS last_id, argMax(step_said, step_last) AS last_said,
        argMaxIf(step_code, step_last, step >= 0 AND step_code != '') AS last_code
      FROM (${byStep}) GROUP BY provider, model, code, status, pattern HAVING max(step) >= 0
      ORDER BY failed DESC, rescued DESC, last_ms DESC LIMIT ${MOST_FOUND_CAUSES}`,
  );
  return rows.map((row) => causeIn(row, { steps }));
}
