import { call } from "./call.js";
import type { Routing } from "./router.js";

export type Status = "success" | "error" | "timeout";

/** A finished request, as `GET /v1/traces` has it. */
export interface TraceSummary {
  readonly request_id: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly cost_usd: number | null;
  readonly latency_ms: number;
  readonly status: Status;
  readonly created_at: string;
}

export interface TraceList {
  readonly traces: readonly TraceSummary[];
  readonly total: number;
  readonly has_more: boolean;
}

interface Attempt {
  readonly provider: string;
  readonly model: string;
  readonly status: number | null;
  readonly code: string;
  readonly latency_ms: number;
}

/** The same whole. */
export interface Trace extends TraceSummary {
  readonly input_text?: string;
  readonly output_text?: string;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  readonly source: string;
  readonly kind: string;
  readonly ttft_ms: number | null;
  readonly finish_reason: string | null;
  readonly attempts: readonly Attempt[];
  readonly routing: Routing | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: Readonly<Record<string, unknown>> | null;
}

/** @param query as the API takes it */
export const listTraces = (query: URLSearchParams, signal: AbortSignal): Promise<TraceList> =>
  call(`/v1/traces?${query}`, { signal });

export const findTrace = (requestId: string, signal: AbortSignal): Promise<Trace> =>
  call(`/v1/traces/${encodeURIComponent(requestId)}`, { signal });
