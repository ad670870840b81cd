import { timeOfRequestId } from "../request-time.js";
import type { QueryOptions, TraceFilter, TraceScope } from "../store.js";
import { feedbackIn, text } from "../stored-rows.js";
import type { Feedback, Trace } from "../trace.js";
import type { ClickHouseClient, QueryRequest, Row, Rows } from "./client.js";
import { conditionOf } from "./conditions.js";
import { TRACE_COLUMNS, traceOf } from "./rows.js";
import type { Tables } from "./schema.js";
import { joined, type Sql, sql } from "./sql.js";

export const DAY_MS = 86_400_000;

/** Runs the statements of one request: client, tables, and the time limit and signal that they share. */
export class QuerySession {
  constructor(
    readonly client: ClickHouseClient,
    readonly tables: Tables,
    /** `limit` aborts all of them. */
    readonly options: QueryRequest & { readonly limit: AbortController },
  ) {}

  query(query: Sql): Promise<Rows> {
    return this.client.query(query, this.options);
  }

  /** What a row must fulfil to match a filter and be within a scope. */
  conditionOf(filter: TraceFilter, scope: TraceScope): Sql {
    return conditionOf(filter, { scope, tables: this.tables });
  }
}

/** Which traces a query reads: those of the filter that the scope may see. */
export interface TraceSelection {
  readonly filter: TraceFilter;
  readonly scope: TraceScope;
}

type Scoped = Pick<QueryOptions, "scope">;

export async function find(
  session: QuerySession,
  requestId: string,
  { scope }: Scoped,
): Promise<Trace | undefined> {
  const row = await rowOf(session, requestId, { scope, columns: TRACE_COLUMNS });
  const [trace] = row === undefined ? [] : await tracesOf(session, [row]);
  return trace;
}

/** When the request arrived, in milliseconds since the epoch; undefined as of `find`. */
export async function arrivalOf(
  session: QuerySession,
  requestId: string,
  { scope }: Scoped,
): Promise<number | undefined> {
  const row = await rowOf(session, requestId, { scope, columns: sql`created_at_ms` });
  return row === undefined ? undefined : Number(row.created_at_ms);
}

async function rowOf(
  session: QuerySession,
  requestId: string,
  { scope, columns }: Scoped & { readonly columns: Sql },
): Promise<Row | undefined> {
  const time = timeOfRequestId(requestId);
  const wanted = sql`request_id = ${requestId} AND ${session.conditionOf({}, scope)}`;
  // Nearly every trace arrived at the time in its id, by which the table is sorted. The others require a scan of every row.
  for (const narrowed of [sql`created_at_ms = ${time}`, sql`id_ms = ${time}`]) {
    const { rows } = await session.query(
      sql`SELECT ${columns} FROM ${session.tables.traces} PREWHERE ${narrowed} WHERE ${wanted} LIMIT 1`,
    );
    if (rows[0] !== undefined) return rows[0];
  }
  return undefined;
}

/** The traces of rows with `TRACE_COLUMNS`, with their feedback. */
export async function tracesOf(session: QuerySession, rows: readonly Row[]): Promise<readonly Trace[]> {
  const feedback = await feedbackOf(session, rows);
  return rows.map((row) => traceOf(row, feedback.get(text(row.request_id))));
}

/** The feedback for the traces of these rows, by request id. */
async function feedbackOf(
  session: QuerySession,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, Feedback>> {
  if (rows.length === 0) return new Map();
  const times = rows.map((row) => Number(row.created_at_ms));
  const ids = rows.map((row) => sql`${text(row.request_id)}`);
  const { rows: found } = await session.query(
    sql`SELECT request_id, score, comment, given_at_ms AS given_at FROM ${session.tables.feedback}
      WHERE created_at_ms >= ${Math.min(...times)} AND created_at_ms <= ${Math.max(...times)}
        AND request_id IN (${joined(ids, ", ")})
      ORDER BY given_at`,
  );
  // The last of each counts, whether the server has merged the others away yet or not.
  return feedbackIn(found);
}
