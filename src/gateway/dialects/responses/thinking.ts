/**
 * Claude's signed thinking as the `encrypted_content` of a reasoning item, so that a client that keeps its items sends it
 * back with the next turn. The blocks are signed by their provider; here they are only packed.
 */
import { isNestedTooDeeply } from "../../../foundation/nesting.js";
import { isJsonObject, type JsonObject, parsedJson } from "../../providers/chat.js";

const PREFIX = "thinking_blocks:";

export function packedThinking(blocks: readonly JsonObject[]): string {
  return PREFIX + Buffer.from(JSON.stringify(blocks)).toString("base64");
}

/** Null for what another server encrypted. */
export function thinkingBlocksIn(content: unknown): readonly JsonObject[] | null {
  if (typeof content !== "string" || !content.startsWith(PREFIX)) return null;
  const text = Buffer.from(content.slice(PREFIX.length), "base64").toString("utf8");
  const blocks = isNestedTooDeeply(text) ? null : parsedJson(text);
  return Array.isArray(blocks) && blocks.every(isJsonObject) ? blocks : null;
}
