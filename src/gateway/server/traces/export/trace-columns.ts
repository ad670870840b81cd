import type { TraceBody } from "../../../api/traces/trace.js";
import type { ColumnType, ColumnValue, ParquetColumn } from "./parquet-file.js";

export interface TraceColumn extends ParquetColumn {
  readonly valueIn: (trace: TraceBody) => ColumnValue;
}

type ValueIn = TraceColumn["valueIn"];

const required = (name: string, type: ColumnType, valueIn: ValueIn): TraceColumn => ({
  name,
  type,
  presence: "required",
  valueIn,
});

const optional = (name: string, type: ColumnType, valueIn: ValueIn): TraceColumn => ({
  name,
  type,
  presence: "optional",
  valueIn,
});

const content = (name: "input_text" | "output_text" | "reasoning_text"): TraceColumn => ({
  name,
  type: "text",
  presence: "absent if empty",
  valueIn: (trace) => trace[name] ?? null,
});

/**
 * The columns of a table of traces, and what a trace has in them: the fields of `GET /v1/traces/{request_id}`, with `error`
 * and `api_key` as two, and `feedback` as score and comment. What has a structure of its own is JSON text, which every reader takes for a string.
 */
export const TRACE_COLUMNS: readonly TraceColumn[] = [
  required("request_id", "name", ({ request_id }) => request_id),
  required("created_at", "timestamp", ({ created_at }) => Date.parse(created_at)),
  required("kind", "name", ({ kind }) => kind),
  required("status", "name", ({ status }) => status),
  required("source", "name", ({ source }) => source),
  optional("api_key_id", "name", ({ api_key: key }) => key?.id ?? null),
  optional("api_key_name", "name", ({ api_key: key }) => key?.name ?? null),
  optional("model", "name", ({ model }) => model),
  optional("provider", "name", ({ provider }) => provider),
  optional("effort", "name", ({ effort }) => effort),
  optional("tokens_in", "int64", ({ tokens_in }) => count(tokens_in)),
  optional("tokens_out", "int64", ({ tokens_out }) => count(tokens_out)),
  optional("cost_usd", "double", ({ cost_usd }) => cost_usd),
  required("latency_ms", "double", ({ latency_ms }) => latency_ms),
  optional("ttft_ms", "double", ({ ttft_ms }) => ttft_ms),
  optional("finish_reason", "name", ({ finish_reason }) => finish_reason),
  optional("error_code", "name", ({ error }) => error?.code ?? null),
  optional("error_message", "text", ({ error }) => error?.message ?? null),
  required("metadata", "text", ({ metadata }) => json(metadata)),
  optional("usage", "text", ({ usage }) => usage && json(usage)),
  required("attempts", "text", ({ attempts }) => json(attempts)),
  optional("tool_loop", "name", ({ tool_loop }) => tool_loop?.state ?? null),
  optional("tool_loop_figures", "text", ({ tool_loop }) => tool_loop && json(tool_loop)),
  optional("baseline_model", "name", ({ savings }) => savings?.baseline_model ?? null),
  optional("baseline_cost_usd", "double", ({ savings }) => savings?.baseline_cost_usd ?? null),
  optional("saved_usd", "double", ({ savings }) => savings?.saved_usd ?? null),
  optional("routing", "text", ({ routing }) => routing && json(routing)),
  optional("feedback_score", "double", ({ feedback }) => feedback?.score ?? null),
  optional("feedback_comment", "text", ({ feedback }) => feedback?.comment ?? null),
  content("input_text"),
  {
    name: "messages",
    type: "text",
    presence: "absent if empty",
    valueIn: ({ messages }) => (messages == null ? null : json(messages)),
  },
  content("output_text"),
  content("reasoning_text"),
];

/** A whole number, whatever a provider may have counted. */
function count(value: number | null): number | null {
  const whole = Math.round(value ?? Number.NaN);
  return Number.isSafeInteger(whole) ? whole : null;
}

/** Half a surrogate pair becomes U+FFFD, for most readers of JSON refuse its escape. */
function json(value: object): string {
  const text = JSON.stringify(value);
  return text.includes("\\ud") ? text.replace(ESCAPES, wellFormed) : text;
}

/** Every escape, so that a backslash that is one itself does not count as the beginning of another. */
const ESCAPES = /\\(?:u([0-9a-f]{4})|.)/g;

const wellFormed = (written: string, unit: string | undefined): string =>
  unit !== undefined && /^d[89a-f]/.test(unit) ? "\ufffd" : written;
