import type { TraceBody } from "../schema/trace.js";

interface TraceColumn {
  readonly name: string;
  readonly valueIn: (trace: TraceBody) => string | number | null;
}

const column = (name: string, valueIn: TraceColumn["valueIn"]): TraceColumn => ({ name, valueIn });

/**
 * The columns of a table of traces, and what a trace has in them: the fields of `GET /v1/traces/{request_id}`, with `error`
 * and `api_key` as two, and `feedback` as score and comment. What has a structure of its own is JSON text.
 */
export const TRACE_COLUMNS: readonly TraceColumn[] = [
  column("request_id", ({ request_id }) => request_id),
  column("created_at", ({ created_at }) => created_at),
  column("kind", ({ kind }) => kind),
  column("status", ({ status }) => status),
  column("source", ({ source }) => source),
  column("api_key_id", ({ api_key: key }) => key?.id ?? null),
  column("api_key_name", ({ api_key: key }) => key?.name ?? null),
  column("model", ({ model }) => model),
  column("requested_model", ({ requested_model }) => requested_model),
  column("provider", ({ provider }) => provider),
  column("effort", ({ effort }) => effort),
  column("tokens_in", ({ tokens_in }) => tokens_in),
  column("tokens_out", ({ tokens_out }) => tokens_out),
  column("cost_usd", ({ cost_usd }) => cost_usd),
  column("latency_ms", ({ latency_ms }) => latency_ms),
  column("ttft_ms", ({ ttft_ms }) => ttft_ms),
  column("finish_reason", ({ finish_reason }) => finish_reason),
  column("error_code", ({ error }) => error?.code ?? null),
  column("error_message", ({ error }) => error?.message ?? null),
  column("metadata", ({ metadata }) => json(metadata)),
  column("usage", ({ usage }) => usage && json(usage)),
  column("attempts", ({ attempts }) => json(attempts)),
  column("tool_loop", ({ tool_loop }) => tool_loop?.state ?? null),
  column("tool_loop_figures", ({ tool_loop }) => tool_loop && json(tool_loop)),
  column("baseline_model", ({ savings }) => savings?.baseline_model ?? null),
  column("baseline_cost_usd", ({ savings }) => savings?.baseline_cost_usd ?? null),
  column("saved_usd", ({ savings }) => savings?.saved_usd ?? null),
  column("routing", ({ routing }) => routing && json(routing)),
  column("feedback_score", ({ feedback }) => feedback?.score ?? null),
  column("feedback_comment", ({ feedback }) => feedback?.comment ?? null),
  column("input_text", ({ input_text: text }) => text ?? null),
  column("messages", ({ messages }) => (messages === undefined ? null : json(messages))),
  column("output_text", ({ output_text: text }) => text ?? null),
  column("reasoning_text", ({ reasoning_text: text }) => text ?? null),
];

/** Half a surrogate pair becomes U+FFFD, for most readers of JSON refuse its escape. */
function json(value: object): string {
  const text = JSON.stringify(value);
  return text.includes("\\ud") ? text.replace(ESCAPES, wellFormed) : text;
}

/** Every escape, so that a backslash that is one itself does not count as the beginning of another. */
const ESCAPES = /\\(?:u([0-9a-f]{4})|.)/g;

const wellFormed = (written: string, unit: string | undefined): string =>
  unit !== undefined && /^d[89a-f]/.test(unit) ? "\ufffd" : written;
