import { type Failures, type LastFailure, type LastFailuresQuestion, MOST_FAILURES } from "../failures.js";
import type { QueryOptions, TraceFilter } from "../store.js";
import { failuresIn, lastFailureIn } from "../stored-rows.js";
import { conditionOf } from "./conditions.js";
import { asBytes, type Connection } from "./database.js";

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
  return rows.map((row) => failuresIn(row, row));
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
    `SELECT ${asBytes("principal")} AS principal, ${asBytes("request_id")} AS last_id, ` +
      `${asBytes("error_code")} AS last_code, epoch_ms(created_at) AS last_ms FROM traces WHERE rowid IN ` +
      `(SELECT arg_max(rowid, created_at) FROM traces WHERE ${sql} AND status <> 'success' ` +
      `AND principal IN (SELECT unnest($${parameters.length + 1})) GROUP BY principal)`,
    [...parameters, principals],
  );
  return rows.map(lastFailureIn);
}
