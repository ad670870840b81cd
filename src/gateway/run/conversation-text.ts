import type { ConversationMessage } from "../../engine/router/routing-text.js";
import { isJsonObject, type JsonObject, objectsIn } from "../providers/chat.js";

/** A request's messages for routing and estimates: a missing `content` is null. */
export function conversationOf(messages: readonly JsonObject[]): readonly ConversationMessage[] {
  return messages.map(
    ({ role, content }) => ({ role, content: content ?? null }) as unknown as ConversationMessage,
  );
}

/**
 * All text of a message that a model reads, one item per line. Other content has a label such as `[image]`. Never throws: malformed
 * fields are ignored.
 */
export function textWithCalls({ content, tool_calls: toolCalls }: JsonObject): string {
  const calls = objectsIn(toolCalls).map(calledFunction);
  return [...textPieces(content), ...calls.map(({ name, given }) => toolCallText(name, given))].join("\n");
}

/** The text of each part of a content. */
export function textPieces(content: unknown): readonly string[] {
  if (typeof content === "string") return content === "" ? [] : [content];
  return objectsIn(content).map(partText);
}

function partText({ text, type }: JsonObject): string {
  if (typeof text === "string") return text;
  return word(type).startsWith("image") ? "[image]" : `[${word(type)}]`;
}

/** The function or custom tool of a call, or of a delta of one; missing members are empty. */
export function calledFunction(call: JsonObject): { readonly name: string; readonly given: string } {
  if (isJsonObject(call.custom)) return { name: word(call.custom.name), given: word(call.custom.input) };
  if (!isJsonObject(call.function)) return { name: "", given: "" };
  return { name: word(call.function.name), given: word(call.function.arguments) };
}

/** A tool call in the text of a trace. */
export const toolCallText = (name: string, given: string): string => `[tool_call] ${name}(${given})`;

const word = (value: unknown): string => (typeof value === "string" ? value : "");
