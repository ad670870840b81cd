import { timeOfRequestId } from "../request-time.js";
import type { StatsDimension, TraceFilter, TraceList, TracePage, TraceScope, TraceStats } from "../store.js";
import type { Trace } from "../trace.js";
import { and, type Condition, conditionOf } from "./conditions.js";
import type { Row, Value } from "./database.js";
import type { FileReader } from "./file-reader.js";
import { EXPORT_BATCH, EXPORT_BYTES, type ExportCursor, type ExportPart } from "./messages.js";
import { SUMMARY_COLUMNS, summariesOf, TRACE_COLUMNS, tracesOf } from "./rows.js";
import { firstWithin } from "./text-pieces.js";
import { STATUSES } from "./trace-block.js";
import { exactly, number, optional, text } from "./values.js";

const MAX_GROUPS = 10_000;

/** Offset from which on a page is found in steps (measured on a million traces). */
const DEEP = 5000;

const NEWEST_FIRST = "ORDER BY created_ms DESC, request_id DESC";

interface ListQuestion {
  readonly filter: TraceFilter;
  readonly page: TracePage;
  readonly scope: TraceScope;
}

/** A page and the total of one moment. When it throws, a transaction may be left open. */
export async function list(reader: FileReader, { filter, page, scope }: ListQuestion): Promise<TraceList> {
  const condition = await conditionOf(filter, scope, reader);
  if (filter.text !== undefined) return pageOf(reader, searched(condition), page);
  if (page.offset < DEEP) return pageOf(reader, counted(condition), page);
  await reader.connection.run("BEGIN TRANSACTION READ ONLY");
  const answer = await deepPage(reader, condition, page);
  await reader.connection.run("COMMIT");
  return answer;
}

/** One statement that finds a page, and the total beside each of its rows. */
interface PageQuery {
  readonly sql: (limit: string, offset: string) => string;
  readonly condition: Condition;
}

/** The newest rows are found in the newest groups of rows, and counting needs the columns of the condition only. */
const counted = (condition: Condition): PageQuery => ({
  condition,
  sql: (limit, offset) =>
    `SELECT *, (SELECT count(*) FROM traces WHERE ${condition.sql}) AS total FROM (` +
    `SELECT ${SUMMARY_COLUMNS} FROM traces WHERE ${condition.sql} ${NEWEST_FIRST} LIMIT ${limit} OFFSET ${offset}` +
    `) ${NEWEST_FIRST}`,
});

/** Looking at the texts is what takes the time, so that it is done once for the page and the total. */
const searched = (condition: Condition): PageQuery => ({
  condition,
  sql: (limit, offset) =>
    `WITH found AS MATERIALIZED (SELECT ${SUMMARY_COLUMNS} FROM traces WHERE ${condition.sql}) ` +
    `SELECT *, (SELECT count(*) FROM found) AS total FROM found ${NEWEST_FIRST} LIMIT ${limit} OFFSET ${offset}`,
});

async function pageOf(
  reader: FileReader,
  { sql, condition }: PageQuery,
  { limit, offset }: TracePage,
): Promise<TraceList> {
  const next = condition.parameters.length + 1;
  const parameters = [...condition.parameters, BigInt(limit), BigInt(offset)];
  const rows = await reader.connection.rows(sql(`$${next}`, `$${next + 1}`), parameters);
  const [first] = rows;
  const total = first === undefined && offset > 0 ? await countOf(reader, condition) : number(first?.total);
  return { traces: await summariesOf(rows, reader), total, hasMore: offset + rows.length < total };
}

/**
 * The same page by finding the time at which it begins first: sorting whole rows, of which most are passed over, takes two
 * to five times as long.
 */
async function deepPage(
  reader: FileReader,
  condition: Condition,
  { limit, offset }: TracePage,
): Promise<TraceList> {
  const { sql, parameters } = condition;
  const total = await countOf(reader, condition);
  const [first] = await reader.connection.rows(
    `SELECT created_ms FROM traces WHERE ${sql} ORDER BY created_ms DESC LIMIT 1 OFFSET $${parameters.length + 1}`,
    [...parameters, BigInt(offset)],
  );
  if (first === undefined) return { traces: [], total, hasMore: false };
  const beginsAt = BigInt(number(first.created_ms));
  const newer = await countOf(reader, and(condition, "created_ms >", beginsAt));
  const rest = and(condition, "created_ms <=", beginsAt);
  const { traces } = await pageOf(reader, counted(rest), { limit, offset: offset - newer });
  return { traces, total, hasMore: offset + traces.length < total };
}

async function countOf({ connection }: FileReader, { sql, parameters }: Condition): Promise<number> {
  const [row] = await connection.rows(`SELECT count(*) AS total FROM traces WHERE ${sql}`, parameters);
  return number(row?.total);
}

interface FindQuestion {
  readonly requestId: string;
  readonly scope: TraceScope;
}

export async function find(
  reader: FileReader,
  { requestId, scope }: FindQuestion,
): Promise<Trace | undefined> {
  const { sql, parameters } = await conditionOf({}, scope, reader);
  const next = parameters.length + 1;
  // The time in the id narrows it to one group of rows; the text alone would be compared with every row's.
  const rows = await reader.connection.rows(
    `SELECT ${TRACE_COLUMNS} FROM traces WHERE id_ms = $${next} AND request_id = $${next + 1} AND ${sql} LIMIT 1`,
    [...parameters, BigInt(timeOfRequestId(requestId)), requestId],
  );
  return (await tracesOf(rows, reader))[0];
}

interface ExportQuestion {
  readonly filter: TraceFilter;
  readonly scope: TraceScope;
  readonly after: ExportCursor | null;
}

/**
 * The next part of an export. The time at which it ends is found first: to
 * sort whole rows, of which most are left for later, takes six times as long.
 */
export async function exportBatch(
  reader: FileReader,
  { filter, scope, after }: ExportQuestion,
): Promise<ExportPart> {
  const { sql, parameters } = await conditionOf(filter, scope, reader);
  const [time, id, end] = [1, 2, 3].map((further) => `$${parameters.length + further}`);
  const isLater = ` AND created_ms >= ${time} AND (created_ms > ${time} OR request_id > ${id})`;
  const condition = after === null ? sql : sql + isLater;
  const given = after === null ? parameters : [...parameters, BigInt(after.createdAtMs), after.requestId];
  const [last] = await reader.connection.rows(
    `SELECT created_ms FROM traces WHERE ${condition} ORDER BY created_ms LIMIT 1 OFFSET ${EXPORT_BATCH - 1}`,
    given,
  );
  const isEnough = ` AND created_ms <= ${after === null ? time : end}`;
  const rows = await reader.connection.rows(
    `SELECT ${TRACE_COLUMNS} FROM traces WHERE ${condition}${last === undefined ? "" : isEnough} ` +
      `ORDER BY created_ms, request_id LIMIT ${EXPORT_BATCH}`,
    last === undefined ? given : [...given, BigInt(number(last.created_ms))],
  );
  const first = await firstWithin(EXPORT_BYTES, rows, reader);
  const isLast = rows.length < EXPORT_BATCH && first.length === rows.length;
  return { traces: await tracesOf(first, reader), isLast };
}

interface StatsQuestion {
  readonly filter: TraceFilter;
  readonly by: readonly StatsDimension[];
  readonly scope: TraceScope;
}

const DIMENSIONS: Readonly<Record<StatsDimension, string>> = {
  model: "model",
  provider: "provider",
  source: "source",
  day: "strftime(make_timestamp(created_ms * 1000), '%Y-%m-%d')",
};

const FIGURES = `count(*) AS requests,
  count(*) FILTER (status = ${STATUSES.indexOf("error")}) AS errors,
  count(*) FILTER (status = ${STATUSES.indexOf("timeout")}) AS timeouts,
  coalesce(sum(tokens_in), 0)::DOUBLE AS tokens_in,
  coalesce(sum(tokens_out), 0)::DOUBLE AS tokens_out,
  coalesce(sum(cost_usd), 0) AS cost_usd,
  count(*) - count(cost_usd) AS without_cost,
  quantile_disc(latency_ms, [0.5, 0.9, 0.99]) AS latency,
  quantile_disc(ttft_ms, [0.5, 0.9, 0.99]) AS ttft`;

export async function stats(
  reader: FileReader,
  { filter, by, scope }: StatsQuestion,
): Promise<readonly TraceStats[]> {
  const { sql, parameters } = await conditionOf(filter, scope, reader);
  const groups = by.map((dimension, at) => `${DIMENSIONS[dimension]} AS group${at}, `).join("");
  const summed =
    `SELECT ${groups}${FIGURES} FROM traces WHERE ${sql} ` +
    (by.length === 0 ? "" : `GROUP BY ${by.map((_, at) => `group${at}`).join(", ")} `) +
    "HAVING count(*) > 0";
  const values = by.map((dimension, at) => groupValue(dimension, at));
  const order = by.length === 0 ? "" : `ORDER BY ${by.map((_, at) => `value${at} NULLS LAST`).join(", ")} `;
  const rows = await reader.connection.rows(
    `SELECT *${values.map(({ column }) => column).join("")} FROM (${summed}) ` +
      `${values.map(({ join }) => join).join(" ")} ${order}LIMIT ${MAX_GROUPS}`,
    parameters,
  );
  return rows.map((row) => statsOf(row, by));
}

/** What a group is called, once there are no more rows than groups. */
function groupValue(
  dimension: StatsDimension,
  at: number,
): { readonly column: string; readonly join: string } {
  if (dimension === "day") return { column: `, group${at} AS value${at}`, join: "" };
  return {
    column: `, ${exactly(`names${at}.name`)} AS value${at}`,
    join: `LEFT JOIN names AS names${at} ON names${at}.id = group${at}`,
  };
}

function statsOf(row: Row, by: readonly StatsDimension[]): TraceStats {
  return {
    group: Object.fromEntries(by.map((dimension, at) => [dimension, optional(row[`value${at}`], text)])),
    requests: number(row.requests),
    errors: number(row.errors),
    timeouts: number(row.timeouts),
    tokensIn: number(row.tokens_in),
    tokensOut: number(row.tokens_out),
    costUsd: number(row.cost_usd),
    withoutCost: number(row.without_cost),
    latencyMs: percentilesOf(row.latency),
    ttftMs: optional(row.ttft, percentilesOf),
  };
}

function percentilesOf(value: Value | undefined): TraceStats["latencyMs"] {
  const [p50, p90, p99] = Array.isArray(value) ? value.map(number) : [];
  return { p50: p50 ?? 0, p90: p90 ?? 0, p99: p99 ?? 0 };
}
