import { isSealed, type JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";
import { withoutExtraContent } from "../extra-content.js";
import { sealOf } from "./conversation.js";

/**
 * A message as Anthropic's own API takes it: without what answers of other vendors' models left in it, which Anthropic
 * refuses. That is reasoning without a signature or sealed by another provider, and `extra_content` of calls.
 */
export function nativeMessage(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content) || !content.some((block) => isJsonObject(block) && isForeign(block)))
    return message;
  const blocks = content.filter((block) => !(isJsonObject(block) && isForeignThinking(block)));
  return {
    ...message,
    content: blocks.map((block: unknown) => (isJsonObject(block) ? withoutExtraContent(block) : block)),
  };
}

const isForeign = (block: JsonObject): boolean => "extra_content" in block || isForeignThinking(block);

const isForeignThinking = (block: JsonObject): boolean =>
  isSealed(sealOf(block)) || (block.type === "thinking" && (block.signature ?? "") === "");
