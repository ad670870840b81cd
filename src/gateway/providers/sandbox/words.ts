import type { ChatBody } from "../chat.js";
import { isJsonObject } from "../json-object.js";

/** The sandbox's tokens: a word and the white space after it. Joined again they are the text from its first word on. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? [];
}

/** Words of all texts of a conversation; images and the like count nothing. */
export function promptWords({ messages }: ChatBody): number {
  return messages.reduce((sum, { content }) => sum + wordsOf(textOf(content)).length, 0);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (isJsonObject(part) && typeof part.text === "string" ? part.text : ""))
    .join(" ");
}
