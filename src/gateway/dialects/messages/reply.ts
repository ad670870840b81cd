import { type ChatCompletion, type JsonObject, sealedIn } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";
import type { Usage } from "../../traces/trace.js";
import { extraContentOf } from "../extra-content.js";
import { stopDetails, toStop } from "./stop-reason.js";
import { toolInput, toolUseId } from "./tool-use.js";
import { messagesUsage } from "./usage.js";

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

/** The text of a message's `content`, or of a delta's: a string, or in parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((part: unknown) => (isJsonObject(part) && part.type === "text" ? part.text : ""));
  return texts.filter((text) => typeof text === "string").join("");
}

/** The reasoning of a message or delta, by either name that servers have for it. */
export function reasoningOf({ reasoning_content, reasoning }: JsonObject): string {
  if (typeof reasoning_content === "string") return reasoning_content;
  return typeof reasoning === "string" ? reasoning : "";
}

/** `thinking` and `redacted_thinking`, as Anthropic's models gave them. */
export function thinkingBlocks({ thinking_blocks }: JsonObject): readonly JsonObject[] {
  return Array.isArray(thinking_blocks) ? thinking_blocks.filter(isJsonObject) : [];
}

function thinkingOf(message: JsonObject): readonly JsonObject[] {
  const blocks = thinkingBlocks(message);
  if (blocks.length > 0) return blocks;
  const thinking = reasoningOf(message);
  const seals = sealedIn(message);
  const [first, ...others] = seals;
  return thinking === ""
    ? seals.map(redacted)
    : [{ type: "thinking", thinking, signature: first ?? "" }, ...others.map(redacted)];
}

/** Sealed reasoning without a text that could be shown. */
export const redacted = (data: string): JsonObject => ({ type: "redacted_thinking", data });

function toolUses({ tool_calls }: JsonObject, messageId: string): readonly JsonObject[] {
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isJsonObject) : [];
  const named = calls.flatMap((call) => {
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
