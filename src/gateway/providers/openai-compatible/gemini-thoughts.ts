import { isJsonObject, type JsonObject } from "../chat.js";

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
  #isOpen = false;

  /** Whether a message or delta has thoughts, or the tag after them. */
  in(piece: JsonObject): boolean {
    return this.#isOpen || isMarked(piece);
  }

  /** The members that replace its `content`; none where it has no thoughts. Deltas in their order. */
  separated(piece: JsonObject): JsonObject {
    const { content } = piece;
    if (!this.in(piece) || typeof content !== "string") return {};
    if (!isMarked(piece)) {
      this.#isOpen = false;
      return { content: without(END, content) };
    }
    const thought = this.#isOpen ? content : without(BEGIN, content);
    const end = thought.indexOf(END);
    this.#isOpen = end === -1;
    if (end === -1) return { content: "", reasoning_content: thought };
    return { content: thought.slice(end + END.length), reasoning_content: thought.slice(0, end) };
  }
}

function isMarked({ extra_content: extra }: JsonObject): boolean {
  return isJsonObject(extra) && isJsonObject(extra.google) && extra.google.thought === true;
}

const without = (prefix: string, text: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;
