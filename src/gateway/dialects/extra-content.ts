import { isJsonObject, type JsonObject } from "../providers/chat.js";

/**
 * `extra_content` of a tool call, as a member to add to its counterpart: Google's OpenAI-compatible API has Gemini's thought
 * signature in it, and Gemini refuses a call that comes back without. Clients that send their blocks or items back as they
 * came send it along.
 */
export const extraContentOf = ({ extra_content }: JsonObject): JsonObject =>
  isJsonObject(extra_content) ? { extra_content } : {};

/** The block or item without it, as the API of its own vendor takes it. */
export function withoutExtraContent(value: unknown): unknown {
  if (!isJsonObject(value) || !("extra_content" in value)) return value;
  const { extra_content: _googles, ...rest } = value;
  return rest;
}
