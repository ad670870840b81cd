import { billedCostUsd } from "../billed-usage.js";
import { promptColumns, promptIn } from "../message-columns.js";
import { timeOfRequestId } from "../request-time.js";
import type { TraceSummary } from "../store.js";
import {
  type Attempt,
  type Feedback,
  storedAttempt,
  type Trace,
  type TraceKind,
  type TraceStatus,
  type Usage,
} from "../trace.js";
import type { Row } from "./http-client.js";
import type { RowBinary } from "./row-binary.js";
import { identifier, joined, sql } from "./sql.js";

/** A trace with the columns of its prompt. */
type Written = Trace & { readonly prompt: ReturnType<typeof promptColumns> };

/** How a trace is written into each column, in the order of `COLUMNS`. */
type Write = (row: RowBinary, trace: Written) => void;

const string =
  (valueIn: (trace: Trace) => string): Write =>
  (row, trace) =>
    row.string(valueIn(trace));

const optionalString =
  (valueIn: (trace: Written) => string | null): Write =>
  (row, trace) =>
    row.nullable(valueIn(trace), (value) => row.string(value));

const optionalFloat =
  (valueIn: (trace: Trace) => number | null): Write =>
  (row, trace) =>
    row.nullable(valueIn(trace), (value) => row.float64(value));

const optionalCount =
  (valueIn: (trace: Trace) => number | undefined): Write =>
  (row, trace) =>
    row.nullable(count(valueIn(trace)), (value) => row.int64(value));

const COLUMNS: readonly (readonly [name: string, write: Write])[] = [
  ["request_id", string(({ requestId }) => requestId)],
  ["id_ms", (row, { requestId }) => row.int64(timeOfRequestId(requestId))],
  ["created_at_ms", (row, { createdAtMs }) => row.int64(createdAtMs)],
  ["kind", string(({ kind }) => kind)],
  ["status", string(({ status }) => status)],
  ["model", optionalString(({ model }) => model)],
  ["provider", optionalString(({ provider }) => provider)],
  ["source", string(({ source }) => source)],
  ["principal", string(({ principal }) => principal)],
  ["streamed", (row, { streamed }) => row.uint8(streamed ? 1 : 0)],
  ["latency_ms", (row, { latencyMs }) => row.float64(latencyMs)],
  ["ttft_ms", optionalFloat(({ ttftMs }) => ttftMs)],
  ["finish_reason", optionalString(({ finishReason }) => finishReason)],
  ["tokens_in", optionalCount(({ usage }) => usage?.prompt_tokens)],
  ["tokens_out", optionalCount(({ usage }) => usage?.completion_tokens)],
  ["cost_usd", optionalFloat(billedCostUsd)],
  ["error_code", optionalString(({ error }) => error?.code ?? null)],
  ["error_message", optionalString(({ error }) => error?.message ?? null)],
  ["metadata.key", (row, { metadata }) => row.strings(Object.keys(metadata))],
  ["metadata.value", (row, { metadata }) => row.strings(Object.values(metadata).map(String))],
  ["metadata_json", string(({ metadata }) => JSON.stringify(metadata))],
  ["usage", optionalString(({ usage }) => json(usage))],
  ["attempts", string(({ attempts }) => JSON.stringify(attempts))],
  ["routing", optionalString(({ routing }) => json(routing))],
  ["input_text", optionalString(({ prompt }) => prompt.input_text)],
  ["output_text", optionalString(({ content }) => content?.output ?? null)],
  ["reasoning_text", optionalString(({ content }) => content?.reasoning ?? null)],
  ["context_text", optionalString(({ prompt }) => prompt.context_text)],
  ["messages", optionalString(({ prompt }) => json(prompt.messages))],
];

const json = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** A whole number, whatever a provider may have counted. */
function count(value: number | undefined): number | null {
  const whole = Math.round(value ?? Number.NaN);
  return Number.isSafeInteger(whole) ? whole : null;
}

export function writeTrace(row: RowBinary, trace: Trace): void {
  const written = { ...trace, prompt: promptColumns(trace.content?.input ?? null) };
  for (const [, write] of COLUMNS) write(row, written);
}

const ONLY_FOR_FILTERS = ["id_ms", "metadata.key", "metadata.value"];
const IN_SUMMARY = [
  "request_id",
  "model",
  "provider",
  "tokens_in",
  "tokens_out",
  "cost_usd",
  "latency_ms",
  "status",
  "created_at_ms",
  "source",
  "principal",
  "error_code",
];

const named = (names: readonly string[]) => joined(names.map(identifier), ", ");
const NAMES = COLUMNS.map(([name]) => name);

/** What `writeTrace` fills. */
export const WRITTEN_COLUMNS = named(NAMES);
/** Of a character in UTF-8. Version 18 counts characters of four bytes wrongly, so that it cuts by bytes. */
const MOST_BYTES = 4;

/** What to select for `summaryOf`, and for `traceOf`. */
export const summaryColumns = (inputCharacters: number) =>
  inputCharacters === 0
    ? named(IN_SUMMARY)
    : sql`${named(IN_SUMMARY)}, substring(input_text, 1, ${MOST_BYTES * inputCharacters}) AS input_start`;
export const TRACE_COLUMNS = named(NAMES.filter((name) => !ONLY_FOR_FILTERS.includes(name)));

export function summaryOf(row: Row, inputCharacters: number): TraceSummary {
  return {
    requestId: text(row.request_id),
    model: optional(row.model, text),
    provider: optional(row.provider, text),
    tokensIn: optional(row.tokens_in, Number),
    tokensOut: optional(row.tokens_out, Number),
    costUsd: optional(row.cost_usd, Number),
    latencyMs: Number(row.latency_ms),
    status: text(row.status) as TraceStatus,
    createdAtMs: Number(row.created_at_ms),
    source: text(row.source),
    principal: text(row.principal),
    errorCode: optional(row.error_code, text),
    inputStart: optional(row.input_start, (start) => [...text(start)].slice(0, inputCharacters).join("")),
  };
}

/** The trace of a row with `TRACE_COLUMNS`. */
export function traceOf(row: Row, feedback: Feedback | undefined): Trace {
  const errorCode = row.error_code;
  return {
    requestId: text(row.request_id),
    kind: text(row.kind) as TraceKind,
    model: optional(row.model, text),
    provider: optional(row.provider, text),
    source: text(row.source),
    principal: text(row.principal),
    status: text(row.status) as TraceStatus,
    createdAtMs: Number(row.created_at_ms),
    latencyMs: Number(row.latency_ms),
    ttftMs: optional(row.ttft_ms, Number),
    streamed: row.streamed === 1,
    finishReason: optional(row.finish_reason, text),
    usage: optional(row.usage, parsed<Usage>),
    attempts: parsed<readonly Attempt[]>(row.attempts).map(storedAttempt),
    routing: optional(row.routing, parsed<NonNullable<Trace["routing"]>>),
    error: optional(errorCode, (code) => ({ code: text(code), message: text(row.error_message) })),
    metadata: parsed<Trace["metadata"]>(row.metadata_json),
    content: contentOf(row),
    ...(feedback !== undefined && { feedback }),
  };
}

function contentOf(row: Row): Trace["content"] {
  const reasoning = optional(row.reasoning_text, text);
  const context_text = optional(row.context_text, text);
  const messages = optional(row.messages, parsed<readonly unknown[]>);
  return optional(row.input_text, (input) => ({
    input: promptIn({ input_text: text(input), context_text, messages }),
    output: text(row.output_text),
    ...(reasoning !== null && { reasoning }),
  }));
}

export const text = (value: unknown): string => (typeof value === "string" ? value : "");

export const optional = <Result>(value: unknown, read: (value: unknown) => Result): Result | null =>
  value === null || value === undefined ? null : read(value);

/** Parses JSON that `writeTrace` wrote. */
const parsed = <Result>(value: unknown): Result => JSON.parse(text(value)) as Result;
