import type { Metadata } from "./completions.js";
import type { Attempt, Routing } from "./routing.js";
import type { Usage } from "./usage.js";

export type TraceStatus = "success" | "error" | "timeout";
export type TraceKind = "chat" | "completion" | "router";

/** One finished request, as lists show it. */
export interface TraceSummary {
  request_id: string;
  /** Model that answered or was tried last; null when none was. */
  model: string | null;
  provider: string | null;
  /** Null when nothing was generated. */
  tokens_in: number | null;
  tokens_out: number | null;
  /** Null where no price is known. */
  cost_usd: number | null;
  latency_ms: number;
  status: TraceStatus;
  /** Arrival of the request: ISO 8601, UTC. */
  created_at: string;
}

/** All that is kept of one request. */
export interface Trace extends TraceSummary {
  /** Absent, like `output_text`, when contents are not stored. */
  input_text?: string | undefined;
  output_text?: string | undefined;
  metadata: Metadata;
  source: string;
  kind: TraceKind;
  /** To the first content; null when there was none. */
  ttft_ms: number | null;
  finish_reason: string | null;
  attempts: readonly Attempt[];
  routing: Routing | null;
  error: { code: string; message: string } | null;
  usage: Usage | null;
}

/** Which traces are meant; all conditions must hold. */
export interface TraceQuery {
  /** Traces a page, 1–1000 (100). */
  limit?: number | undefined;
  offset?: number | undefined;
  /** Inclusive; ISO 8601, UTC when it names no zone. */
  start_date?: string | undefined;
  /** Exclusive. */
  end_date?: string | undefined;
  source?: string | undefined;
  model_id?: string | undefined;
  provider?: string | undefined;
  status?: TraceStatus | undefined;
  kind?: TraceKind | undefined;
  /** A part of the prompt or of the answer. */
  q?: string | undefined;
  metadata?: Metadata | undefined;
}
