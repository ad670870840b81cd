import type { JsonObject } from "../providers/chat.js";
import type { ConversationMessage } from "../router/routing-text.js";

/** A request's messages in the form that routing and estimates read: a missing `content` is null. */
export function conversationOf(messages: readonly JsonObject[]): readonly ConversationMessage[] {
  return messages.map(
    ({ role, content }) => ({ role, content: content ?? null }) as unknown as ConversationMessage,
  );
}

/**
 * What a trace shows of a request: a single user message as its text, else one `role: text` for each message. What is not
 * text is named, `[image]`, and calls of tools are written out.
 */
export function conversationText(messages: readonly JsonObject[]): string {
  const [first] = messages;
  if (messages.length === 1 && first?.role === "user") return textOf(first);
  return messages.map((message) => `${String(message.role)}: ${textOf(message)}`).join("\n");
}

/** Everything of a message that a model reads as text, a piece a line. */
export function textOf({ content, tool_calls: toolCalls }: JsonObject): string {
  return [...contentPieces(content), ...toolCallPieces(toolCalls)].join("\n");
}

function contentPieces(content: unknown): readonly string[] {
  if (typeof content === "string") return content === "" ? [] : [content];
  return Array.isArray(content) ? content.map(partText) : [];
}

function partText(part: JsonObject): string {
  if (typeof part.text === "string") return part.text;
  const type = String(part.type);
  return type.startsWith("image") ? "[image]" : `[${type}]`;
}

function toolCallPieces(toolCalls: unknown): readonly string[] {
  if (!Array.isArray(toolCalls)) return [];
  return toolCalls.map(({ function: called }: JsonObject) => {
    const { name, arguments: given } = (called ?? {}) as JsonObject;
    return toolCallText(String(name ?? ""), String(given ?? ""));
  });
}

/** A call of a tool in the text of a trace. */
export const toolCallText = (name: string, given: string): string => `[tool_call] ${name}(${given})`;
