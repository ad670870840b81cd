import { encodeTime } from "ulid";
import { answerUsage } from "../../../src/gateway/run/usage.js";
import type { Attempt, Trace, Usage } from "../../../src/gateway/traces/trace.js";
import type { TracedMessage } from "../../../src/gateway/traces/traced-message.js";

let made = 0;

/** A request id of that time and number; without one, larger than those made before of the same time. */
export function requestIdAt(ms: number, number = ++made): string {
  return `req_${encodeTime(ms, 10)}${String(number).padStart(16, "0")}`;
}

export const NOON = Date.UTC(2026, 0, 15, 12);

export const USAGE: Usage = {
  prompt_tokens: 12,
  completion_tokens: 7,
  total_tokens: 19,
  input_cost_usd: 0.000_12,
  output_cost_usd: 0.000_28,
  cache_input_cost_usd: 0,
  total_cost_usd: 0.0004,
  latency_ms: 812.5,
  ttft_ms: 120.25,
  prompt_tokens_details: { cached_tokens: 0 },
};

/** A prompt of one user message. */
export const said = (text: string): readonly TracedMessage[] => [{ role: "user", content: text }];

/** A call that was answered, but for what is given. */
export const attemptOf = (parts: Partial<Attempt> = {}): Attempt => ({
  provider: "openai",
  model: "gpt-4o-mini",
  status: 200,
  code: "ok",
  message: null,
  latency_ms: 3,
  ...parts,
});

/** A finished chat request at noon, but for what is given. */
export function traceWith(parts: Partial<Trace> = {}): Trace {
  const createdAtMs = parts.createdAtMs ?? NOON;
  const { usage = USAGE } = parts;
  return {
    requestId: requestIdAt(createdAtMs),
    kind: "chat",
    model: "gpt-4o-mini",
    provider: "openai",
    source: "default",
    principal: "key_1",
    status: "success",
    createdAtMs,
    latencyMs: 812.5,
    ttftMs: 120.25,
    streamed: false,
    finishReason: "stop",
    usage,
    attempts: [attemptOf({ latency_ms: 800.125, ...(usage !== null && { usage: answerUsage(usage) }) })],
    routing: null,
    error: null,
    metadata: { tenant: "acme", tier: 3, beta: true },
    content: { input: said("What is 2 + 2?"), output: "4" },
    ...parts,
  };
}

/** A request that failed before anything was generated. */
export const failedTrace = (parts: Partial<Trace> = {}): Trace =>
  traceWith({
    status: "error",
    model: null,
    provider: null,
    ttftMs: null,
    finishReason: null,
    usage: null,
    attempts: [],
    error: { code: "upstream_error", message: "every attempt failed" },
    content: null,
    metadata: {},
    ...parts,
  });

/** A request that was routed among models. */
export const routedTrace = (parts: Partial<Trace> = {}): Trace =>
  traceWith({
    kind: "router",
    routing: {
      selected_model: "gpt-4o-mini",
      selected_provider: "openai",
      expected_quality: 0.83,
      expected_error: 0.17,
      expected_cost_usd: 0.000_31,
      expected_answer_tokens: 312.5,
      cost_adjusted_score: 0.79,
      cost_weight: 0.3,
      confidence: 0.71,
      reason: "cheapest within noise of the best",
      all_scores: { "gpt-4o-mini": 0.79 },
      candidates: [],
      candidates_total: 0,
      candidates_placed: 0,
      excluded: [{ model: "llama-3-8b", reason: "context_window" }],
      nearest_similarity: 0.64,
      out_of_distribution: false,
      profile_version: "v1",
      timings_ms: { embed: 0.05, search: 0.05, score: 0.01, total: 0.12 },
    },
    ...parts,
  });

/** Texts that have broken stores before: quotes, wildcards, line ends, NUL, scripts, joiners, half pairs, lengths. */
export const HOSTILE: readonly string[] = [
  "'; DROP TABLE traces; --",
  'say "yes", \\ or \\\\ or \\"',
  "%_*?[a-z]$1{}:,",
  "line\nend\r\nand\ttab",
  "nul\u0000inside",
  "\u0000",
  "𝄞 🇺🇳 👩‍👩‍👧 e\u0301 é ß ſ İ ı",
  "العربية עברית 日本語 ไทย",
  "\ufeff\u202e\u2028\u2029\u200b",
  "\ufffe\uffff",
  "",
  " ",
  "null",
  "NaN",
  "-0",
  "x".repeat(16_384),
  "y".repeat(16_385),
  "€".repeat(20_000),
];
