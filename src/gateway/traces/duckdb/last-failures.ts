import type { LastFailure, LastFailuresQuestion } from "../last-failures.js";
import type { QueryOptions } from "../store.js";
import { lastFailureIn } from "../stored-rows.js";
import { conditionOf } from "./conditions.js";
import { asBytes, type Connection } from "./database.js";

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
