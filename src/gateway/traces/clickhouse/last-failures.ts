import type { LastFailure, LastFailuresQuestion } from "../last-failures.js";
import type { QueryOptions } from "../store.js";
import { lastFailureIn } from "../stored-rows.js";
import type { QuerySession } from "./queries.js";
import { joined, sql } from "./sql.js";

/** So many ids are well below the length that a server accepts of a statement by default. */
const PRINCIPALS_AT_ONCE = 5000;

export async function lastFailures(
  session: QuerySession,
  { principals, startMs }: LastFailuresQuestion,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly LastFailure[]> {
  const found: LastFailure[] = [];
  for (let at = 0; at < principals.length; at += PRINCIPALS_AT_ONCE) {
    const wanted = principals.slice(at, at + PRINCIPALS_AT_ONCE).map((principal) => sql`${principal}`);
    const { rows } = await session.query(
      sql`SELECT principal, max(created_at_ms) AS last_ms, argMax(request_id, created_at_ms) AS last_id,
          argMax(ifNull(error_code, ''), created_at_ms) AS last_code
        FROM ${session.tables.traces}
        WHERE ${session.conditionOf({ startMs }, scope)} AND status != 'success' AND principal IN (${joined(wanted, ", ")})
        GROUP BY principal`,
    );
    found.push(...rows.map(lastFailureIn));
  }
  return found;
}
