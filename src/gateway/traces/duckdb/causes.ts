import { ATTEMPT_PATTERNS, type Cause, MOST_FOUND_CAUSES, PATTERN_CHARACTERS } from "../causes.js";
import type { ArgumentOf, QueryOptions } from "../store.js";
import { causeIn } from "../stored-rows.js";
import { conditionOf } from "./conditions.js";
import { asBytes, type Connection } from "./database.js";

const part = (name: "provider" | "model" | "status" | "code" | "message"): string =>
  `regexp_extract(piece, '${ATTEMPT_PATTERNS[name]}', 1)`;

/** The attempts that failed, as text; of a failed request without any, one empty text, which stands for the request. */
const CALLS = `SELECT rowid AS trace, created_at, request_id, status <> 'success' AS failed, error_code, error_message,
    provider AS last_provider, model AS last_model,
    list_filter(regexp_extract_all(attempts, '${ATTEMPT_PATTERNS.attempt}'),
      lambda piece: NOT regexp_matches(piece, '${ATTEMPT_PATTERNS.notFailed}')) AS pieces FROM traces`;

const FAILED_CALLS = `SELECT * EXCLUDE (pieces),
    unnest(CASE WHEN failed AND len(pieces) = 0 THEN [''] ELSE pieces END) AS piece FROM calls`;

const NAMED = `SELECT trace, created_at, request_id, failed, error_code, last_model,
    CASE WHEN piece = '' THEN last_provider ELSE ${part("provider")} END AS provider,
    CASE WHEN piece = '' THEN last_model ELSE ${part("model")} END AS model,
    CASE WHEN piece = '' THEN coalesce(error_code, '') ELSE ${part("code")} END AS code,
    CASE WHEN piece = '' THEN '' ELSE ${part("status")} END AS status,
    CASE WHEN piece = '' THEN coalesce(error_message, '') ELSE ${part("message")} END AS said FROM failed_calls`;

/** Step by step, with all the time before the first one as one. */
const byStep = (origin: string, size: string): string =>
  `SELECT provider, model, code, status, left(regexp_replace(said, '${ATTEMPT_PATTERNS.varying}', '#', 'g'),
    ${PATTERN_CHARACTERS}) AS pattern, greatest(floor((epoch_ms(created_at) - ${origin}) / ${size}), -1) AS step,
    count(DISTINCT trace) FILTER (failed) AS step_failed, count(DISTINCT trace) FILTER (NOT failed) AS step_rescued,
    count(DISTINCT trace) FILTER (model IS DISTINCT FROM last_model) AS step_elsewhere,
    epoch_ms(min(created_at)) AS step_first, epoch_ms(max(created_at)) AS step_last,
    arg_max(request_id, created_at) AS step_id, arg_max(error_code, created_at) FILTER (failed) AS step_code,
    arg_max(said, created_at) AS step_said FROM named GROUP BY ALL`;

const BY_CAUSE = `SELECT ${asBytes("provider")} AS provider, ${asBytes("model")} AS model, ${asBytes("code")} AS code,
    ${asBytes("status")} AS status, sum(step_failed) FILTER (step >= 0)::DOUBLE AS failed,
    sum(step_rescued) FILTER (step >= 0)::DOUBLE AS rescued,
    sum(step_elsewhere) FILTER (step >= 0)::DOUBLE AS elsewhere,
    sum(step_failed) FILTER (step < 0)::DOUBLE AS failed_before,
    sum(step_rescued) FILTER (step < 0)::DOUBLE AS rescued_before,
    list(step) FILTER (step >= 0) AS steps, list(step_failed + step_rescued) FILTER (step >= 0) AS counts,
    min(step_first) FILTER (step >= 0) AS first_ms, max(step_last) AS last_ms,
    ${asBytes("arg_max(step_id, step_last)")} AS last_id, ${asBytes("arg_max(step_said, step_last)")} AS last_said,
    ${asBytes("arg_max(step_code, step_last) FILTER (step >= 0 AND step_code IS NOT NULL)")} AS last_code
  FROM by_step GROUP BY by_step.provider, by_step.model, by_step.code, by_step.status, pattern HAVING max(step) >= 0
  ORDER BY failed DESC, rescued DESC, last_ms DESC LIMIT ${MOST_FOUND_CAUSES}`;

/** Attempts of answered requests are read only where there is more than one. */
export async function causes(
  connection: Connection,
  { filter, originMs, stepMs, steps }: ArgumentOf<"causes">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly Cause[]> {
  const { sql, parameters } = await conditionOf(connection, filter, { scope });
  const [origin, size] = [`$${parameters.length + 1}`, `$${parameters.length + 2}`];
  const rows = await connection.rows(
    `WITH calls AS (${CALLS} WHERE ${sql} AND (status <> 'success' OR contains(attempts, '},{'))), ` +
      `failed_calls AS (${FAILED_CALLS}), named AS (${NAMED}), by_step AS (${byStep(origin, size)}) ${BY_CAUSE}`,
    [...parameters, BigInt(originMs), BigInt(stepMs)],
  );
  return rows.map((row) => causeIn(row, { steps }));
}
