/** The `response` object around its output. */
import { type JsonObject, memberOf } from "../../providers/chat.js";
import { countOf } from "../../providers/token-usage.js";
import type { Usage } from "../../traces/trace.js";

/** What a response repeats of its request, and who gave it. */
export interface ResponseEnvelope {
  /** ULID of the request, from which the ids are made. */
  readonly ulid: string;
  readonly createdAtMs: number;
  readonly model: string;
  readonly provider: string;
  readonly requestId: string;
  /** The request's body as it came. */
  readonly request: JsonObject;
}

export interface ResponseState {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly JsonObject[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What the request said, or what holds without it. */
const ECHOED: Readonly<Record<string, unknown>> = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  service_tier: "default",
  temperature: null,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: "disabled",
  user: null,
};

export function responseBody(envelope: ResponseEnvelope, state: ResponseState): JsonObject {
  const { ulid, createdAtMs, model, provider, requestId, request } = envelope;
  const echoed = Object.entries(ECHOED).map(([field, otherwise]) => [field, request[field] ?? otherwise]);
  return {
    id: `resp_${ulid}`,
    object: "response",
    created_at: Math.floor(createdAtMs / 1000),
    status: state.status,
    background: false,
    error: state.error,
    incomplete_details: incompleteDetails(state),
    model,
    output: state.output,
    ...Object.fromEntries(echoed),
    previous_response_id: null,
    // Nothing is kept here, whatever OpenAI's default is.
    store: false,
    usage: state.usage === null ? null : responseUsage(state.usage),
    provider,
    request_id: requestId,
  };
}

function incompleteDetails({ status, finishReason }: ResponseState): JsonObject | null {
  if (status !== "incomplete") return null;
  return { reason: finishReason === "content_filter" ? "content_filter" : "max_output_tokens" };
}

/** Whether an answer that ended for this reason is whole. */
export const endStatus = (finishReason: string | null): "completed" | "incomplete" =>
  finishReason === "length" || finishReason === "content_filter" ? "incomplete" : "completed";

/** The counts by the names of Responses, and our nine figures beside them. */
export function responseUsage(usage: Usage): JsonObject {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: countIn(prompt, "cached_tokens") },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: countIn(completion, "reasoning_tokens") },
    ...usage,
  };
}

const countIn = (details: unknown, member: string): number => countOf(memberOf(details, member)) ?? 0;
