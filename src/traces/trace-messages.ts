import type { ConversationMessage } from "../router/routing-text.js";

const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;
type TracedRole = (typeof ROLES)[number];

const START = new RegExp(`^(${ROLES.join("|")}): `, "gm");

/**
 * The messages of a request from its text in a trace: one user message, or a conversation with `role: ` before each message. A line
 * of a message that begins like that is taken for another message.
 */
export function messagesOfTrace(text: string): ConversationMessage[] {
  return splitByRole(text).map(({ role, content }) => ({ role, content }));
}

/** A message of a request, or its answer, in the parts that people read apart. */
export interface TracedMessage {
  readonly role: TracedRole;
  /** Without reasoning and tool calls. */
  readonly text: string;
  /** What came apart from the answer, and what it begins with between `<think>` and `</think>`; null without either. */
  readonly reasoning: string | null;
  readonly toolCalls: readonly TracedToolCall[];
}

interface TracedToolCall {
  readonly name: string;
  /** As the model wrote them: JSON, usually. */
  readonly arguments: string;
}

/** As `messagesOfTrace`, with the parts of each message. */
export const tracedMessages = (input: string): readonly TracedMessage[] =>
  splitByRole(input).map(({ role, content }) =>
    role === "assistant" ? tracedAnswer(content) : { role, text: content, reasoning: null, toolCalls: [] },
  );

/** What a request adds to the one before it in the same conversation, which mostly sends everything again. */
export interface AddedMessages {
  /** Messages that it begins with and that the one before had too, its answer included. */
  readonly repeated: number;
  readonly messages: readonly TracedMessage[];
}

/** @param before prompt and answer of the request before; null for the first */
export function addedMessages(
  input: string,
  before: { readonly input: string; readonly output: string } | null,
): AddedMessages {
  const known =
    before === null
      ? []
      : [...splitByRole(before.input), { role: "assistant", content: before.output.trimEnd() }];
  const sent = splitByRole(input);
  const added = sent.findIndex(
    ({ role, content }, at) => role !== known[at]?.role || content !== known[at]?.content,
  );
  const repeated = added === -1 ? sent.length : added;
  return { repeated, messages: tracedMessages(input).slice(repeated) };
}

/**
 * The answer of a trace.
 *
 * @param apart the reasoning that came apart from it
 */
export function tracedAnswer(output: string, apart = ""): TracedMessage {
  const [first, ...calls] = output.split(CALL);
  const thought = REASONING.exec(first ?? "");
  const reasoning = [apart, thought?.[1] ?? ""].map((text) => text.trim()).filter((text) => text !== "");
  return {
    role: "assistant",
    text: (first ?? "").slice(thought?.[0].length ?? 0).trimEnd(),
    reasoning: reasoning.length === 0 ? null : reasoning.join("\n\n"),
    toolCalls: calls.map(toolCallOf),
  };
}

/** The answer of a trace as one text, without the reasoning that it begins with. */
export const withoutReasoning = (output: string): string => output.replace(REASONING, "");

/** Before each tool call, as `conversationText` writes them: on lines of their own, after the text. */
const CALL = /(?:^|\n)\[tool_call\] /;

const REASONING = /^\s*<think>([\s\S]*?)<\/think>\s*/;

function toolCallOf(call: string): TracedToolCall {
  const open = call.indexOf("(");
  if (open === -1) return { name: call, arguments: "" };
  return { name: call.slice(0, open), arguments: call.slice(open + 1).replace(/\)\s*$/, "") };
}

interface RoleText {
  readonly role: TracedRole;
  readonly content: string;
}

function splitByRole(text: string): readonly RoleText[] {
  const starts = [...text.matchAll(START)];
  if (starts[0]?.index !== 0) return [{ role: "user", content: text }];
  return starts.map((start, at) => ({
    role: start[1] as TracedRole,
    content: text.slice(start.index + start[0].length, starts[at + 1]?.index ?? text.length).trimEnd(),
  }));
}
