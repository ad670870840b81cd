import type { ConversationMessage } from "../../engine/router/routing-text.js";
import { boundedText } from "../../foundation/bounded-text.js";

/** A message of a request as it was sent, in the form of OpenAI's chat completions. */
export interface TracedMessage extends ConversationMessage {
  readonly content: string | readonly TracedPart[] | null;
  readonly name?: string | undefined;
  /** Text of an assistant's reasoning that the client sent back. */
  readonly reasoning?: string | undefined;
  readonly refusal?: string | undefined;
  readonly tool_calls?: readonly TracedToolCall[] | undefined;
  readonly tool_call_id?: string | undefined;
}

export type TracedPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "refusal"; readonly refusal: string }
  | TracedAttachment;

/** An image, file, sound or film: what it is, and nothing of what is in it. */
export type TracedAttachment = {
  /** Of the part: `image_url`, `file`, `input_audio`, `video_url`. */
  readonly type: string;
  /** Null when the request did not say, as with addresses. */
  readonly media_type: string | null;
  /** Null for addresses. */
  readonly bytes: number | null;
  readonly filename?: string | undefined;
};

export interface TracedToolCall {
  readonly id?: string | undefined;
  readonly type: "function" | "custom";
  readonly function?: { readonly name: string; readonly arguments: string } | undefined;
  readonly custom?: { readonly name: string; readonly input: string } | undefined;
}

/** Text of the last user message; empty without one. */
export function inputText(input: readonly TracedMessage[]): string {
  const content = input.findLast(({ role }) => role === "user")?.content ?? "";
  if (typeof content === "string") return content;
  return content.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
}

/** UTF-16 units of all strings in a value. */
export function lengthOfStrings(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let length = 0;
  for (const member of Object.values(value)) length += lengthOfStrings(member);
  return length;
}

/** Members that are words of the API, not of the client. */
const WORDS_OF_API: ReadonlySet<string> = new Set(["role", "type"]);

/** The value with each string in it changed, in their order, but for roles and types. */
export function withStrings<Value>(value: Value, change: (text: string) => string): Value {
  const changed = (member: unknown): unknown => {
    if (typeof member === "string") return change(member);
    if (Array.isArray(member)) return member.map(changed);
    if (typeof member !== "object" || member === null) return member;
    const entries = Object.entries(member);
    return Object.fromEntries(
      entries.map(([name, inner]) => [name, WORDS_OF_API.has(name) ? inner : changed(inner)]),
    );
  };
  return changed(value) as Value;
}

/**
 * As much of a prompt as may be kept: the last user message first, then the others from the first on. Every text that is cut says so.
 *
 * @param most UTF-16 units of all texts together
 */
export function boundedInput(input: readonly TracedMessage[], most: number): readonly TracedMessage[] {
  if (lengthOfStrings(input) <= most) return input;
  let left = most;
  const bounded = (message: TracedMessage): TracedMessage =>
    withStrings(message, (text) => {
      const kept = boundedText(text, left);
      left = Math.max(0, left - text.length);
      return kept;
    });
  const last = input.findLastIndex(({ role }) => role === "user");
  const asked = input.slice(last, last + 1).map(bounded);
  return input.map((message, at) => (at === last && asked[0] !== undefined ? asked[0] : bounded(message)));
}
