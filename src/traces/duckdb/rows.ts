import type { TraceSummary } from "../store.js";
import type { Trace } from "../trace.js";
import type { Row, Value } from "./database.js";
import { readDetail } from "./detail.js";
import type { FileReader } from "./file-reader.js";
import { type LongTexts, longTextsOf } from "./text-pieces.js";
import { KINDS, STATUSES } from "./trace-block.js";
import { exactly, number, optional, text } from "./values.js";

const IN_SUMMARY = `${exactly("request_id")} AS request_id, created_ms, status, model, provider, tokens_in, tokens_out, cost_usd, latency_ms`;

/** What to select for `summariesOf`, and for `tracesOf`. */
export const SUMMARY_COLUMNS = IN_SUMMARY;
export const TRACE_COLUMNS =
  `${IN_SUMMARY}, kind, source, ttft_ms, ${exactly("detail")} AS detail, ` +
  `${exactly("input_text")} AS input, ${exactly("output_text")} AS output, in_pieces, id_ms`;

export async function summariesOf(rows: readonly Row[], reader: FileReader): Promise<TraceSummary[]> {
  const nameIn = await namesIn(rows, ["model", "provider"], reader);
  return rows.map((row) => summaryOf(row, nameIn));
}

export async function tracesOf(rows: readonly Row[], reader: FileReader): Promise<Trace[]> {
  const nameIn = await namesIn(rows, ["model", "provider", "source"], reader);
  const longTexts = await longTextsOf(rows, reader);
  return rows.map((row) => traceOf(row, nameIn, longTexts.get(text(row.request_id))));
}

type NameIn = (value: Value | undefined) => string | null;

async function namesIn(
  rows: readonly Row[],
  columns: readonly string[],
  { connection, names }: FileReader,
): Promise<NameIn> {
  const ids = rows.flatMap((row) => columns.map((column) => number(row[column])));
  const nameOf = await names.namesOf(connection, ids);
  return (value) => nameOf(number(value));
}

function summaryOf(row: Row, nameIn: NameIn): TraceSummary {
  return {
    requestId: text(row.request_id),
    model: nameIn(row.model),
    provider: nameIn(row.provider),
    tokensIn: optional(row.tokens_in, number),
    tokensOut: optional(row.tokens_out, number),
    costUsd: optional(row.cost_usd, number),
    latencyMs: number(row.latency_ms),
    status: STATUSES[number(row.status)] ?? "error",
    createdAtMs: number(row.created_ms),
  };
}

function traceOf(row: Row, nameIn: NameIn, long: LongTexts | undefined): Trace {
  const { tokensIn, tokensOut, costUsd, ...summary } = summaryOf(row, nameIn);
  const ttftMs = optional(row.ttft_ms, number);
  const known = { tokensIn, tokensOut, costUsd, latencyMs: summary.latencyMs, ttftMs };
  const input = optional(row.input, text) ?? long?.input ?? null;
  const output = optional(row.output, text) ?? long?.output ?? null;
  return {
    ...summary,
    kind: KINDS[number(row.kind)] ?? "chat",
    source: nameIn(row.source) ?? "",
    ttftMs,
    ...readDetail(text(row.detail), known),
    content: input === null || output === null ? null : { input, output },
  };
}
