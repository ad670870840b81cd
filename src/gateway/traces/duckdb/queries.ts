import { serialize } from "node:v8";
import { timeOfRequestId } from "../request-time.js";
import type { ArgumentOf, QueryOptions, TraceList, TraceOrder } from "../store.js";
import { number, summaryIn, text, traceIn } from "../stored-rows.js";
import type { Trace } from "../trace.js";
import { type Condition, conditionOf } from "./conditions.js";
import { asBytes, type Connection, type Row } from "./database.js";
import { feedbackOf } from "./feedback.js";
import { longBytesOf, longTextsOf } from "./long-texts.js";
import { SELECT_SUMMARY, SELECT_TRACE } from "./rows.js";
import {
  BYTES_AT_ONCE,
  EXPORT_BATCH,
  EXPORT_BYTES,
  type ExportCursor,
  type ExportPart,
  type ExportQuestion,
  type SampleQuestion,
  TRACES_AT_ONCE,
} from "./trace-file-api.js";

type Scoped = Pick<QueryOptions, "scope">;

const NEWEST_FIRST = "ORDER BY created_at DESC, request_id DESC";
/** Names come from a list of our own, never from a request. */
const orderSql = ({ by, direction }: TraceOrder): string =>
  by === "created_at"
    ? `ORDER BY created_at ${direction}, request_id ${direction}`
    : `ORDER BY ${by} ${direction} NULLS LAST, created_at DESC, request_id DESC`;

const OLDEST_FIRST = "ORDER BY created_at, request_id";

/** A page and the total of one moment, in one statement. */
export async function list(
  connection: Connection,
  { filter, page: { limit, offset, order, inputCharacters = 0 } }: ArgumentOf<"list">,
  { scope }: Scoped,
): Promise<TraceList> {
  const condition = await conditionOf(connection, filter, { scope });
  const next = condition.parameters.length + 1;
  const sqlOf = filter.text === undefined ? pageSql : searchSql;
  const input =
    inputCharacters === 0
      ? ""
      : `, metadata, ${asBytes(`left(input_text, ${Math.trunc(inputCharacters)})`)} AS input_start`;
  const columns = `${SELECT_SUMMARY}${input}`;
  const rows = await connection.rows(
    sqlOf({
      columns,
      condition: condition.sql,
      order: order === undefined ? NEWEST_FIRST : orderSql(order),
      bounds: `LIMIT $${next} OFFSET $${next + 1}`,
    }),
    [...condition.parameters, BigInt(limit), BigInt(offset)],
  );
  const [first] = rows;
  const total =
    first === undefined && offset > 0 ? await countOf(connection, condition) : number(first?.total);
  return { traces: rows.map(summaryIn), total, hasMore: offset + rows.length < total };
}

interface PageSql {
  readonly columns: string;
  readonly condition: string;
  readonly order: string;
  readonly bounds: string;
}

/**
 * Rows are chosen by the columns that order them, and only those of the page are read whole. Counting reads the columns of the
 * condition only.
 */
const pageSql = ({ columns, condition, order, bounds }: PageSql): string =>
  `SELECT ${columns}, (SELECT count(*) FROM traces WHERE ${condition}) AS total FROM traces WHERE rowid IN ` +
  `(SELECT rowid FROM traces WHERE ${condition} ${order} ${bounds}) ${order}`;

/**
 * Reading the texts is what takes the time, so that it is done once for the page and the total. Of what is found, the
 * other columns are read as in `pageSql`, which for a common word takes three quarters of the time.
 */
const searchSql = ({ columns, condition, order, bounds }: PageSql): string =>
  `WITH found AS MATERIALIZED (SELECT rowid AS id FROM traces WHERE ${condition}) ` +
  `SELECT ${columns}, (SELECT count(*) FROM found) AS total FROM traces WHERE rowid IN ` +
  `(SELECT rowid FROM traces WHERE rowid IN (SELECT id FROM found) ${order} ${bounds}) ${order}`;

async function countOf(connection: Connection, { sql, parameters }: Condition): Promise<number> {
  const [row] = await connection.rows(`SELECT count(*) AS total FROM traces WHERE ${sql}`, parameters);
  return number(row?.total);
}

/** An id is made when its request arrives; only a clock that was set back puts more between the two. */
const NEAR_MS = 1000;

export async function find(
  connection: Connection,
  requestId: string,
  { scope }: Scoped,
): Promise<Trace | undefined> {
  const row = await rowOf(connection, requestId, { scope, columns: SELECT_TRACE });
  const [trace] = row === undefined ? [] : await tracesOf(connection, [row]);
  return trace;
}

/** When the request arrived, in milliseconds since the epoch; undefined as of `find`. */
export async function arrivalOf(
  connection: Connection,
  requestId: string,
  { scope }: Scoped,
): Promise<number | undefined> {
  const row = await rowOf(connection, requestId, { scope, columns: "created_at" });
  return row === undefined ? undefined : Number(row.created_at);
}

/** Looks at the time that the id names first, which few groups of rows have, then everywhere. */
async function rowOf(
  connection: Connection,
  requestId: string,
  { scope, columns }: Scoped & { readonly columns: string },
): Promise<Row | undefined> {
  const idMs = timeOfRequestId(requestId);
  const near = { startMs: idMs - NEAR_MS, endMs: idMs + NEAR_MS };
  for (const filter of [near, {}]) {
    const { sql, parameters } = await conditionOf(connection, filter, { scope });
    const [row] = await connection.rows(
      `SELECT ${columns} FROM traces WHERE ${sql} AND request_id = $${parameters.length + 1} LIMIT 1`,
      [...parameters, requestId],
    );
    if (row !== undefined) return row;
  }
  return undefined;
}

/** The next part of an export, oldest first. */
export async function exportPart(
  connection: Connection,
  { filter, scope, after }: ExportQuestion,
): Promise<ExportPart> {
  const { sql, parameters } = await conditionOf(connection, filter, { scope });
  const [time, id] = [1, 2].map((further) => `$${parameters.length + further}`);
  const later = ` AND created_at >= ${time} AND (created_at > ${time} OR request_id > ${id})`;
  const rows = await connection.rows(
    `SELECT ${SELECT_TRACE} FROM traces WHERE rowid IN (SELECT rowid FROM traces WHERE ${sql}` +
      `${after === null ? "" : later} ${OLDEST_FIRST} LIMIT ${EXPORT_BATCH}) ${OLDEST_FIRST}`,
    after === null ? parameters : [...parameters, new Date(after.createdAtMs), after.requestId],
  );
  return partOf(connection, rows, { hasMore: rows.length === EXPORT_BATCH });
}

/** As many rows, from the first, as have no more long texts than that. @param hasMore whether there are any after them */
async function partOf(
  connection: Connection,
  rows: readonly Row[],
  { hasMore }: { readonly hasMore: boolean },
): Promise<ExportPart> {
  const first = rows.slice(0, countWithin(EXPORT_BYTES, rows));
  const traces = await tracesOf(connection, first);
  const batches: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < traces.length; ) {
    const end = at + countWithin(BYTES_AT_ONCE, first.slice(at, at + TRACES_AT_ONCE));
    batches.push(new Uint8Array(serialize(traces.slice(at, end))));
    at = end;
  }
  const last = hasMore || first.length < rows.length ? traces.at(-1) : undefined;
  return { batches, next: last === undefined ? null : keyOf(last) };
}

const keyOf = ({ createdAtMs, requestId }: Trace): ExportCursor => ({ createdAtMs, requestId });

export async function sampleKeys(
  connection: Connection,
  { filter, scope, most }: SampleQuestion,
): Promise<ExportCursor[]> {
  const { sql, parameters } = await conditionOf(connection, filter, { scope });
  const rows = await connection.rows(
    `SELECT ${asBytes("request_id")} AS request_id, created_at FROM (SELECT request_id, created_at FROM traces WHERE ${sql} ` +
      `ORDER BY hash(request_id), request_id LIMIT $${parameters.length + 1}) ${OLDEST_FIRST}`,
    [...parameters, BigInt(most)],
  );
  return rows.map((row) => ({ createdAtMs: Number(row.created_at), requestId: text(row.request_id) }));
}

/**
 * Neighbours are read and decompressed with each trace: 300 of a week take 57 ms at once, and 276 by sixteens.
 *
 * @param keys oldest first, at most `EXPORT_BATCH`
 */
export async function samplePart(connection: Connection, keys: readonly ExportCursor[]): Promise<ExportPart> {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return { batches: [], next: null };
  const rows = await connection.rows(
    `SELECT ${SELECT_TRACE} FROM traces WHERE rowid IN (SELECT rowid FROM traces ` +
      `WHERE created_at BETWEEN $1 AND $2 AND request_id IN (SELECT unnest($3))) ${OLDEST_FIRST}`,
    [new Date(first.createdAtMs), new Date(last.createdAtMs), keys.map(({ requestId }) => requestId)],
  );
  return partOf(connection, rows, { hasMore: false });
}

/** How many of the first rows, at least one, have no more than that many bytes of long texts. */
function countWithin(bytes: number, rows: readonly Row[]): number {
  let sum = 0;
  const end = rows.findIndex((row) => {
    sum += longBytesOf(row);
    return sum > bytes;
  });
  return end === -1 ? rows.length : Math.max(1, end);
}

async function tracesOf(connection: Connection, rows: readonly Row[]): Promise<Trace[]> {
  const longTexts = await longTextsOf(connection, rows);
  const feedback = await feedbackOf(connection, rows);
  return rows.map((row) => {
    const id = text(row.request_id);
    return traceIn({ ...row, ...longTexts.get(id) }, feedback.get(id));
  });
}
