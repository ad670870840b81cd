import type { AdminTraceListBody } from "../../src/gateway/api/traces/trace.js";

/** Rows of the page. */
const SHOWN = 50;
const MODELS = ["gpt-5.4-mini", "claude-sonnet-4-6", "gemini-3.8-flash", "llama-3.3-70b-versatile"];
const WORDS =
  "Where is my order of last week, and why was it billed twice? Please answer in three sentences.";

type TraceSummary = AdminTraceListBody["traces"][number];

/** The newest traces at a time, in seconds since the start, when one arrives each second: of all kinds, some failed. */
export function tracesAt(second: number, startMs: number): readonly TraceSummary[] {
  return Array.from({ length: Math.min(SHOWN, second + 1) }, (_, back) => traceOf(second - back, startMs));
}

function traceOf(number: number, startMs: number): TraceSummary {
  const failed = number % 17 === 0;
  const decided = number % 11 === 0;
  return {
    request_id: `req_01KB${String(number).padStart(22, "0")}`,
    kind: decided ? "router" : number % 7 === 0 ? "embeddings" : "chat",
    status: failed ? "error" : "success",
    error_code: failed ? "upstream_rate_limited" : null,
    source: `application-${number % 13}`,
    api_key: { id: `key_${number % 29}`, name: `Application ${number % 29}` },
    model: MODELS[number % MODELS.length] ?? null,
    provider: failed ? null : "openrouter",
    tokens_in: decided ? null : 100 + (number % 4000),
    tokens_out: decided ? null : number % 900,
    cost_usd: failed || decided ? null : ((number % 997) + 1) / 100_000,
    latency_ms: 40 + ((number * 7919) % 9000),
    created_at: new Date(startMs + 1000 * number).toISOString(),
    input_start: `${number}: ${WORDS.slice(0, 20 + (number % 75))}`,
  };
}
