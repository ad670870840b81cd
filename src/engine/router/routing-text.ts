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
 * Answers and system prompts are omitted: they describe how to answer rather than the question, and would outweigh a
 * short one. Without any user text, the last message with text is used; without any text, the empty string.
 */
export function routingText(messages: readonly ConversationMessage[]): string {
  const asked = messages
    .filter((message) => message.role === "user")
    .map(messageText)
    .filter(saysSomething);
  const last = asked.at(-1);
  if (last === undefined) return messages.map(messageText).findLast(saysSomething) ?? "";
  const turns = [last];
  for (let turn = asked.length - 2; turn >= 0 && turns.length <= EARLIER_TURNS; turn--) {
    if (isTelling(turns.join(" "))) break;
    turns.unshift(asked[turn] as string);
  }
  return turns.join("\n");
}

/** The text of a message; parts that are not text (images, audio) are left out. */
export function messageText(message: ConversationMessage): string {
  if (message.content === null) return "";
  if (typeof message.content === "string") return message.content;
  return message.content
    .map((part) => (part.type === "text" && typeof part.text === "string" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n");
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
