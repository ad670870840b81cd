/** What every store writes of a trace into columns of the same names, and what it makes of the rows that it reads. */
import { routingJson } from "../../engine/index.js";
import type { RoutingBody } from "../../engine/router/routing-body.js";
import { billedCostUsd } from "./billed-usage.js";
import type { Cause, CauseSteps } from "./causes.js";
import type { LastFailure } from "./last-failures.js";
import { type MessageColumns, messageColumns, messagesIn } from "./message-columns.js";
import type { SeriesPercentiles } from "./series.js";
import type { Percentiles, TraceStats, TraceSummary } from "./store.js";
import {
  type Attempt,
  type Feedback,
  type ToolLoop,
  type Trace,
  type TracedSavings,
  type TraceKind,
  type TraceStatus,
  type Usage,
  usageDetail,
} from "./trace.js";

/** A row of a result, by the names of its columns. */
type StoredRow = Readonly<Record<string, unknown>>;

/** Of a text, or of its bytes. */
export function text(value: unknown): string {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  return typeof value === "string" ? value : "";
}

export const number = (value: unknown): number => Number(value ?? 0);

export const optional = <Result>(value: unknown, read: (value: unknown) => Result): Result | null =>
  value === null || value === undefined ? null : read(value);

/** Of JSON that a store wrote. */
const json = <Result>(value: unknown): Result => JSON.parse(text(value)) as Result;

/** Columns of a trace that are texts or figures in every store; times and metadata are each store's own. */
export function storedColumns(trace: Trace) {
  const { error, routing, usage, content, toolLoop, savings } = trace;
  const prompt = content && messageColumns(content.input);
  return {
    request_id: trace.requestId,
    kind: trace.kind,
    status: trace.status,
    model: trace.model,
    requested_model: trace.requestedModel ?? null,
    provider: trace.provider,
    source: trace.source,
    principal: trace.principal,
    streamed: trace.streamed,
    finish_reason: trace.finishReason,
    tokens_in: wholeNumber(usage?.prompt_tokens),
    tokens_out: wholeNumber(usage?.completion_tokens),
    tokens_cached: usage && usageDetail(usage, "prompt_tokens_details", "cached_tokens"),
    cost_usd: billedCostUsd(trace),
    latency_ms: trace.latencyMs,
    ttft_ms: trace.ttftMs,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    usage: usage && jsonOf(usage),
    attempts: jsonOf(trace.attempts),
    routing: routing && readableJson(routingJson(routing)),
    preset: routing?.preset ?? null,
    tool_loop: toolLoop?.state ?? null,
    effort: trace.effort ?? null,
    tool_loop_figures: toolLoop === undefined ? null : jsonOf(toolLoop),
    savings: savings === undefined ? null : jsonOf(savings),
    baseline_picousd: savings === undefined ? null : picodollars(savings.baseline_cost_usd),
    saved_picousd: savings === undefined ? null : picodollars(savings.saved_usd),
    input_text: prompt?.input_text ?? null,
    output_text: content?.output ?? null,
    reasoning_text: content?.reasoning ?? null,
    context_text: prompt?.context_text ?? null,
    messages: prompt && jsonOf(prompt.messages),
  };
}

/** Whatever a provider may have counted. */
const wholeNumber = (value: number | undefined): number | null =>
  value !== undefined && Number.isSafeInteger(Math.round(value)) ? Math.round(value) : null;

/** A whole number, so that databases sum it exactly. Costs are whole picodollars, and a double has them exactly up to $2,000 a request. */
export const picodollars = (usd: number): number | null => wholeNumber(usd * 1e12);

/** JSON that the functions of databases can read. */
export const jsonOf = (value: unknown): string => readableJson(JSON.stringify(value));

/** Half a surrogate pair, which `JSON.stringify` writes as an escape that databases refuse to read, becomes U+FFFD. */
const readableJson = (written: string): string =>
  written.includes("\\ud") ? written.replace(HALF_PAIR, "$1\ufffd") : written;

/** An escape after whole escaped backslashes, if any. */
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[0-9a-f]{3}/g;

/** Columns of a list beside the time of arrival. */
export const SUMMARY_COLUMNS = [
  ...([
    "request_id",
    "kind",
    "model",
    "requested_model",
    "provider",
    "tokens_in",
    "tokens_out",
    "cost_usd",
    "latency_ms",
  ] as const),
  ...(["status", "source", "principal", "error_code"] as const),
];

/** Of a row with `SUMMARY_COLUMNS`, `created_at` and, where they were asked for, `input_start` and `metadata`. */
export const summaryIn = (row: StoredRow): TraceSummary => ({
  requestId: text(row.request_id),
  kind: text(row.kind) as TraceKind,
  model: optional(row.model, text),
  requestedModel: optional(row.requested_model, text),
  provider: optional(row.provider, text),
  tokensIn: optional(row.tokens_in, Number),
  tokensOut: optional(row.tokens_out, Number),
  costUsd: optional(row.cost_usd, Number),
  latencyMs: Number(row.latency_ms),
  status: text(row.status) as TraceStatus,
  createdAtMs: Number(row.created_at),
  source: text(row.source),
  principal: text(row.principal),
  errorCode: optional(row.error_code, text),
  inputStart: optional(row.input_start, text),
  metadata: optional(row.metadata, json<Trace["metadata"]>),
});

/** Of a row with what `columnsOf` gives, `created_at` and `metadata`. */
export function traceIn(row: StoredRow, feedback?: Feedback | undefined): Trace {
  const errorCode = optional(row.error_code, text);
  const effort = optional(row.effort, text);
  const requestedModel = optional(row.requested_model, text);
  return {
    requestId: text(row.request_id),
    kind: text(row.kind) as TraceKind,
    model: optional(row.model, text),
    provider: optional(row.provider, text),
    source: text(row.source),
    principal: text(row.principal),
    status: text(row.status) as TraceStatus,
    createdAtMs: Number(row.created_at),
    latencyMs: Number(row.latency_ms),
    ttftMs: optional(row.ttft_ms, Number),
    streamed: Number(row.streamed) === 1,
    finishReason: optional(row.finish_reason, text),
    usage: optional(row.usage, json<Usage>),
    attempts: json<readonly Attempt[]>(row.attempts),
    routing: optional(row.routing, json<RoutingBody>),
    error: errorCode === null ? null : { code: errorCode, message: text(row.error_message) },
    metadata: json<Trace["metadata"]>(row.metadata),
    content: contentIn(row),
    ...(requestedModel !== null && { requestedModel }),
    ...(effort !== null && { effort }),
    ...(row.tool_loop_figures != null && { toolLoop: json<ToolLoop>(row.tool_loop_figures) }),
    ...(row.savings != null && { savings: json<TracedSavings>(row.savings) }),
    ...(feedback !== undefined && { feedback }),
  };
}

function contentIn(row: StoredRow): Trace["content"] {
  const textIn = (column: string) => optional(row[column], text);
  const [input_text, output, reasoning] = ["input_text", "output_text", "reasoning_text"].map(textIn);
  if (input_text == null || output == null) return null;
  const messages = json<MessageColumns["messages"]>(row.messages);
  const input = messagesIn({ input_text, context_text: textIn("context_text"), messages });
  return { input, output, ...(reasoning != null && { reasoning }) };
}

/** Of rows with `request_id`, `score`, `comment` and `given_at`, by request id: of several for one request the last. */
export const feedbackIn = (rows: readonly StoredRow[]): ReadonlyMap<string, Feedback> =>
  new Map(
    rows.map((row) => [
      text(row.request_id),
      {
        score: Number(row.score),
        comment: optional(row.comment, text),
        givenAtMs: Number(row.given_at),
      },
    ]),
  );

/** Of a row with sums, which have names that no column of traces has: ClickHouse takes an alias for the column. */
export const sumsIn = (
  row: StoredRow,
): Omit<TraceStats, "group" | "latencyMs" | "ttftMs" | "streamedLatencyMs"> => ({
  requests: number(row.requests),
  errors: number(row.errors),
  timeouts: number(row.timeouts),
  decisions: number(row.decisions),
  tokensIn: number(row.sum_in),
  tokensOut: number(row.sum_out),
  tokensCached: number(row.sum_cached),
  costUsd: number(row.cost),
  requestsWithoutCost: number(row.without_cost),
  requestsWithBaseline: number(row.with_baseline),
  baselineCostUsd: number(row.baseline_cost),
  savedUsd: number(row.saved),
});

/** Shares that statistics and series have percentiles of. */
export const STATS_SHARES = [0.5, 0.9, 0.99] as const;
export const SERIES_SHARES = [0.5, 0.95] as const;

export function statsPercentilesIn(value: unknown): Percentiles {
  const [p50 = 0, p90 = 0, p99 = 0] = Array.isArray(value) ? value.map(number) : [];
  return { p50, p90, p99 };
}

export function seriesPercentilesIn(value: unknown): SeriesPercentiles {
  const [p50 = 0, p95 = 0] = Array.isArray(value) ? value.map(number) : [];
  return { p50, p95 };
}

/**
 * Of a row that has the numbers of its steps in `steps`, and its requests in each of them in `counts`. What was read from an
 * attempt, which has a status, is still written as JSON.
 */
export function causeIn(row: StoredRow, { steps }: Pick<CauseSteps, "steps">): Cause {
  const status = text(row.status);
  const read = (value: string): string => (status === "" ? value : json<string>(`"${value}"`));
  const said = read(text(row.last_said));
  const series = new Array<number>(steps).fill(0);
  const counts = row.counts as readonly unknown[];
  for (const [at, step] of (row.steps as readonly unknown[]).entries())
    series[number(step)] = number(counts[at]);
  return {
    code: read(text(row.code)),
    provider: optional(row.provider, (value) => read(text(value))),
    model: optional(row.model, (value) => read(text(value))),
    status: status === "" || status === "null" ? null : Number(status),
    failed: number(row.failed),
    rescued: number(row.rescued),
    elsewhere: number(row.elsewhere),
    failedBefore: number(row.failed_before),
    rescuedBefore: number(row.rescued_before),
    series,
    firstMs: number(row.first_ms),
    lastMs: number(row.last_ms),
    errorCode: optional(row.last_code, text) || null,
    last: { requestId: text(row.last_id), message: said || null },
  };
}

export const lastFailureIn = (row: StoredRow): LastFailure => ({
  principal: text(row.principal),
  requestId: text(row.last_id),
  createdAtMs: number(row.last_ms),
  errorCode: text(row.last_code) || null,
});
