import { timeOfRequestId } from "../request-time.js";
import type { TraceSummary } from "../store.js";
import type { Attempt, Trace, TraceKind, TraceStatus, Usage } from "../trace.js";
import type { ColumnType, ColumnValue, Row, Value } from "./database.js";
import { metadataHash } from "./metadata-hash.js";

/** UTF-16 units up to which a text is compressed. */
const LONG_TEXT_UNITS = 16_384;

interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly valueIn: (trace: Trace) => ColumnValue;
}

/** The columns of the table `traces`, in its order, and what a trace has in them. */
export const COLUMNS: readonly Column[] = [
  { name: "request_id", type: "VARCHAR", valueIn: ({ requestId }) => requestId },
  { name: "id_ms", type: "BIGINT", valueIn: ({ requestId }) => BigInt(timeOfRequestId(requestId)) },
  { name: "created_at", type: "TIMESTAMP", valueIn: ({ createdAtMs }) => new Date(createdAtMs) },
  { name: "kind", type: "VARCHAR", valueIn: ({ kind }) => kind },
  { name: "status", type: "VARCHAR", valueIn: ({ status }) => status },
  { name: "model", type: "VARCHAR", valueIn: ({ model }) => model },
  { name: "provider", type: "VARCHAR", valueIn: ({ provider }) => provider },
  { name: "source", type: "VARCHAR", valueIn: ({ source }) => source },
  { name: "principal", type: "VARCHAR", valueIn: ({ principal }) => principal },
  { name: "streamed", type: "BOOLEAN", valueIn: ({ streamed }) => streamed },
  { name: "latency_ms", type: "DOUBLE", valueIn: ({ latencyMs }) => latencyMs },
  { name: "ttft_ms", type: "DOUBLE", valueIn: ({ ttftMs }) => ttftMs },
  { name: "finish_reason", type: "VARCHAR", valueIn: ({ finishReason }) => finishReason },
  { name: "tokens_in", type: "BIGINT", valueIn: ({ usage }) => count(usage?.prompt_tokens) },
  { name: "tokens_out", type: "BIGINT", valueIn: ({ usage }) => count(usage?.completion_tokens) },
  { name: "cost_usd", type: "DOUBLE", valueIn: ({ usage }) => usage?.total_cost_usd ?? null },
  { name: "error_code", type: "VARCHAR", valueIn: ({ error }) => error?.code ?? null },
  { name: "error_message", type: "VARCHAR", valueIn: ({ error }) => error?.message ?? null },
  { name: "metadata", type: "VARCHAR", valueIn: ({ metadata }) => JSON.stringify(metadata) },
  { name: "metadata_hashes", type: "BIGINT[]", valueIn: ({ metadata }) => hashesOf(metadata) },
  { name: "usage", type: "VARCHAR", valueIn: ({ usage }) => json(usage) },
  { name: "attempts", type: "VARCHAR", valueIn: ({ attempts }) => JSON.stringify(attempts) },
  { name: "routing", type: "VARCHAR", valueIn: ({ routing }) => json(routing) },
  { name: "input_text", type: "VARCHAR", valueIn: ({ content }) => short(content?.input) },
  { name: "output_text", type: "VARCHAR", valueIn: ({ content }) => short(content?.output) },
  { name: "input_long", type: "VARCHAR", valueIn: ({ content }) => long(content?.input) },
  { name: "output_long", type: "VARCHAR", valueIn: ({ content }) => long(content?.output) },
];

const hashesOf = (metadata: Trace["metadata"]): bigint[] =>
  Object.entries(metadata).map(([key, value]) => metadataHash(key, String(value)));

const json = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

const short = (text: string | undefined): string | null =>
  text !== undefined && text.length <= LONG_TEXT_UNITS ? text : null;

const long = (text: string | undefined): string | null =>
  text !== undefined && text.length > LONG_TEXT_UNITS ? text : null;

/** A whole number, whatever a provider may have counted. */
const count = (value: number | undefined): bigint | null =>
  value === undefined || !Number.isFinite(value) ? null : BigInt(Math.round(value));

/** A text as its bytes: from a text the library takes away a byte order mark that it begins with. */
export const exactly = (column: string): string => `encode(${column})`;

const selected = (columns: readonly Column[]): string =>
  columns.map(({ name, type }) => (type === "VARCHAR" ? `${exactly(name)} AS ${name}` : name)).join(", ");

const IN_SUMMARY = [
  "request_id",
  "model",
  "provider",
  "tokens_in",
  "tokens_out",
  "cost_usd",
  "latency_ms",
  "status",
  "created_at",
];
const ONLY_FOR_FILTERS = ["id_ms", "metadata_hashes"];

/** What to select for `summaryOf`, and for `traceOf`. */
export const SUMMARY_COLUMNS = selected(COLUMNS.filter(({ name }) => IN_SUMMARY.includes(name)));
export const TRACE_COLUMNS = selected(COLUMNS.filter(({ name }) => !ONLY_FOR_FILTERS.includes(name)));

export function summaryOf(row: Row): TraceSummary {
  return {
    requestId: text(row.request_id),
    model: optional(row.model, text),
    provider: optional(row.provider, text),
    tokensIn: optional(row.tokens_in, number),
    tokensOut: optional(row.tokens_out, number),
    costUsd: optional(row.cost_usd, number),
    latencyMs: number(row.latency_ms),
    status: text(row.status) as TraceStatus,
    createdAtMs: milliseconds(row.created_at),
  };
}

/** The trace of a row with all columns. */
export function traceOf(row: Row): Trace {
  const input = row.input_text ?? row.input_long ?? null;
  const output = row.output_text ?? row.output_long ?? null;
  const errorCode = row.error_code ?? null;
  return {
    requestId: text(row.request_id),
    kind: text(row.kind) as TraceKind,
    model: optional(row.model, text),
    provider: optional(row.provider, text),
    source: text(row.source),
    principal: text(row.principal),
    status: text(row.status) as TraceStatus,
    createdAtMs: milliseconds(row.created_at),
    latencyMs: number(row.latency_ms),
    ttftMs: optional(row.ttft_ms, number),
    streamed: row.streamed === true,
    finishReason: optional(row.finish_reason, text),
    usage: optional(row.usage, (value) => parsed<Usage>(value)),
    attempts: parsed<readonly Attempt[]>(row.attempts),
    routing: optional(row.routing, (value) => parsed<NonNullable<Trace["routing"]>>(value)),
    error: errorCode === null ? null : { code: text(errorCode), message: text(row.error_message) },
    metadata: parsed<Trace["metadata"]>(row.metadata),
    content: input === null || output === null ? null : { input: text(input), output: text(output) },
  };
}

/** Of a text, or of its bytes. */
export function text(value: Value | undefined): string {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  return typeof value === "string" ? value : "";
}

export const number = (value: Value | undefined): number => Number(value ?? 0);

const milliseconds = (value: Value | undefined): number =>
  value instanceof Date ? value.getTime() : Number.NaN;

export function optional<Result>(value: Value | undefined, read: (value: Value) => Result): Result | null {
  return value === null || value === undefined ? null : read(value);
}

/** JSON that this file wrote. */
const parsed = <Result>(value: Value | undefined): Result => JSON.parse(text(value)) as Result;
