import { type Failures, type LastFailure, type LastFailuresQuestion, MOST_FAILURES } from "../failures.js";
import type { QueryOptions, TraceFilter } from "../store.js";
import { failuresIn, lastFailureIn, text } from "../stored-rows.js";
import type { Row } from "./http-client.js";
import type { QuerySession } from "./queries.js";
import { joined, sql } from "./sql.js";

/** Texts are read of the last trace of each group alone. */
export async function failures(
  session: QuerySession,
  filter: TraceFilter,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly Failures[]> {
  const { rows } = await session.query(
    sql`SELECT error_code, provider, model, count() AS requests, min(created_at_ms) AS first_ms,
        max(created_at_ms) AS last_ms, argMax(request_id, created_at_ms) AS last_id
      FROM ${session.tables.traces} WHERE ${session.conditionOf(filter, scope)} AND status != 'success'
      GROUP BY error_code, provider, model
      ORDER BY requests DESC, last_ms DESC, error_code NULLS LAST, provider NULLS LAST, model NULLS LAST
      LIMIT ${MOST_FAILURES}`,
  );
  const last = await lastOf(session, rows);
  return rows.map((row) => failuresIn(row, last.get(text(row.last_id)) ?? { request_id: row.last_id }));
}

/** The last failed request of each group, by its id. */
async function lastOf(session: QuerySession, groups: readonly Row[]): Promise<ReadonlyMap<string, Row>> {
  if (groups.length === 0) return new Map();
  const times = groups.map(({ last_ms }) => Number(last_ms));
  const wanted = groups.map((row) => sql`(${Number(row.last_ms)}, ${text(row.last_id)})`);
  const { rows } = await session.query(
    sql`SELECT request_id, error_message, attempts FROM ${session.tables.traces}
      PREWHERE created_at_ms >= ${Math.min(...times)} AND created_at_ms <= ${Math.max(...times)}
        AND (created_at_ms, request_id) IN (${joined(wanted, ", ")})`,
  );
  return new Map(rows.map((row) => [text(row.request_id), row]));
}

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
