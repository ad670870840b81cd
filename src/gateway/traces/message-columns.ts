/**
 * The messages of a trace as stores keep them: each text once, in a column of texts that is searched, and the rest as JSON in which a
 * text is replaced by its length. `q` looks into plain texts so, and never into quotes, escapes and names of members.
 */
import type { TracedMessage } from "./traced-message.js";

export interface MessageColumns {
  /** Text of the last user message: of its parts, one after the other with a line end between. */
  readonly input_text: string;
  /** All other texts in the order of the messages, with a line end between; null when there are none. */
  readonly context_text: string | null;
  /**
   * The messages with the length of each text, in Unicode characters, in its place. A last user message whose content is one text has no `content`: it
   * is `input_text`. Names of functions and files are here and in `context_text`.
   */
  readonly messages: readonly unknown[];
}

/** Members whose strings are texts. */
const TEXTS: ReadonlySet<string> = new Set(["content", "text", "arguments", "input", "refusal", "reasoning"]);
const NAMES: ReadonlySet<string> = new Set(["name", "filename"]);

/** What `messagesIn` reads. */
export function messageColumns(messages: readonly TracedMessage[]): MessageColumns {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const asked: string[] = [];
  const context: string[] = [];
  const kept = messages.map((message, at) => {
    if (at !== last) return shortened(message, "", { asked: context, context });
    if (typeof message.content !== "string") return shortened(message, "", { asked, context });
    asked.push(message.content);
    const { content: _, ...others } = message;
    return shortened(others, "", { asked, context });
  });
  return {
    input_text: asked.join("\n"),
    context_text: context.length === 0 ? null : context.join("\n"),
    messages: kept,
  };
}

interface Texts {
  /** Where what a message says goes. */
  readonly asked: string[];
  readonly context: string[];
}

function shortened(value: unknown, name: string, texts: Texts): unknown {
  if (typeof value === "string") {
    if (NAMES.has(name)) texts.context.push(value);
    if (!TEXTS.has(name)) return value;
    (name === "content" || name === "text" ? texts.asked : texts.context).push(value);
    return charactersOf(value);
  }
  if (Array.isArray(value)) return value.map((member) => shortened(member, name, texts));
  if (typeof value !== "object" || value === null) return value;
  // `Object.entries` and `fromEntries` take 5 µs more for a trace of eight messages, in the thread that serves requests.
  const kept: Record<string, unknown> = {};
  for (const member in value) kept[member] = shortened((value as typeof kept)[member], member, texts);
  return kept;
}

/** What `messageColumns` was given. */
export function messagesIn({ input_text, context_text, messages }: MessageColumns): TracedMessage[] {
  const context = new TextReader(context_text ?? "");
  const asked = new TextReader(input_text);
  const read = messages as readonly TracedMessage[];
  const last = read.findLastIndex(({ role }) => role === "user");
  return read.map((message, at) => {
    if (at !== last) return restored(message, "", { asked: context, context }) as TracedMessage;
    const whole = message.content === undefined ? { role: message.role, content: input_text } : {};
    return { ...whole, ...(restored(message, "", { asked, context }) as TracedMessage) };
  });
}

interface TextReaders {
  readonly asked: TextReader;
  readonly context: TextReader;
}

function restored(value: unknown, name: string, readers: TextReaders): unknown {
  if (typeof value === "string") {
    if (NAMES.has(name)) readers.context.take(charactersOf(value));
    return value;
  }
  if (typeof value === "number" && TEXTS.has(name))
    return (name === "content" || name === "text" ? readers.asked : readers.context).take(value);
  if (Array.isArray(value)) return value.map((member) => restored(member, name, readers));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, restored(inner, member, readers)]),
  );
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

const charactersOf = (text: string): number => text.length - (text.match(PAIR)?.length ?? 0);

/** Takes texts with a line end between off a long one. */
class TextReader {
  readonly #text: string;
  readonly #hasPairs: boolean;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#hasPairs = charactersOf(text) < text.length;
  }

  take(characters: number): string {
    const from = this.#at;
    const end = this.#hasPairs ? this.#endOf(characters) : from + characters;
    this.#at = end + 1;
    return this.#text.slice(from, end);
  }

  #endOf(characters: number): number {
    let at = this.#at;
    for (let left = characters; left > 0; left--) at += (this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    return at;
  }
}
