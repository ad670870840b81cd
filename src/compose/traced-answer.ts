import { createHash } from "node:crypto";
import { routingText } from "../engine/router/routing-text.js";
import { NOT_CALLED } from "../gateway/traces/trace.js";
import { promptText, withoutReasoning } from "../gateway/traces/trace-messages.js";
import type { TracedMessage } from "../gateway/traces/traced-message.js";
import type { UsableAnswer } from "../workbench/traffic/outcomes-from-traces.js";

/** What is read of a trace. */
export interface FinishedTrace {
  readonly request_id: string;
  readonly kind: string;
  readonly status: string;
  readonly model: string | null;
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly cost_usd: number | null;
  readonly latency_ms: number;
  readonly ttft_ms?: number | null | undefined;
  readonly finish_reason: string | null;
  readonly messages?: readonly TracedMessage[] | undefined;
  readonly output_text?: string | undefined;
  readonly attempts: readonly unknown[];
  readonly feedback: { readonly score: number } | null;
  readonly routing: {
    readonly selected_model: string;
    readonly expected_cost_usd?: number | null | undefined;
    readonly exploration?: { readonly explored: boolean; readonly probability: number } | undefined;
  } | null;
}

/** Why nothing can be learned from a trace. */
export type UnusableTrace = "failed" | "text";

/** Whether it is a call of the model that its provider failed: neither refused, nor asked to come back later. */
function isFailureOf(model: string, attempt: unknown): boolean {
  const { model: called, status, code } = attempt as { model?: unknown; status?: unknown; code?: unknown };
  if (called !== model || typeof code !== "string" || NO_FAULT.has(code)) return false;
  return status === null || (typeof status === "number" && status >= 500);
}

/** Codes of attempts without a reply that are no fault of the provider. */
const NO_FAULT: ReadonlySet<string> = new Set([
  ...["ok", "overloaded", "client_disconnected"],
  ...NOT_CALLED,
]);

/** @returns the reason for a trace without an answer, or without its texts */
export function usableAnswer(trace: FinishedTrace): UsableAnswer | UnusableTrace {
  const { model, status, kind, messages: input = [], output_text: output = "", routing } = trace;
  // A decision that was not executed has no attempts.
  const isAnswered = status === "success" && kind !== "embeddings" && trace.attempts.length > 0;
  if (!isAnswered || model === null) return "failed";
  // What a judge said is no answer to learn from; a graded answer that was compared is.
  if (kind === "comparison" && trace.feedback === null) return "failed";
  // A provider's filter says nothing of the model.
  if (trace.finish_reason === "content_filter") return "failed";
  const prompt = routingText(input);
  if (prompt.trim() === "") return "text";
  const isChosen = routing?.selected_model === model;
  return {
    requestId: trace.request_id,
    promptId: createHash("sha256").update(prompt).digest("hex").slice(0, 32),
    prompt,
    input: promptText(input),
    answer: withoutReasoning(output),
    model,
    feedback: trace.feedback?.score ?? null,
    tokensIn: trace.tokens_in,
    tokensOut: trace.tokens_out,
    costUsd: trace.attempts.length > 1 ? null : trace.cost_usd,
    latencyMs: trace.latency_ms,
    ttftMs: trace.ttft_ms ?? null,
    failures: trace.attempts.filter((attempt) => isFailureOf(model, attempt)).length,
    probability: isChosen ? (routing.exploration?.probability ?? 1) : null,
    explored: isChosen && routing.exploration?.explored === true,
    // Alone where another model might have been drawn, the probability of the choice is below 1.
    explorable: (routing?.exploration?.probability ?? 1) < 1,
    expectedUsd: isChosen ? (routing.expected_cost_usd ?? null) : null,
  };
}
