import type { JsonObject } from "../../providers/chat.js";
import type { StreamEvent } from "../../providers/provider.js";

/**
 * Whether an event has content for the client, after which there is no fallback: text, a refusal, reasoning, a tool
 * call, audio, or a finish reason; not a role alone, empty text or usage. A run in the background has begun with its first event.
 */
export function hasContent({ chunk, run }: StreamEvent): boolean {
  if (run !== undefined) return true;
  if (chunk === null) return false;
  for (const { finish_reason: finishReason, delta } of chunk.choices) {
    if (typeof finishReason === "string" || saysSomething(delta)) return true;
  }
  return false;
}

/** Any member but the role counts, so that new kinds of content need no change here. */
function saysSomething(delta: JsonObject): boolean {
  for (const member in delta) {
    if (member === "role") continue;
    const value = delta[member];
    if (value === null || value === undefined || value === "") continue;
    if (Array.isArray(value) && value.length === 0) continue;
    return true;
  }
  return false;
}
