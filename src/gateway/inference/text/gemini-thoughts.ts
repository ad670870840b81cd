import type { JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";

const BEGIN = "<thought>";
const END = "</thought>";

/** The two kinds of text in a piece of `content`; either may be empty. */
export interface SeparatedText {
  readonly answer: string;
  readonly reasoning: string;
}

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

  /** @param piece the message or delta with that content; deltas in their order */
  separate(content: string, piece: JsonObject): SeparatedText {
    if (isMarked(piece)) return this.#separateMarked(content);
    if (!this.#isOpen) return { answer: content, reasoning: "" };
    this.#isOpen = false;
    return { answer: without(END, content), reasoning: "" };
  }

  #separateMarked(content: string): SeparatedText {
    const thought = this.#isOpen ? content : without(BEGIN, content);
    const end = thought.indexOf(END);
    this.#isOpen = end === -1;
    if (end === -1) return { answer: "", reasoning: thought };
    return { answer: thought.slice(end + END.length), reasoning: thought.slice(0, end) };
  }
}

function isMarked({ extra_content: extra }: JsonObject): boolean {
  return isJsonObject(extra) && isJsonObject(extra.google) && extra.google.thought === true;
}

const without = (prefix: string, text: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;
