/**
 * Compaction on models of vendors other than OpenAI: a summary that the model writes, as the `encrypted_content` of a `compaction` item,
 * so that the next request has it instead of what it sums up. It is packed, not encrypted: any model can go on from it.
 */
import { isJsonObject, type JsonObject, memberOf } from "../../providers/chat.js";

const PREFIX = "conversation_summary:";

/**
 * Ends the input of a request for compaction: "Compacts the current context. Must be the final input item."
 * (https://docs.rs/openai-client-base, 0.13.0, of OpenAI's OpenAPI document, 2026-11-29). Codex 0.171.0 sends it where its provider is
 * named "OpenAI", and wants exactly one item of type `compaction` (tried on 2026-11-29).
 */
export const COMPACTION_TRIGGER = "compaction_trigger";

export const isCompaction = ({ input }: JsonObject): boolean =>
  Array.isArray(input) && memberOf(input.at(-1), "type") === COMPACTION_TRIGGER;

/** What the model is asked for in the place of its next answer. */
export const SUMMARY_REQUEST =
  "Stop here and summarise this conversation for yourself: only your summary and my own messages will be kept. Write down, briefly and " +
  "without calling a tool: what I want, and every instruction and preference of mine that still holds; what was done and found, with " +
  "the names of files, commands, identifiers and values that are still needed, exactly; decisions and their reasons; what failed; what is " +
  "left to do, and what to do next.";

export const packedSummary = (text: string): string => PREFIX + Buffer.from(text).toString("base64");

/** What a `compaction` item says to a model; null for what another server encrypted. */
export function summaryIn({ encrypted_content: content }: JsonObject): string | null {
  if (typeof content !== "string" || !content.startsWith(PREFIX)) return null;
  const text = Buffer.from(content.slice(PREFIX.length), "base64").toString("utf8");
  return `This is your summary of our conversation before this point:\n\n${text}`;
}

/** A request as OpenAI's own API takes it: with the text of summaries that were made here. */
export function withSummaries(input: readonly unknown[]): readonly unknown[] {
  return input.map((item) => {
    const text = isJsonObject(item) && item.type === "compaction" ? summaryIn(item) : null;
    return text === null ? item : { type: "message", role: "user", content: [{ type: "input_text", text }] };
  });
}
