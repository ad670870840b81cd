import {
  type ArgumentOf,
  equalitiesOf,
  type QueryOptions,
  type TraceFilter,
  type TraceList,
  type TraceOrder,
  type TracePage,
} from "../store.js";
import { text } from "../stored-rows.js";
import { lengthOf, type Trace } from "../trace.js";
import { isTooMuchMemory } from "./fault.js";
import type { Row } from "./http-client.js";
import { DAY_MS, type QuerySession, type TraceSelection, tracesOf } from "./queries.js";
import { summaryColumns, summaryOf, TRACE_COLUMNS } from "./rows.js";
import { identifier, joined, type Sql, sql } from "./sql.js";

/** Traces in the first batch of an export's day, and the most; in between as many as are about so many characters. */
const FIRST_BATCH = 64;
const EXPORT_BATCH = 500;
const EXPORT_CHARACTERS = 8_000_000;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Up to so many matches, sorting them is faster than counting them by the minute (a guess). */
const FEW = 50_000;

/** How far back a page is searched for before all matches are counted by day: most pages are of the last hours. */
const LOOKS_BACK_MS = [HOUR_MS, 12 * HOUR_MS, 7 * DAY_MS];

/** Sort key of a list. */
interface Key {
  readonly createdAtMs: number;
  readonly requestId: string;
}

/** A range of time that holds a page. */
interface Stretch {
  readonly range: Pick<TraceFilter, "startMs" | "endMs">;
  /** Matches in it. */
  readonly count: number;
  /** Those of them that are newer than the page. */
  readonly skip: number;
}

type PageQuestion = ArgumentOf<"list">;

/** How many match, and where the page lies; undefined when it is behind the last. */
interface PageRange {
  readonly total: number;
  readonly stretch: Stretch | undefined;
}

/**
 * A page of what matches, newest first, and how many there are.
 *
 * Old servers sort all that matches to find the first hundred. So the stretch of time that the page lies in is found first, by
 * counting, which reads one or two short columns; only that stretch is sorted, by its keys alone, however deep the page is; and
 * the other columns are read of nothing but the page.
 */
export async function list(
  session: QuerySession,
  question: PageQuestion,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<TraceList> {
  const { filter, page } = question;
  const condition = session.conditionOf(filter, scope);
  if (page.order !== undefined) return orderedList(session, condition, { ...page, order: page.order });
  const recent = isCheap({ filter, scope }) ? await recentPageRange(session, condition, question) : undefined;
  const { total, stretch } = recent ?? (await pageRangeByDay(session, condition, page));
  const keys = stretch === undefined ? [] : await keysIn(session, { condition, stretch, limit: page.limit });
  const { inputCharacters = 0 } = page;
  const found = await rowsOf(session, keys, summaryColumns(inputCharacters));
  const end = page.offset + keys.length;
  // A page that is neither full nor empty is the last one, so its end is the exact total; the count may be older.
  const isLast = keys.length < page.limit && (keys.length > 0 || page.offset === 0);
  const totalNow = isLast ? end : Math.max(total, keys.length > 0 ? end : 0);
  return {
    traces: found.map((row) => summaryOf(row, inputCharacters)),
    total: totalNow,
    hasMore: end < totalNow,
  };
}

interface OrderedPage extends TracePage {
  readonly order: TraceOrder;
}

/** A page in any order: all keys that match are sorted, by one column more. */
async function orderedList(session: QuerySession, condition: Sql, page: OrderedPage): Promise<TraceList> {
  const { limit, offset, inputCharacters = 0 } = page;
  const total = await countOf(session, condition);
  if (offset >= total) return { traces: [], total, hasMore: false };
  const { rows } = await session.query(
    sql`SELECT created_at_ms, request_id FROM ${session.tables.traces} WHERE ${condition}
      ORDER BY ${orderOf(page.order)} LIMIT ${offset}, ${limit}`,
  );
  const found = await rowsOf(session, rows.map(keyOf), summaryColumns(inputCharacters));
  const end = offset + found.length;
  return {
    traces: found.map((row) => summaryOf(row, inputCharacters)),
    total: Math.max(total, end),
    hasMore: end < total,
  };
}

function orderOf({ by, direction }: TraceOrder): Sql {
  const way = direction === "desc" ? sql`DESC` : sql`ASC`;
  if (by === "created_at") return sql`created_at_ms ${way}, request_id ${way}`;
  return sql`${identifier(by)} ${way} NULLS LAST, created_at_ms DESC, request_id DESC`;
}

/** Whether counting the matches first costs less than grouping all of them by day. */
function isCheap({ filter, scope }: TraceSelection): boolean {
  const { text, metadata, hasFeedback, otherModel, attemptCode, executed } = filter;
  if ([text, metadata, hasFeedback, otherModel, attemptCode, executed].some((value) => value !== undefined))
    return false;
  return equalitiesOf(filter).length + (scope === "all" ? 0 : 1) <= 1;
}

/** The page's range when it is within the last hours; undefined when it is, or may be, older. */
async function recentPageRange(
  session: QuerySession,
  condition: Sql,
  question: PageQuestion,
): Promise<PageRange | undefined> {
  const [total, stretch] = await Promise.all([
    countOf(session, condition),
    recentStretch(session, condition, question),
  ]);
  return stretch && { total, stretch };
}

async function recentStretch(
  session: QuerySession,
  condition: Sql,
  { page: { limit, offset }, filter }: PageQuestion,
): Promise<Stretch | undefined> {
  const { nowMs } = session.options;
  for (const backMs of LOOKS_BACK_MS) {
    const startMs = Math.min(nowMs, filter.endMs ?? nowMs) - backMs;
    // No upper end, so that traces whose clock is ahead of this one are included.
    const count = await countOf(session, sql`${condition} AND created_at_ms >= ${startMs}`);
    const isAll = filter.startMs !== undefined && filter.startMs >= startMs;
    if (isAll || count >= offset + limit) return { range: { startMs }, count, skip: offset };
  }
  return undefined;
}

async function pageRangeByDay(
  session: QuerySession,
  condition: Sql,
  { limit, offset }: TracePage,
): Promise<PageRange> {
  const days = await countByTime(session, condition, DAY_MS);
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return { total, stretch: stretchOf(days, { limit, skip: offset }) };
}

interface StretchQuestion {
  readonly condition: Sql;
  readonly stretch: Stretch;
  readonly limit: number;
}

async function keysIn(session: QuerySession, question: StretchQuestion): Promise<readonly Key[]> {
  const { condition, limit } = question;
  const { range, skip } = await narrowed(session, question);
  const { rows } = await session.query(
    sql`SELECT created_at_ms, request_id FROM ${session.tables.traces}
      WHERE ${condition} AND ${session.conditionOf(range, "all")}
      ORDER BY created_at_ms DESC, request_id DESC LIMIT ${skip}, ${limit}`,
  );
  return rows.map(keyOf);
}

async function countOf(session: QuerySession, condition: Sql): Promise<number> {
  const { rows } = await session.query(
    sql`SELECT count() AS matches FROM ${session.tables.traces} WHERE ${condition}`,
  );
  return Number(rows[0]?.matches ?? 0);
}

/** Matches in a piece of time. */
interface Count {
  readonly startMs: number;
  readonly endMs: number;
  readonly count: number;
}

/** Newest first, without those that have none. */
async function countByTime(
  session: QuerySession,
  condition: Sql,
  pieceMs: number,
): Promise<readonly Count[]> {
  const { rows } = await session.query(
    sql`SELECT intDiv(created_at_ms, ${pieceMs}) AS piece, count() AS matches FROM ${session.tables.traces}
      WHERE ${condition} GROUP BY piece ORDER BY piece DESC`,
  );
  return rows.map(({ piece, matches }) => {
    const startMs = Number(piece) * pieceMs;
    return { startMs, endMs: startMs + pieceMs, count: Number(matches) };
  });
}

/** The pieces that hold the page: those before it are passed over. Undefined when it is behind the last. */
function stretchOf(
  pieces: readonly Count[],
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Stretch | undefined {
  let passed = 0;
  let count = 0;
  let range: { startMs: number; endMs: number } | undefined;
  for (const piece of pieces) {
    if (range === undefined && passed + piece.count <= skip) {
      passed += piece.count;
      continue;
    }
    count += piece.count;
    range = { startMs: piece.startMs, endMs: range?.endMs ?? piece.endMs };
    if (passed + count >= skip + limit) break;
  }
  return range === undefined ? undefined : { range, count, skip: skip - passed };
}

async function narrowed(
  session: QuerySession,
  { condition, stretch, limit }: StretchQuestion,
): Promise<Stretch> {
  if (stretch.count <= FEW) return stretch;
  const within = sql`${condition} AND ${session.conditionOf(stretch.range, "all")}`;
  const minutes = await countByTime(session, within, MINUTE_MS);
  return stretchOf(minutes, { skip: stretch.skip, limit }) ?? stretch;
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

/** All that match, oldest first. Every query reads the keys of one day at most, because old servers sort all that they read. */
export async function* exportBatches(
  session: QuerySession,
  { filter, scope }: TraceSelection,
): AsyncGenerator<readonly Trace[]> {
  const condition = session.conditionOf(filter, scope);
  let day = await firstDay(session, condition);
  while (day !== undefined) {
    const endMs = (day + 1) * DAY_MS;
    yield* batchesOfDay(
      session,
      sql`${condition} AND ${session.conditionOf({ startMs: day * DAY_MS, endMs }, "all")}`,
    );
    day = await firstDay(session, sql`${condition} AND created_at_ms >= ${endMs}`);
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

async function firstDay(session: QuerySession, condition: Sql): Promise<number | undefined> {
  const { rows } = await session.query(
    sql`SELECT intDiv(created_at_ms, ${DAY_MS}) AS day FROM ${session.tables.traces}
      WHERE ${condition} ORDER BY created_at_ms LIMIT 1`,
  );
  return rows[0] === undefined ? undefined : Number(rows[0].day);
}

async function* batchesOfDay(session: QuerySession, condition: Sql): AsyncGenerator<readonly Trace[]> {
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
