import { routingJson } from "../../../engine/index.js";
import type { TracedRouting } from "../../../engine/router/routing-body.js";
import { billedCostUsd } from "../billed-usage.js";
import { promptColumns, promptIn } from "../message-columns.js";
import type { TraceSummary } from "../store.js";
import {
  type Feedback,
  storedAttempt,
  type Trace,
  type TraceKind,
  type TraceStatus,
  type Usage,
} from "../trace.js";
import type { Row, Scalar, Value } from "./database.js";
import { LONG_TEXT_FIELDS, type LongTextField, type LongTexts, partsOf } from "./long-texts.js";
import { TRACE_COLUMNS } from "./schema.js";
import { asBytes, optional, text } from "./values.js";

type TraceColumn = keyof typeof TRACE_COLUMNS;
type TraceRow = Readonly<Record<TraceColumn, Scalar>>;

const COLUMNS = Object.keys(TRACE_COLUMNS) as readonly TraceColumn[];
const FIELDS = Object.keys(LONG_TEXT_FIELDS) as readonly LongTextField[];

/** What a trace adds to the tables, as values in the order of their columns. */
export interface AppendedRows {
  readonly traces: readonly (readonly Scalar[])[];
  readonly longTexts: readonly (readonly Scalar[])[];
}

export function rowsOf(traces: readonly Trace[]): AppendedRows {
  const rows: (readonly Scalar[])[] = [];
  const longTexts: (readonly Scalar[])[] = [];
  for (const trace of traces) {
    const texts = textsOf(trace.content);
    const row = rowOf(trace, texts);
    rows.push(COLUMNS.map((column) => row[column]));
    longTexts.push(...longTextsOf(trace, texts));
  }
  return { traces: rows, longTexts };
}

type Texts = Readonly<Record<LongTextField, string | null>>;

function textsOf(content: Trace["content"]): Texts {
  const { input_text, context_text, messages } = promptColumns(content?.input ?? null);
  return {
    input_text,
    output_text: content?.output ?? null,
    reasoning_text: content?.reasoning ?? null,
    context_text,
    messages: messages && jsonOf(messages),
  };
}

function longTextsOf({ requestId, createdAtMs }: Trace, texts: Texts): (readonly Scalar[])[] {
  return FIELDS.flatMap((field) =>
    partsOf(texts[field] ?? "").map((part) => [requestId, createdAtMs, field, ...part]),
  );
}

function rowOf(trace: Trace, texts: Texts): TraceRow {
  const { error, routing, usage } = trace;
  return {
    request_id: trace.requestId,
    created_at: trace.createdAtMs,
    kind: trace.kind,
    status: trace.status,
    model: trace.model,
    provider: trace.provider,
    source: trace.source,
    principal: trace.principal,
    streamed: trace.streamed,
    finish_reason: trace.finishReason,
    tokens_in: wholeNumber(usage?.prompt_tokens),
    tokens_out: wholeNumber(usage?.completion_tokens),
    cost_usd: billedCostUsd(trace),
    latency_ms: trace.latencyMs,
    ttft_ms: trace.ttftMs,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    metadata: jsonOf(trace.metadata),
    usage: usage === null ? null : jsonOf(usage),
    attempts: jsonOf(trace.attempts),
    routing: routing === null ? null : readableJson(routingJson(routing)),
    input_bytes: bytesOf(texts.input_text),
    output_bytes: bytesOf(texts.output_text),
    input_text: beginningOf(texts.input_text),
    output_text: beginningOf(texts.output_text),
    reasoning_bytes: bytesOf(texts.reasoning_text),
    reasoning_text: beginningOf(texts.reasoning_text),
    context_bytes: bytesOf(texts.context_text),
    context_text: beginningOf(texts.context_text),
    messages_bytes: bytesOf(texts.messages),
    // A part of JSON is none.
    messages: texts.messages === null || partsOf(texts.messages).length > 0 ? null : texts.messages,
  };
}

const bytesOf = (text: string | null): number | null => (text === null ? null : Buffer.byteLength(text));

/** What a row keeps of a text: all of it, or its first part. */
function beginningOf(text: string | null): string | null {
  const [first] = partsOf(text ?? "");
  return first === undefined ? text : first[1];
}

/** Whatever a provider may have counted. */
const wholeNumber = (value: number | undefined): number | null =>
  value !== undefined && Number.isSafeInteger(Math.round(value)) ? Math.round(value) : null;

/** JSON that the library's functions can read. */
export const jsonOf = (value: unknown): string => readableJson(JSON.stringify(value));

/** Half a surrogate pair, which `JSON.stringify` writes as an escape and the library refuses to read, becomes U+FFFD. */
const readableJson = (json: string): string =>
  json.includes("\\ud") ? json.replace(HALF_PAIR, "$1\ufffd") : json;

/** An escape after whole escaped backslashes, if any. */
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[0-9a-f]{3}/g;

const SUMMARY_COLUMNS: readonly TraceColumn[] = [
  "request_id",
  "model",
  "provider",
  "tokens_in",
  "tokens_out",
  "cost_usd",
  "latency_ms",
  "status",
  "created_at",
  "source",
  "principal",
  "error_code",
];

const selected = (columns: readonly TraceColumn[]): string =>
  columns
    .map((column) =>
      TRACE_COLUMNS[column].startsWith("VARCHAR") ? `${asBytes(column)} AS ${column}` : column,
    )
    .join(", ");

/** What to select for `summaryOf`, and for `traceOf`. */
export const SELECT_SUMMARY = selected(SUMMARY_COLUMNS);
export const SELECT_TRACE = selected(COLUMNS);

export const summaryOf = (row: Row): TraceSummary => ({
  requestId: text(row.request_id),
  model: optional(row.model, text),
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
});

/** What other tables have of a trace. */
interface Elsewhere {
  /** Its long texts, of which the row has the beginning. */
  readonly whole?: LongTexts | undefined;
  readonly feedback?: Feedback | undefined;
}

export function traceOf(row: Row, { whole = {}, feedback }: Elsewhere): Trace {
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
    streamed: row.streamed === true,
    finishReason: optional(row.finish_reason, text),
    usage: optional(row.usage, json<Usage>),
    attempts: json<Trace["attempts"]>(row.attempts).map(storedAttempt),
    routing: optional(row.routing, json<TracedRouting>),
    error: errorOf(row),
    metadata: json<Trace["metadata"]>(row.metadata),
    content: contentOf(row, whole),
    ...(feedback !== undefined && { feedback }),
  };
}

function contentOf(row: Row, whole: LongTexts): Trace["content"] {
  const textIn = (field: LongTextField) => whole[field] ?? optional(row[field], text);
  const [input_text, output, reasoning] = [
    textIn("input_text"),
    textIn("output_text"),
    textIn("reasoning_text"),
  ];
  if (input_text === null || output === null) return null;
  const messages = optional(textIn("messages"), json<readonly unknown[]>);
  const input = promptIn({ input_text, context_text: textIn("context_text"), messages });
  return { input, output, ...(reasoning !== null && { reasoning }) };
}

function errorOf(row: Row): Trace["error"] {
  const code = optional(row.error_code, text);
  return code === null ? null : { code, message: optional(row.error_message, text) ?? "" };
}

/** Of JSON that `rowOf` wrote. */
const json = <Result>(value: Value | undefined): Result => JSON.parse(text(value)) as Result;
