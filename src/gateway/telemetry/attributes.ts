/**
 * What spans say of a request, by OpenTelemetry's semantic conventions for generative AI where they have a name for it
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/). Never a prompt, an answer, a key or a provider's message.
 */
import type { Attributes } from "@opentelemetry/api";
import type { RoutingBody } from "../../engine/router/routing-body.js";
import type { Attempt, Trace, TraceKind } from "../traces/trace.js";

/** Values of `gen_ai.operation.name`. */
const OPERATIONS: Readonly<Record<TraceKind, string>> = {
  chat: "chat",
  completion: "text_completion",
  router: "chat",
  responses: "chat",
  messages: "chat",
  embeddings: "embeddings",
};

/** Providers whose names the conventions fix; others go by their id. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  xai: "x_ai",
};

export const callName = ({ kind }: Pick<Trace, "kind">, { model }: Pick<Attempt, "model">): string =>
  `${OPERATIONS[kind]} ${model}`;

/** Of an upstream call: the attempt with that index. */
export function callAttributes(trace: Trace, attemptIndex: number): Attributes {
  const { kind, requestId, finishReason, attempts, streamed } = trace;
  const attempt = attempts[attemptIndex];
  if (attempt === undefined) return {};
  const { provider, model, status, code, usage } = attempt;
  const isLast = attemptIndex === attempts.length - 1;
  return {
    "sextant.request_id": requestId,
    "gen_ai.operation.name": OPERATIONS[kind],
    "gen_ai.provider.name": PROVIDER_NAMES[provider] ?? provider,
    "gen_ai.request.model": model,
    "gen_ai.request.stream": streamed,
    ...(status !== null && { "http.response.status_code": status }),
    ...(code !== "ok" && { "error.type": code }),
    ...(code === "ok" &&
      isLast &&
      finishReason !== null && { "gen_ai.response.finish_reasons": [finishReason] }),
    ...(usage !== undefined && {
      "gen_ai.usage.input_tokens": usage.prompt_tokens,
      "gen_ai.usage.output_tokens": usage.completion_tokens,
      ...(usage.total_cost_usd !== null && { "sextant.cost_usd": usage.total_cost_usd }),
    }),
  };
}

/** Of a routing decision. */
export const decisionAttributes = (routing: RoutingBody): Attributes => ({
  "sextant.selected_model": routing.selected_model,
  "sextant.cost_weight": routing.cost_weight,
  "sextant.candidates": routing.candidates.length,
  "sextant.expected_quality": routing.expected_quality,
  ...(routing.expected_cost_usd !== null && { "sextant.expected_cost_usd": routing.expected_cost_usd }),
  "sextant.out_of_distribution": routing.out_of_distribution,
  "sextant.profile_version": routing.profile_version,
});

/** Of the whole request. */
export const outcomeAttributes = ({
  kind,
  status,
  model,
  provider,
  ttftMs,
  attempts,
}: Trace): Attributes => ({
  "sextant.kind": kind,
  "sextant.status": status,
  ...(model !== null && { "sextant.model": model }),
  ...(provider !== null && { "sextant.provider": provider }),
  ...(ttftMs !== null && { "sextant.ttft_ms": ttftMs }),
  "sextant.attempts": attempts.length,
});
