import { ATTEMPT_PATTERNS, type CauseStep, MOST_CAUSE_STEPS, PATTERN_CHARACTERS } from "../causes.js";
import type { ArgumentOf, QueryOptions } from "../store.js";
import { causeStepIn } from "../stored-rows.js";
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

const TEXTS = ["provider", "model", "code", "status", "pattern", "last_id", "last_code", "last_said"];

/** Attempts of answered requests are read only where there is more than one. */
export async function causes(
  connection: Connection,
  { filter, originMs, stepMs }: ArgumentOf<"causes">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly CauseStep[]> {
  const { sql, parameters } = await conditionOf(connection, filter, { scope });
  const [origin, size] = [`$${parameters.length + 1}`, `$${parameters.length + 2}`];
  const grouped =
    `SELECT provider, model, code, status, left(regexp_replace(said, '${ATTEMPT_PATTERNS.varying}', '#', 'g'), ` +
    `${PATTERN_CHARACTERS}) AS pattern, greatest(floor((epoch_ms(created_at) - ${origin}) / ${size}), -1) AS step, ` +
    "count(DISTINCT trace) FILTER (failed) AS failed_requests, count(DISTINCT trace) FILTER (NOT failed) AS rescued, " +
    "count(DISTINCT trace) FILTER (model IS DISTINCT FROM last_model) AS elsewhere, " +
    "epoch_ms(min(created_at)) AS first_ms, epoch_ms(max(created_at)) AS last_ms, " +
    "arg_max(request_id, created_at) AS last_id, arg_max(error_code, created_at) FILTER (failed) AS last_code, " +
    `arg_max(said, created_at) AS last_said FROM named GROUP BY ALL ORDER BY count(*) DESC LIMIT ${MOST_CAUSE_STEPS}`;
  const rows = await connection.rows(
    `WITH calls AS (${CALLS} WHERE ${sql} AND (status <> 'success' OR contains(attempts, '},{'))), ` +
      `failed_calls AS (${FAILED_CALLS}), named AS (${NAMED}), grouped AS (${grouped}) ` +
      `SELECT * REPLACE (${TEXTS.map((name) => `${asBytes(name)} AS ${name}`).join(", ")}) FROM grouped`,
    [...parameters, BigInt(originMs), BigInt(stepMs)],
  );
  return rows.map(causeStepIn);
}
