import type { TraceList, TraceStats, TraceSummary } from "../../traces/store.js";
import type { Trace } from "../../traces/trace.js";

/** A trace as lists show it, API §3. */
export interface TraceSummaryBody {
  readonly request_id: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly cost_usd: number | null;
  readonly latency_ms: number;
  readonly status: Trace["status"];
  /** ISO 8601, UTC. */
  readonly created_at: string;
}

/** One trace whole, API §3. */
export interface TraceBody extends TraceSummaryBody {
  /** Absent, as `output_text`, when the content was not stored. */
  readonly input_text?: string;
  readonly output_text?: string;
  readonly metadata: Trace["metadata"];
  readonly source: string;
  readonly kind: Trace["kind"];
  readonly ttft_ms: number | null;
  readonly finish_reason: string | null;
  readonly attempts: Trace["attempts"];
  readonly routing: Trace["routing"];
  readonly error: Trace["error"];
  readonly usage: Trace["usage"];
}

export interface TraceListBody {
  readonly traces: readonly TraceSummaryBody[];
  readonly total: number;
  readonly has_more: boolean;
}

/** Figures of a group of traces. */
export interface TraceStatsBody {
  readonly group: TraceStats["group"];
  readonly requests: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_usd: number;
  readonly requests_without_cost: number;
  readonly latency_ms: TraceStats["latencyMs"];
  readonly ttft_ms: TraceStats["ttftMs"];
}

export const traceListBody = ({ traces, total, hasMore }: TraceList): TraceListBody => ({
  traces: traces.map(summaryBody),
  total,
  has_more: hasMore,
});

export function traceBody(trace: Trace): TraceBody {
  const { content, usage } = trace;
  const summary = summaryBody({
    ...trace,
    tokensIn: usage?.prompt_tokens ?? null,
    tokensOut: usage?.completion_tokens ?? null,
    costUsd: usage?.total_cost_usd ?? null,
  });
  return {
    ...summary,
    ...(content === null ? {} : { input_text: content.input, output_text: content.output }),
    metadata: trace.metadata,
    source: trace.source,
    kind: trace.kind,
    ttft_ms: trace.ttftMs,
    finish_reason: trace.finishReason,
    attempts: trace.attempts,
    routing: trace.routing,
    error: trace.error,
    usage,
  };
}

export const statsBody = (stats: TraceStats): TraceStatsBody => ({
  group: stats.group,
  requests: stats.requests,
  errors: stats.errors,
  timeouts: stats.timeouts,
  tokens_in: stats.tokensIn,
  tokens_out: stats.tokensOut,
  cost_usd: stats.costUsd,
  requests_without_cost: stats.withoutCost,
  latency_ms: stats.latencyMs,
  ttft_ms: stats.ttftMs,
});

const summaryBody = (summary: TraceSummary): TraceSummaryBody => ({
  request_id: summary.requestId,
  model: summary.model,
  provider: summary.provider,
  tokens_in: summary.tokensIn,
  tokens_out: summary.tokensOut,
  cost_usd: summary.costUsd,
  latency_ms: summary.latencyMs,
  status: summary.status,
  created_at: new Date(summary.createdAtMs).toISOString(),
});
