import { type OwnText, ownText } from "./own-text.js";

/** The parts of a chat message that routing reads, in OpenAI's format, with content as text or parts. */
export interface ConversationMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content: string | readonly MessagePart[] | null;
}

export type MessagePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: string; readonly [field: string]: unknown };

/**
 * A last user message of at least this weight is used alone. Letters and digits count 1, characters of scripts that
 * write a word in one or two characters count 4 (guess: about five English words, or a short Chinese clause).
 */
const TELLING_WEIGHT = 24;
/** Maximum of earlier user turns that are added when the last one is too short. */
const EARLIER_TURNS = 3;

/**
 * The text by which a conversation is routed.
 *
 * It is the last user message. When that is too short to be informative ("why?", "and in Rust?", "yes please"), up to
 * three earlier user messages are put before it, nearest first until the weight suffices, in their original order.
 * Answers, system prompts and what agents add (`ownText`) are omitted: they describe how to answer rather than the question, and
 * would outweigh a short one. Without any user text, the last message with text is used; without any text, the empty string.
 */
export function routingText(messages: readonly ConversationMessage[]): string {
  const turns: string[] = [];
  for (const asked of newestFirst(messages)) {
    turns.unshift(asked);
    if (turns.length > EARLIER_TURNS || isTelling(turns.join(" "))) break;
  }
  if (turns.length === 0) return messages.map(messageText).findLast(saysSomething) ?? "";
  return turns.join("\n");
}

/** Aider's word after its examples, which come as a conversation: github.com/Aider-AI/aider, aider/coders/base_coder.py. */
const EXAMPLES_END = /^I switched to a new code base\./;
const endsExamples = ({ role, content }: ConversationMessage): boolean =>
  role === "user" && typeof content === "string" && EXAMPLES_END.test(content);

/** What the user wrote, by message. Between two answers, what may be an agent's counts only where nothing else was written. */
function* newestFirst(messages: readonly ConversationMessage[]): Generator<string> {
  const first = messages.findLastIndex(endsExamples) + 1;
  let turn: OwnText[] = [];
  for (let at = messages.length - 1; at >= first - 1; at--) {
    const message = at < first ? undefined : messages[at];
    if (message?.role === "user") turn.push(ownText(textParts(message)));
    if (message !== undefined && message.role !== "assistant") continue;
    const written = turn.filter(({ text }) => saysSomething(text));
    const plain = written.filter(({ isWrapped }) => !isWrapped);
    for (const { text } of plain.length > 0 ? plain : written) yield text;
    turn = [];
  }
}

/** The text of a message; parts that are not text (images, audio) are left out. */
export const messageText = (message: ConversationMessage): string => textParts(message).join("\n");

function textParts({ content }: ConversationMessage): readonly string[] {
  if (content === null) return [];
  if (typeof content === "string") return [content];
  return content
    .map((part) => (part.type === "text" && typeof part.text === "string" ? part.text : ""))
    .filter((text) => text !== "");
}

export function hasImage(messages: readonly ConversationMessage[]): boolean {
  return messages.some(
    (message) =>
      Array.isArray(message.content) &&
      message.content.some((part) => part.type === "image_url" || part.type === "image"),
  );
}

/** Whether a text is used alone. */
export const isTelling = (text: string): boolean => weightOf(text) >= TELLING_WEIGHT;

function saysSomething(text: string): boolean {
  return text.trim() !== "";
}

const DENSE_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Weight of a text, up to `TELLING_WEIGHT`; stops reading there, so that long texts cost no more. */
function weightOf(text: string): number {
  let weight = 0;
  for (const character of text) {
    if (DENSE_SCRIPT.test(character)) weight += 4;
    else if (WORD_CHARACTER.test(character)) weight += 1;
    if (weight >= TELLING_WEIGHT) break;
  }
  return weight;
}
