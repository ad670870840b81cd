import type { ArgumentOf, QueryOptions, TraceList, TraceOrder } from "../store.js";
import { text } from "../stored-rows.js";
import { lengthOf, type Trace } from "../trace.js";
import type { Row } from "./client.js";
import { isTooMuchMemory } from "./fault.js";
import { type QuerySession, type TraceSelection, tracesOf } from "./queries.js";
import { summaryColumns, summaryOf, TRACE_COLUMNS } from "./rows.js";
import { identifier, joined, type Sql, sql } from "./sql.js";

/** Traces in the first batch of an export, and the most; in between as many as are about so many characters. */
const FIRST_BATCH = 64;
const EXPORT_BATCH = 500;
const EXPORT_CHARACTERS = 8_000_000;

/** Sort key of a list. */
interface Key {
  readonly createdAtMs: number;
  readonly requestId: string;
}

/**
 * A page of what matches, by default newest first, and how many there are. The page is sorted by its keys alone, and the other
 * columns are read of nothing but the page.
 */
export async function list(
  session: QuerySession,
  { filter, page }: ArgumentOf<"list">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<TraceList> {
  const { limit, offset, order = NEWEST_FIRST, inputCharacters = 0 } = page;
  const condition = session.conditionOf(filter, scope);
  const [total, { rows }] = await Promise.all([
    countOf(session, condition),
    session.query(
      sql`SELECT created_at_ms, request_id FROM ${session.tables.traces} WHERE ${condition}
        ORDER BY ${orderOf(order)} LIMIT ${offset}, ${limit}`,
    ),
  ]);
  const found = await rowsOf(session, rows.map(keyOf), summaryColumns(inputCharacters));
  const end = offset + rows.length;
  // A page that is neither full nor empty is the last one, so its end is the exact total; the count may be of another moment.
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  const totalNow = isLast ? end : Math.max(total, rows.length > 0 ? end : 0);
  return {
    traces: found.map((row) => summaryOf(row, inputCharacters)),
    total: totalNow,
    hasMore: end < totalNow,
  };
}

const NEWEST_FIRST: TraceOrder = { by: "created_at", direction: "desc" };

function orderOf({ by, direction }: TraceOrder): Sql {
  const way = direction === "desc" ? sql`DESC` : sql`ASC`;
  if (by === "created_at") return sql`created_at_ms ${way}, request_id ${way}`;
  return sql`${identifier(by)} ${way} NULLS LAST, created_at_ms DESC, request_id DESC`;
}

async function countOf(session: QuerySession, condition: Sql): Promise<number> {
  const { rows } = await session.query(
    sql`SELECT count() AS matches FROM ${session.tables.traces} WHERE ${condition}`,
  );
  return Number(rows[0]?.matches ?? 0);
}

const keyOf = (row: Row): Key => ({
  createdAtMs: Number(row.created_at_ms),
  requestId: text(row.request_id),
});

/** The rows with these keys, in their order. */
async function rowsOf(session: QuerySession, keys: readonly Key[], columns: Sql): Promise<readonly Row[]> {
  if (keys.length === 0) return [];
  const times = keys.map(({ createdAtMs }) => createdAtMs);
  const wanted = keys.map(({ createdAtMs, requestId }) => sql`(${createdAtMs}, ${requestId})`);
  const { rows } = await session.query(
    sql`SELECT ${columns} FROM ${session.tables.traces}
      PREWHERE created_at_ms >= ${Math.min(...times)} AND created_at_ms <= ${Math.max(...times)}
        AND (created_at_ms, request_id) IN (${joined(wanted, ", ")})`,
  );
  const byId = new Map(rows.map((row): [string, Row] => [text(row.request_id), row]));
  return keys.map(({ requestId }) => byId.get(requestId)).filter((row) => row !== undefined);
}

/** All that match, oldest first. */
export async function* exportBatches(
  session: QuerySession,
  { filter, scope }: TraceSelection,
): AsyncGenerator<readonly Trace[]> {
  const condition = session.conditionOf(filter, scope);
  let after: Key | undefined;
  let count = FIRST_BATCH;
  for (;;) {
    const { rows } = await session.query(
      sql`SELECT created_at_ms, request_id FROM ${session.tables.traces}
        WHERE ${condition} AND ${after === undefined ? sql`1` : isBehind(after)}
        ORDER BY created_at_ms, request_id LIMIT ${count}`,
    );
    const keys = rows.map(keyOf);
    after = keys.at(-1);
    if (after === undefined) return;
    const isLast = keys.length < count;
    for await (const traces of tracesAt(session, keys)) {
      yield traces;
      count = nextBatch(traces);
    }
    if (isLast) return;
  }
}

/** Traces in one batch of a sample. */
const SAMPLE_BATCH = 16;

/** At most that many of those that match, drawn by their ids, oldest first. */
export async function* sampleBatches(
  session: QuerySession,
  { filter, scope, most }: TraceSelection & { readonly most: number },
): AsyncGenerator<readonly Trace[]> {
  const { rows } = await session.query(
    sql`SELECT created_at_ms, request_id FROM ${session.tables.traces} WHERE ${session.conditionOf(filter, scope)}
      ORDER BY cityHash64(request_id), request_id LIMIT ${most}`,
  );
  const keys = rows.map(keyOf).sort(byAge);
  for (let at = 0; at < keys.length; at += SAMPLE_BATCH) {
    yield* tracesAt(session, keys.slice(at, at + SAMPLE_BATCH));
  }
}

const byAge = (left: Key, right: Key): number =>
  left.createdAtMs - right.createdAtMs || (left.requestId < right.requestId ? -1 : 1);

/** The traces with these keys, in their order: together, or one half after the other where they are too long for that. */
async function* tracesAt(session: QuerySession, keys: readonly Key[]): AsyncGenerator<readonly Trace[]> {
  const rows = await rowsOf(session, keys, TRACE_COLUMNS).catch((error) => {
    if (!isTooMuchMemory(error) || keys.length < 2) throw error;
    return null;
  });
  if (rows === null) {
    const half = Math.ceil(keys.length / 2);
    yield* tracesAt(session, keys.slice(0, half));
    yield* tracesAt(session, keys.slice(half));
  } else yield await tracesOf(session, rows);
}

/** Rows of the next batch, from the length of the texts before; at most four times as many as in the last one. */
function nextBatch(traces: readonly Trace[]): number {
  const characters = traces.reduce((sum, { content }) => sum + lengthOf(content), 1);
  const fitting = Math.floor((EXPORT_CHARACTERS / characters) * traces.length);
  return Math.max(1, Math.min(fitting, 4 * traces.length, EXPORT_BATCH));
}

const isBehind = ({ createdAtMs, requestId }: Key): Sql =>
  sql`created_at_ms >= ${createdAtMs} AND (created_at_ms > ${createdAtMs} OR request_id > ${requestId})`;
