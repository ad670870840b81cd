import { type Failures, type LastFailure, type LastFailuresQuestion, MOST_FAILURES } from "../failures.js";
import type { QueryOptions, TraceFilter } from "../store.js";
import type { Attempt } from "../trace.js";
import { conditionOf } from "./conditions.js";
import type { Connection } from "./database.js";
import { asBytes, number, optional, text } from "./values.js";

const GROUP = ["error_code", "provider", "model"] as const;

/** Texts are read of the last trace of each group alone. */
export async function failures(
  connection: Connection,
  filter: TraceFilter,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly Failures[]> {
  const { sql, parameters } = await conditionOf(connection, filter, { scope });
  const groups =
    `SELECT ${GROUP.join(", ")}, count(*) AS requests, epoch_ms(min(created_at)) AS first_ms, ` +
    "epoch_ms(max(created_at)) AS last_ms, arg_max(rowid, created_at) AS last_row " +
    `FROM traces WHERE ${sql} AND status <> 'success' GROUP BY ALL ` +
    `ORDER BY requests DESC, last_ms DESC, ${GROUP.map((name) => `${name} NULLS LAST`).join(", ")} LIMIT ${MOST_FAILURES}`;
  const texts = ["request_id", "error_message", "attempts"].map(
    (name) => `${asBytes(`last.${name}`)} AS ${name}`,
  );
  const rows = await connection.rows(
    `WITH found AS MATERIALIZED (${groups}) ` +
      `SELECT ${GROUP.map((name) => `${asBytes(`found.${name}`)} AS ${name}`).join(", ")}, requests, first_ms, last_ms, ` +
      `${texts.join(", ")} FROM found JOIN traces AS last ON last.rowid = found.last_row ` +
      `ORDER BY requests DESC, last_ms DESC, ${GROUP.map((name) => `found.${name} NULLS LAST`).join(", ")}`,
    parameters,
  );
  return rows.map((row) => ({
    errorCode: optional(row.error_code, text),
    provider: optional(row.provider, text),
    model: optional(row.model, text),
    requests: number(row.requests),
    firstMs: number(row.first_ms),
    lastMs: number(row.last_ms),
    last: {
      requestId: text(row.request_id),
      message: optional(row.error_message, text),
      attempts: JSON.parse(text(row.attempts)) as readonly Attempt[],
    },
  }));
}

/** Texts are read of the last trace of each alone. */
export async function lastFailures(
  connection: Connection,
  { principals, startMs }: LastFailuresQuestion,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly LastFailure[]> {
  if (principals.length === 0) return [];
  const { sql, parameters } = await conditionOf(connection, { startMs }, { scope });
  const rows = await connection.rows(
    `SELECT ${asBytes("principal")} AS principal, ${asBytes("request_id")} AS request_id, ` +
      `${asBytes("error_code")} AS error_code, epoch_ms(created_at) AS ms FROM traces WHERE rowid IN ` +
      `(SELECT arg_max(rowid, created_at) FROM traces WHERE ${sql} AND status <> 'success' ` +
      `AND principal IN (SELECT unnest($${parameters.length + 1})) GROUP BY principal)`,
    [...parameters, principals],
  );
  return rows.map((row) => ({
    principal: text(row.principal),
    requestId: text(row.request_id),
    createdAtMs: number(row.ms),
    errorCode: optional(row.error_code, text),
  }));
}
