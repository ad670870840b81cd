import { type JsonObject, memberOf } from "../chat.js";

const BEGIN = "<thought>";
const END = "</thought>";

/**
 * Separates Gemini's thoughts from the answer. Google's OpenAI-compatible API sends both as `content` when a request has
 * `include_thoughts`: thoughts are between tags, and their message or delta is marked. In streams the end tag comes first in
 * the delta after the last marked one. Texts without the mark are never searched for tags.
 *
 * Source: ai.google.dev/gemini-api/docs/openai, and recorded replies.
 */
export class GeminiThoughts {
  /** A thought has started and its end tag has not come. */
  isOpen = false;

  /** The members that replace the `content` of a message or delta; null where it has no thoughts. Deltas in their order. */
  separated(piece: JsonObject): JsonObject | null {
    const { content } = piece;
    const isThought = isMarked(piece);
    if (typeof content !== "string" || !(isThought || this.isOpen)) return null;
    const text = this.isOpen ? content : without(BEGIN, content);
    this.isOpen = isThought && !text.includes(END);
    if (!isThought) return { content: without(END, text) };
    const [thought = "", ...answer] = text.split(END);
    return { content: answer.join(END), reasoning_content: thought };
  }
}

const isMarked = ({ extra_content: extra }: JsonObject): boolean =>
  memberOf(memberOf(extra, "google"), "thought") === true;

const without = (prefix: string, text: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;
