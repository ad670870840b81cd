import type { JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";
import { withoutExtraContent } from "../extra-content.js";

/**
 * A message as Anthropic's own API takes it: without what answers of other vendors' models left in it, which Anthropic
 * refuses. That is reasoning without a signature, and `extra_content` of calls.
 */
export function nativeMessage(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content) || !content.some((block) => isJsonObject(block) && isForeign(block)))
    return message;
  const blocks = content.filter((block) => !(isJsonObject(block) && isUnsignedThinking(block)));
  return {
    ...message,
    content: blocks.map((block: unknown) => (isJsonObject(block) ? withoutExtraContent(block) : block)),
  };
}

const isForeign = (block: JsonObject): boolean => "extra_content" in block || isUnsignedThinking(block);

const isUnsignedThinking = ({ type, signature }: JsonObject): boolean =>
  type === "thinking" && (signature ?? "") === "";
