/**
 * What spans say of a request, by OpenTelemetry's semantic conventions for generative AI where they have a name for it
 * (https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/client-inference.md, read 2026-11-26). Never a key or a provider's message; a prompt
 * and its answer only on demand.
 */
import type { Attributes } from "@opentelemetry/api";
import { KNOWN_EFFORTS } from "../../engine/index.js";
import type { RoutingBody } from "../../engine/router/routing-body.js";
import { type Attempt, type Trace, type TraceContent, type TraceKind, usageDetail } from "../traces/trace.js";
import type { TracedMessage } from "../traces/traced-message.js";

/** Values of `gen_ai.operation.name`. */
const OPERATIONS: Readonly<Record<TraceKind, string>> = {
  chat: "chat",
  completion: "text_completion",
  router: "chat",
  responses: "chat",
  messages: "chat",
  embeddings: "embeddings",
  comparison: "chat",
};

/** Providers whose names the conventions fix; others go by their id. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  "azure-anthropic": "azure.ai.inference",
  "bedrock-anthropic": "aws.bedrock",
  "bedrock-openai": "aws.bedrock",
  google: "gcp.gemini",
  "vertex-anthropic": "gcp.vertex_ai",
  "vertex-openai": "gcp.vertex_ai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

export const callName = ({ kind }: Pick<Trace, "kind">, { model }: Pick<Attempt, "model">): string =>
  `${OPERATIONS[kind]} ${model}`;

export interface CallOptions {
  /** What the client calls the conversation. */
  readonly conversation: string | number | boolean | undefined;
  /** Whether prompts and answers are sent, where traces have them. */
  readonly withContent: boolean;
}

/** Of an upstream call: the attempt with that index. */
export function callAttributes(
  trace: Trace,
  attemptIndex: number,
  { conversation, withContent }: CallOptions,
): Attributes {
  const { kind, requestId, finishReason, attempts, streamed } = trace;
  const attempt = attempts[attemptIndex];
  if (attempt === undefined) return {};
  const { provider, model, status, code, usage } = attempt;
  const answered = code === "ok" && attemptIndex === attempts.length - 1;
  const effort =
    KNOWN_EFFORTS.find((level) => model.endsWith(`:${level}`)) ?? (answered ? trace.effort : undefined);
  return {
    "sextant.request_id": requestId,
    "gen_ai.operation.name": OPERATIONS[kind],
    "gen_ai.provider.name": PROVIDER_NAMES[provider] ?? provider,
    "gen_ai.request.model": model,
    "gen_ai.request.stream": streamed,
    ...(status !== null && { "http.response.status_code": status }),
    ...(code !== "ok" && { "error.type": code }),
    ...(effort !== undefined && { "gen_ai.request.reasoning.level": effort }),
    ...(conversation !== undefined && { "gen_ai.conversation.id": String(conversation) }),
    ...(answered && finishReason !== null && { "gen_ai.response.finish_reasons": [finishReason] }),
    ...(usage !== undefined && {
      "gen_ai.usage.input_tokens": usage.prompt_tokens,
      "gen_ai.usage.output_tokens": usage.completion_tokens,
      ...(answered && detailAttributes(trace.usage)),
      // Langfuse reads the first: https://langfuse.com/integrations/native/opentelemetry, read 2026-11-26.
      ...(usage.total_cost_usd !== null && {
        "gen_ai.usage.cost": usage.total_cost_usd,
        "sextant.cost_usd": usage.total_cost_usd,
      }),
    }),
    ...(answered && withContent && trace.content !== null && contentAttributes(trace.content, finishReason)),
  };
}

/** Parts of the prompt's and of the answer's tokens, where the provider told them apart. */
function detailAttributes(usage: Trace["usage"]): Attributes {
  const count = (part: Parameters<typeof usageDetail>[1], name: string): number | undefined =>
    (usage && usageDetail(usage, part, name)) || undefined;
  return {
    "gen_ai.usage.cache_read.input_tokens": count("prompt_tokens_details", "cached_tokens"),
    // The conventions called it cache_creation until version 1.41, and backends go on reading that.
    "gen_ai.usage.cache_write.input_tokens": count("prompt_tokens_details", "cache_write_tokens"),
    "gen_ai.usage.cache_creation.input_tokens": count("prompt_tokens_details", "cache_write_tokens"),
    "gen_ai.usage.reasoning.output_tokens": count("completion_tokens_details", "reasoning_tokens"),
  };
}

/** Messages in the form of the conventions, as JSON: attributes are no trees. */
function contentAttributes(
  { input, output, reasoning }: TraceContent,
  finishReason: string | null,
): Attributes {
  const text = (content: string) => ({ type: "text", content });
  const parts = [
    ...(reasoning === undefined ? [] : [{ type: "reasoning", content: reasoning }]),
    text(output),
  ];
  return {
    "gen_ai.input.messages": JSON.stringify(input.map(messageOf)),
    "gen_ai.output.messages": JSON.stringify([
      { role: "assistant", parts, finish_reason: finishReason ?? "unknown" },
    ]),
  };
}

function messageOf({ role, content, tool_calls, tool_call_id }: TracedMessage) {
  const texts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const parts = texts.map((part) => ("text" in part ? { type: "text", content: part.text } : part));
  const calls = (tool_calls ?? []).map(({ id, function: called, custom }) => ({
    type: "tool_call",
    id,
    name: called?.name ?? custom?.name ?? "",
    arguments: called?.arguments ?? custom?.input,
  }));
  const response = texts.flatMap((part) => ("text" in part ? part.text : [])).join("\n");
  return tool_call_id === undefined
    ? { role, parts: [...parts, ...calls] }
    : { role, parts: [{ type: "tool_call_response", id: tool_call_id, response }] };
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
