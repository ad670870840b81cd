/**
 * Files of the layouts 1 and 2, which Sextant wrote in November 2026 before its tables became what they are: the one had a column for each
 * thing and long texts whole, the other numbers for names and one JSON text for what is only read with a whole trace.
 */

import { number, optional, text, traceIn } from "../stored-rows.js";
import {
  type Attempt,
  storedAttempt,
  type Trace,
  type TraceKind,
  type TraceStatus,
  type Usage,
} from "../trace.js";
import { asBytes, type Connection, type Row } from "./database.js";
import type { LongTexts } from "./long-texts.js";
import { rowsOf } from "./rows.js";

/** Tables of these layouts that others do not have, `traces` under another name. */
const EARLIER = "earlier_traces";
export const SET_EARLIER_ASIDE = [`ALTER TABLE traces RENAME TO ${EARLIER}`, "DROP TABLE sextant_schema"];
export const DROP_EARLIER = [EARLIER, "names", "metadata_slots", "text_pieces"].map(
  (table) => `DROP TABLE IF EXISTS ${table}`,
);

/**
 * Traces in memory at a time. Each batch decompresses the 2,048 rows around it, so that smaller ones take longer; larger ones would hold
 * gigabytes where texts are long.
 */
const BATCH = 512;

/** Adds the traces of the table set aside to the tables that there are now, in their order. */
export async function copyEarlier(connection: Connection): Promise<void> {
  const columns = await columnNames(connection);
  const read = columns.has("detail")
    ? secondLayout(await numberedNames(connection), columns.has("in_pieces"))
    : firstLayout;
  const traces = await connection.appender("traces");
  const longTexts = await connection.appender("long_texts");
  try {
    const [last] = await connection.rows(`SELECT coalesce(max(rowid), -1) AS rowid FROM ${EARLIER}`);
    for (let from = 0; from <= number(last?.rowid); from += BATCH) {
      const rows = rowsOf(await read(connection, `rowid >= ${from} AND rowid < ${from + BATCH}`));
      longTexts.append(rows.longTexts);
      traces.append(rows.traces);
    }
  } finally {
    traces.discard();
    longTexts.discard();
  }
}

async function columnNames(connection: Connection): Promise<ReadonlySet<string>> {
  const rows = await connection.rows(
    "SELECT column_name AS name FROM duckdb_columns() " +
      `WHERE database_name = current_database() AND table_name = '${EARLIER}'`,
  );
  return new Set(rows.map(({ name }) => text(name)));
}

async function numberedNames(connection: Connection): Promise<ReadonlyMap<number, string>> {
  const rows = await connection.rows(`SELECT id, ${asBytes("name")} AS name FROM names`);
  return new Map(rows.map(({ id, name }) => [number(id), text(name)]));
}

type ReadTraces = (connection: Connection, condition: string) => Promise<readonly Trace[]>;

const INPUT_AND_OUTPUT =
  `${asBytes("coalesce(input_text, input_long)")} AS input_text, ` +
  `${asBytes("coalesce(output_text, output_long)")} AS output_text`;

const FIRST_TEXTS = [
  ...["request_id", "kind", "status", "model", "provider", "source", "principal", "finish_reason"],
  ...["error_code", "error_message", "metadata", "usage", "attempts", "routing"],
].map((column) => `${asBytes(column)} AS ${column}`);

const firstLayout: ReadTraces = async (connection, condition) => {
  const rows = await connection.rows(
    `SELECT ${FIRST_TEXTS.join(", ")}, created_at, streamed, latency_ms, ttft_ms, ${INPUT_AND_OUTPUT} ` +
      `FROM ${EARLIER} WHERE ${condition} ORDER BY rowid`,
  );
  return rows.map((row) => traceIn(row));
};

/** Positions in the columns of those names. */
const KINDS: readonly TraceKind[] = ["chat", "completion", "router"];
const STATUSES: readonly TraceStatus[] = ["success", "error", "timeout"];

/** @param inPieces whether long texts are in a table of their own: the layout was changed without a new number */
function secondLayout(names: ReadonlyMap<number, string>, inPieces: boolean): ReadTraces {
  const texts = inPieces
    ? `${asBytes("input_text")} AS input_text, ${asBytes("output_text")} AS output_text, in_pieces`
    : INPUT_AND_OUTPUT;
  return async (connection, condition) => {
    const rows = await connection.rows(
      `SELECT ${asBytes("request_id")} AS request_id, id_ms, created_ms, kind, status, model, provider, source, ` +
        `tokens_in, tokens_out, cost_usd, latency_ms, ttft_ms, ${asBytes("detail")} AS detail, ${texts} ` +
        `FROM ${EARLIER} WHERE ${condition} ORDER BY rowid`,
    );
    const long = inPieces ? await textsInPieces(connection, rows) : new Map<string, LongTexts>();
    return rows.map((row) => secondTrace(row, { names, long: long.get(text(row.request_id)) }));
  };
}

async function textsInPieces(
  connection: Connection,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, LongTexts>> {
  const long = rows.filter((row) => number(row.in_pieces) !== 0);
  const times = long.map((row) => number(row.id_ms));
  if (long.length === 0) return new Map();
  // A trace that was stored twice has each piece twice.
  const found = await connection.rows(
    `SELECT ${asBytes("request_id")} AS request_id, side, ${asBytes("string_agg(piece, '' ORDER BY place)")} AS whole ` +
      "FROM (SELECT DISTINCT request_id, side, place, piece FROM text_pieces " +
      "WHERE id_ms BETWEEN $1 AND $2 AND request_id IN (SELECT unnest($3))) GROUP BY ALL",
    [BigInt(Math.min(...times)), BigInt(Math.max(...times)), long.map((row) => text(row.request_id))],
  );
  const texts = new Map<string, LongTexts>();
  for (const { request_id, side, whole } of found) {
    const field = number(side) === 0 ? "input_text" : "output_text";
    texts.set(text(request_id), { ...texts.get(text(request_id)), [field]: text(whole) });
  }
  return texts;
}

/** `[principal, streamed, finishReason, error, metadata, usage, attempts, routing]` */
type Detail = readonly [
  string,
  boolean,
  string | null,
  Trace["error"],
  Trace["metadata"],
  Usage | readonly unknown[] | null,
  readonly (Attempt | readonly unknown[])[],
  Trace["routing"],
];

interface Elsewhere {
  readonly names: ReadonlyMap<number, string>;
  readonly long: LongTexts | undefined;
}

function secondTrace(row: Row, { names, long = {} }: Elsewhere): Trace {
  const detail = JSON.parse(text(row.detail)) as Detail;
  const [principal, streamed, finishReason, error, metadata, usage, attempts, routing] = detail;
  const input = optional(row.input_text, text) ?? long.input_text ?? null;
  const output = optional(row.output_text, text) ?? long.output_text ?? null;
  return {
    requestId: text(row.request_id),
    kind: KINDS[number(row.kind)] ?? "chat",
    model: names.get(number(row.model)) ?? null,
    provider: names.get(number(row.provider)) ?? null,
    source: names.get(number(row.source)) ?? "",
    status: STATUSES[number(row.status)] ?? "success",
    createdAtMs: number(row.created_ms),
    latencyMs: number(row.latency_ms),
    ttftMs: optional(row.ttft_ms, Number),
    ...{ principal, streamed, finishReason, error, metadata, routing },
    usage: isList(usage) ? usageOf(usage, row) : usage,
    attempts: attempts.map((attempt) => (isList(attempt) ? attemptOf(attempt) : storedAttempt(attempt))),
    content: input === null || output === null ? null : { input, output },
  };
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The nine figures, and what there is beside them. `=` is the figure that a column has, or the sum of both numbers of tokens. */
function usageOf(list: readonly unknown[], row: Row): Usage {
  const [prompt, completion, total, input, output, cache, cost, latency, ttft, rest] = list;
  const or = (known: number | null, value: unknown) => (value === "=" ? known : value);
  const promptTokens = or(optional(row.tokens_in, Number), prompt);
  const completionTokens = or(optional(row.tokens_out, Number), completion);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: or(Number(promptTokens) + Number(completionTokens), total),
    input_cost_usd: input,
    output_cost_usd: output,
    cache_input_cost_usd: cache,
    total_cost_usd: or(optional(row.cost_usd, Number), cost),
    latency_ms: or(number(row.latency_ms), latency),
    ttft_ms: or(optional(row.ttft_ms, Number), ttft),
    ...(rest as object),
  } as Usage;
}

function attemptOf(list: readonly unknown[]): Attempt {
  const [provider, model, status, code, latency_ms] = list;
  return { provider, model, status, code, message: null, latency_ms } as Attempt;
}
