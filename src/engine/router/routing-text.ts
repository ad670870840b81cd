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
 * Answers, system prompts and reminders of agents (`ownText`) are omitted: they describe how to answer rather than the question, and
 * would outweigh a short one. Without any user text, the last message with text is used; without any text, the empty string.
 */
export function routingText(messages: readonly ConversationMessage[]): string {
  const asked = messages
    .filter((message) => message.role === "user")
    .map((message) => ownText(messageText(message)))
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

const REMINDER = "<system-reminder>";
const REMINDER_END = "</system-reminder>";
const RELAYED = "The user sent the following message:";
const RELAYED_END = "Please address this message and continue with your tasks.";

/**
 * What the user wrote, without the reminders that coding agents put into messages of the user. Those that relay what the user wrote while
 * the agent worked are what was written (https://github.com/sst/opencode/blob/f991fbbde8/packages/opencode/src/session/prompt.ts, a
 * form that later versions have dropped; that Claude Code writes the same is a guess).
 */
export function ownText(text: string): string {
  if (!text.includes(REMINDER)) return text;
  const pieces: string[] = [];
  for (let at = 0; at >= 0 && at < text.length; ) {
    const begin = text.indexOf(REMINDER, at);
    const end = begin < 0 ? -1 : text.indexOf(REMINDER_END, begin);
    if (end < 0) {
      pieces.push(text.slice(at));
      break;
    }
    const reminder = text.slice(begin + REMINDER.length, end).trim();
    pieces.push(text.slice(at, begin));
    if (reminder.startsWith(RELAYED)) pieces.push(relayedText(reminder));
    at = end + REMINDER_END.length;
  }
  return pieces.join("").trim();
}

function relayedText(reminder: string): string {
  const end = reminder.endsWith(RELAYED_END) ? reminder.length - RELAYED_END.length : reminder.length;
  return reminder.slice(RELAYED.length, end).trim();
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
