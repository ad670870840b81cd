import type { JsonObject } from "../../providers/chat.js";

/** What Anthropic's API says of why an answer ended. */
export interface Stop {
  readonly stop_reason: string;
  /** The sequence that ended it, where the provider tells; null also when it does not. */
  readonly stop_sequence: string | null;
}

/** Reasons that a provider of Anthropic's dialect gave, to be repeated as they came. `tool_use` shows in the calls. */
const ANTHROPIC_REASONS: ReadonlySet<unknown> = new Set([
  ...["end_turn", "max_tokens", "stop_sequence", "pause_turn", "refusal", "model_context_window_exceeded"],
]);

/** `stop_reason` of a choice of OpenAI's that is Anthropic's `tool_use`: with a tool for the answer, the call is not there. */
const ANTHROPIC_CALL = "tool_use";

/**
 * Why a choice ended, in Anthropic's words. Some servers say `stop` where they call a tool, so calls count more than that
 * word; vLLM gives the sequence that ended an answer as `stop_reason` of the choice.
 */
export function toStop(
  { finish_reason, stop_reason }: JsonObject,
  { called, refused }: { readonly called: boolean; readonly refused: boolean },
): Stop {
  if (ANTHROPIC_REASONS.has(stop_reason)) return { stop_reason: String(stop_reason), stop_sequence: null };
  if (refused || finish_reason === "content_filter") return { stop_reason: "refusal", stop_sequence: null };
  if (finish_reason === "length") return { stop_reason: "max_tokens", stop_sequence: null };
  if (called) return { stop_reason: "tool_use", stop_sequence: null };
  if (typeof stop_reason === "string" && stop_reason !== "" && stop_reason !== ANTHROPIC_CALL)
    return { stop_reason: "stop_sequence", stop_sequence: stop_reason };
  return { stop_reason: "end_turn", stop_sequence: null };
}

/** The words of a refusal where Anthropic has them: `stop_details`, null for other endings. */
export function stopDetails({ stop_reason }: Stop, explanation: string): JsonObject | null {
  if (stop_reason !== "refusal") return null;
  return { type: "refusal", category: null, explanation: explanation === "" ? null : explanation };
}
