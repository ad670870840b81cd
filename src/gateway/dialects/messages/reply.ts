import {
  type ChatCompletion,
  isJsonObject,
  type JsonObject,
  memberOf,
  objectsIn,
  sealedIn,
  textOf,
} from "../../providers/chat.js";
import { countOf } from "../../providers/token-usage.js";
import type { Usage } from "../../traces/trace.js";
import { extraContentOf } from "../extra-content.js";
import { toolInput, toolUseId } from "./stream-block.js";

export interface MessageFacts {
  /** `msg_…`. */
  readonly id: string;
  readonly model: string;
  readonly usage: Usage;
}

/**
 * A `chat.completion` as Anthropic's `message`: its first choice. Pure.
 *
 * Thinking comes first, then text, then calls of tools. Reasoning that no `thinking_blocks` hold is a block without a
 * signature, unless its provider sealed it. Text of white space alone is left out, because Anthropic's API would not take it back. A refusal is the text
 * where there is no other, and the explanation of `stop_details`.
 */
export function messageFromChat(completion: ChatCompletion, { id, model, usage }: MessageFacts): JsonObject {
  const [choice] = completion.choices;
  const message: JsonObject = choice?.message ?? {};
  const uses = toolUses(message, id);
  const text = textOf(message.content);
  const refusal = typeof message.refusal === "string" ? message.refusal : "";
  const stop = toStop(choice ?? {}, { called: uses.length > 0, refused: refusal !== "" });
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [
      ...thinkingOf(message),
      ...textBlocks(text),
      ...uses,
      ...(text.trim() === "" ? textBlocks(refusal) : []),
    ],
    ...stop,
    stop_details: stopDetails(stop, refusal),
    usage: messagesUsage(usage),
  };
}

const textBlocks = (text: string): JsonObject[] => (text.trim() === "" ? [] : [{ type: "text", text }]);

function thinkingOf(message: JsonObject): readonly JsonObject[] {
  // `thinking` and `redacted_thinking`, as Anthropic's models gave them.
  const blocks = objectsIn(message.thinking_blocks);
  if (blocks.length > 0) return blocks;
  const thinking = textOf(message.reasoning_content);
  const seals = sealedIn(message);
  const [first, ...others] = seals;
  return thinking === ""
    ? seals.map(redacted)
    : [{ type: "thinking", thinking, signature: first ?? "" }, ...others.map(redacted)];
}

/** Sealed reasoning without a text that could be shown. */
export const redacted = (data: string): JsonObject => ({ type: "redacted_thinking", data });

function toolUses({ tool_calls }: JsonObject, messageId: string): readonly JsonObject[] {
  const named = objectsIn(tool_calls).flatMap((call) => {
    const called = isJsonObject(call.function) ? call.function : {};
    return typeof called.name === "string" && called.name !== "" ? [{ call, called }] : [];
  });
  return named.map(({ call, called }, place) => ({
    type: "tool_use",
    id: toolUseId(call.id, { messageId, place }),
    name: called.name,
    input: toolInput(called.arguments),
    ...extraContentOf(call),
  }));
}

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
  const because = (reason: string, stop_sequence: string | null = null): Stop => ({
    stop_reason: reason,
    stop_sequence,
  });
  if (ANTHROPIC_REASONS.has(stop_reason)) return because(String(stop_reason));
  if (refused || finish_reason === "content_filter") return because("refusal");
  if (finish_reason === "length") return because("max_tokens");
  if (called) return because("tool_use");
  const isSequence = typeof stop_reason === "string" && stop_reason !== "" && stop_reason !== ANTHROPIC_CALL;
  return isSequence ? because("stop_sequence", stop_reason) : because("end_turn");
}

/** The words of a refusal where Anthropic has them: `stop_details`, null for other endings. */
export function stopDetails({ stop_reason }: Stop, explanation: string): JsonObject | null {
  if (stop_reason !== "refusal") return null;
  return { type: "refusal", category: null, explanation: explanation === "" ? null : explanation };
}

/**
 * Anthropic's counts, followed by ours. `input_tokens` leave out what was read from a prompt cache or written to one,
 * `prompt_tokens` include both.
 */
export function messagesUsage(usage: Usage): JsonObject {
  const { prompt_tokens_details: details } = usage;
  const partOf = (name: string, detail: string): number =>
    countOf(usage[name]) ?? countOf(memberOf(details, detail)) ?? 0;
  const read = partOf("cache_read_input_tokens", "cached_tokens");
  const written = partOf("cache_creation_input_tokens", "cache_write_tokens");
  const counts = {
    input_tokens: Math.max(0, usage.prompt_tokens - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage.completion_tokens,
  };
  return { ...counts, ...usage, ...counts };
}

/** What a stream begins with, before anything was counted. */
export const NO_USAGE: JsonObject = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};
