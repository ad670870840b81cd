import { timeOfRequestId } from "../request-time.js";
import type { StatsDimension, TraceFilter, TraceList, TracePage, TraceScope, TraceStats } from "../store.js";
import type { Trace } from "../trace.js";
import { and, type Condition, conditionOf } from "./conditions.js";
import type { Connection, Row, Value } from "./database.js";
import { EXPORT_BATCH, type ExportCursor } from "./messages.js";
import {
  exactly,
  number,
  optional,
  SUMMARY_COLUMNS,
  summaryOf,
  TRACE_COLUMNS,
  text,
  traceOf,
} from "./rows.js";

const MAX_GROUPS = 10_000;

/** Offset from which on a page is found in steps (measured on a million traces). */
const DEEP = 5000;

interface ListQuestion {
  readonly filter: TraceFilter;
  readonly page: TracePage;
  readonly scope: TraceScope;
}

/** A page and the total of one moment. When it throws, a transaction is left open. */
export async function list(connection: Connection, question: ListQuestion): Promise<TraceList> {
  await connection.run("BEGIN TRANSACTION READ ONLY");
  const answer = await listWithin(connection, question);
  await connection.run("COMMIT");
  return answer;
}

async function listWithin(connection: Connection, { filter, page, scope }: ListQuestion): Promise<TraceList> {
  const condition = conditionOf(filter, scope);
  const rows = await (page.offset < DEEP ? shallowPage : deepPage)(connection, condition, page);
  const end = page.offset + rows.length;
  // A page that is neither full nor empty is the last one: its end is the total, and nothing needs to be counted.
  const isLast = rows.length < page.limit && (rows.length > 0 || page.offset === 0);
  const total = isLast ? end : await countOf(connection, condition);
  return { traces: rows.map(summaryOf), total, hasMore: end < total };
}

function shallowPage(
  connection: Connection,
  { sql, parameters }: Condition,
  { limit, offset }: TracePage,
): Promise<Row[]> {
  const next = parameters.length + 1;
  return connection.rows(
    `SELECT ${SUMMARY_COLUMNS} FROM traces WHERE ${sql} ORDER BY created_at DESC, request_id DESC ` +
      `LIMIT $${next} OFFSET $${next + 1}`,
    [...parameters, BigInt(limit), BigInt(offset)],
  );
}

/**
 * The same page by finding the time at which it begins first: sorting whole rows, of which most are passed over, takes two
 * to five times as long.
 */
async function deepPage(
  connection: Connection,
  condition: Condition,
  { limit, offset }: TracePage,
): Promise<Row[]> {
  const { sql, parameters } = condition;
  const [first] = await connection.rows(
    `SELECT created_at FROM traces WHERE ${sql} ORDER BY created_at DESC LIMIT 1 OFFSET $${parameters.length + 1}`,
    [...parameters, BigInt(offset)],
  );
  if (!(first?.created_at instanceof Date)) return [];
  const newer = await countOf(connection, and(condition, "created_at >", first.created_at));
  const rest = and(condition, "created_at <=", first.created_at);
  return shallowPage(connection, rest, { limit, offset: offset - newer });
}

async function countOf(connection: Connection, { sql, parameters }: Condition): Promise<number> {
  const [row] = await connection.rows(`SELECT count(*) AS total FROM traces WHERE ${sql}`, parameters);
  return number(row?.total);
}

interface FindQuestion {
  readonly requestId: string;
  readonly scope: TraceScope;
}

export async function find(
  connection: Connection,
  { requestId, scope }: FindQuestion,
): Promise<Trace | undefined> {
  const { sql, parameters } = conditionOf({}, scope);
  const next = parameters.length + 1;
  // The time in the id narrows it to one group of rows; the text alone would be compared with every row's.
  const [row] = await connection.rows(
    `SELECT ${TRACE_COLUMNS} FROM traces WHERE id_ms = $${next} AND request_id = $${next + 1} AND ${sql} LIMIT 1`,
    [...parameters, BigInt(timeOfRequestId(requestId)), requestId],
  );
  return row === undefined ? undefined : traceOf(row);
}

interface ExportQuestion {
  readonly filter: TraceFilter;
  readonly scope: TraceScope;
  readonly after: ExportCursor | null;
}

/** The next batch of an export; fewer than `EXPORT_BATCH` when it is the last. */
export async function exportBatch(
  connection: Connection,
  { filter, scope, after }: ExportQuestion,
): Promise<readonly Trace[]> {
  const { sql, parameters } = conditionOf(filter, scope);
  const [time, id] = [`$${parameters.length + 1}`, `$${parameters.length + 2}`];
  const beyond = ` AND created_at >= ${time} AND (created_at > ${time} OR request_id > ${id})`;
  const rows = await connection.rows(
    `SELECT ${TRACE_COLUMNS} FROM traces WHERE ${sql}${after === null ? "" : beyond} ` +
      `ORDER BY created_at, request_id LIMIT ${EXPORT_BATCH}`,
    after === null ? parameters : [...parameters, new Date(after.createdAtMs), after.requestId],
  );
  return rows.map(traceOf);
}

interface StatsQuestion {
  readonly filter: TraceFilter;
  readonly by: readonly StatsDimension[];
  readonly scope: TraceScope;
}

const DIMENSIONS: Readonly<Record<StatsDimension, string>> = {
  model: exactly("model"),
  provider: exactly("provider"),
  source: exactly("source"),
  day: "strftime(created_at, '%Y-%m-%d')",
};

const FIGURES = `count(*) AS requests,
  count(*) FILTER (status = 'error') AS errors,
  count(*) FILTER (status = 'timeout') AS timeouts,
  coalesce(sum(tokens_in), 0)::DOUBLE AS tokens_in,
  coalesce(sum(tokens_out), 0)::DOUBLE AS tokens_out,
  coalesce(sum(cost_usd), 0) AS cost_usd,
  count(*) - count(cost_usd) AS without_cost,
  quantile_disc(latency_ms, [0.5, 0.9, 0.99]) AS latency,
  quantile_disc(ttft_ms, [0.5, 0.9, 0.99]) AS ttft`;

export async function stats(
  connection: Connection,
  { filter, by, scope }: StatsQuestion,
): Promise<readonly TraceStats[]> {
  const { sql, parameters } = conditionOf(filter, scope);
  const groups = by.map((dimension, at) => `${DIMENSIONS[dimension]} AS group${at}, `).join("");
  const order = by.map((_, at) => `group${at} NULLS LAST`).join(", ");
  const rows = await connection.rows(
    `SELECT ${groups}${FIGURES} FROM traces WHERE ${sql} ` +
      (by.length === 0 ? "" : `GROUP BY ${by.map((_, at) => `group${at}`).join(", ")} `) +
      `HAVING count(*) > 0 ${order === "" ? "" : `ORDER BY ${order} `}LIMIT ${MAX_GROUPS}`,
    parameters,
  );
  return rows.map((row) => statsOf(row, by));
}

function statsOf(row: Row, by: readonly StatsDimension[]): TraceStats {
  return {
    group: Object.fromEntries(by.map((dimension, at) => [dimension, optional(row[`group${at}`], text)])),
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
