import { createHash, type Hash } from "node:crypto";
import { type JsonObject, objectsIn } from "../providers/chat.js";
import { calledFunction } from "./conversation-text.js";

/** SHA-256 digests of parts of a conversation, in base64url. Different for different principals. */
export interface ConversationDigests {
  /** Of the messages to answer: all, without the beginning of an answer that the client may have put last. */
  readonly asked: string;
  /** Of those that the last answer in it was given to: what `asked` was then. Undefined when there is no answer in it. */
  readonly answered: string | undefined;
}

/**
 * Digests of what the messages say: markers for caches and other fields of a message do not count. O(length), about a
 * microsecond a kilobyte.
 */
export function conversationDigests(messages: readonly JsonObject[], principal: string): ConversationDigests {
  const end = messages.findLastIndex(isNotAnswer) + 1;
  const lastAnswer = messages.slice(0, end).findLastIndex(isAnswer);
  const answeredEnd = messages.slice(0, Math.max(0, lastAnswer)).findLastIndex(isNotAnswer) + 1;
  const hash = createHash("sha256").update(`${principal}\n`);
  for (const message of messages.slice(0, answeredEnd)) addMessage(hash, message);
  const answered = lastAnswer < 0 ? undefined : hash.copy().digest("base64url");
  for (const message of messages.slice(answeredEnd, end)) addMessage(hash, message);
  return { asked: hash.digest("base64url"), answered };
}

/** Digest of the name that a client gave to a conversation. Different for different principals. */
export const nameDigest = (name: string, principal: string): string =>
  createHash("sha256").update(`${principal}\nname\n${name}`).digest("base64url");

/** Digest of what the messages begin with, up to the first of the user: the same for all turns of an agent. */
export function beginningDigest(messages: readonly JsonObject[]): string {
  const hash = createHash("sha256");
  for (const message of messages.slice(0, messages.findIndex(({ role }) => role === "user") + 1))
    addMessage(hash, message);
  return hash.digest("base64url");
}

const isAnswer = ({ role }: JsonObject): boolean => role === "assistant";
const isNotAnswer = (message: JsonObject): boolean => !isAnswer(message);

function addMessage(hash: Hash, message: JsonObject): void {
  const text = [...contentTexts(message.content), ...callTexts(message.tool_calls)].join("\n");
  // The length keeps the texts of two messages apart.
  hash.update(`${String(message.role)} ${text.length}\n${text}`);
}

function contentTexts(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  return objectsIn(content).map(partText);
}

function partText(part: JsonObject): string {
  if (typeof part.text === "string") return part.text;
  const { cache_control: _marker, ...rest } = part;
  return JSON.stringify(rest);
}

const callTexts = (toolCalls: unknown): readonly string[] =>
  objectsIn(toolCalls).map((call) => JSON.stringify(calledFunction(call)));
