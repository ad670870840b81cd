import type { TracedMessage, TracedPart } from "./traced-message.js";

/** The prompt as one text: a single user message as its text, else `role: ` and the text of each message. */
export function promptText(input: readonly TracedMessage[]): string {
  const [first] = input;
  if (input.length === 1 && first?.role === "user") return messageText(first);
  return input.map((message) => `${message.role}: ${messageText(message)}`).join("\n");
}

/** As `AnswerText.output` writes answers: text, then tool calls. */
function messageText({ content, refusal, tool_calls: calls = [] }: TracedMessage): string {
  const parts = typeof content === "string" ? [content] : (content ?? []).map(partText);
  const called = calls.map(({ function: called, custom }) =>
    called === undefined
      ? `[tool_call] ${custom?.name}(${custom?.input})`
      : `[tool_call] ${called.name}(${called.arguments})`,
  );
  return [...parts, refusal ?? "", ...called].filter((text) => text !== "").join("\n");
}

function partText(part: TracedPart): string {
  if ("text" in part) return part.text;
  if ("refusal" in part) return part.refusal;
  const { type, media_type: mediaType, bytes, filename } = part;
  const facts = [filename, mediaType, bytes === null ? null : `${bytes} bytes`].filter(
    (fact) => typeof fact === "string",
  );
  return `[${[type, ...facts].join(", ")}]`;
}

/** The answer of a request, in the parts that people read apart. */
export interface TracedAnswer {
  readonly role: "assistant";
  /** Without reasoning and tool calls. */
  readonly text: string;
  /** What came apart from the answer, and what it begins with between `<think>` and `</think>`; null without either. */
  readonly reasoning: string | null;
  readonly toolCalls: readonly AnsweredToolCall[];
}

interface AnsweredToolCall {
  readonly name: string;
  /** As the model wrote them: JSON, usually. */
  readonly arguments: string;
}

/** What a request adds to the one before it in the same conversation, which mostly sends everything again. */
export interface AddedMessages {
  /** Messages that it begins with and that the one before had too, its answer included. */
  readonly repeated: number;
  readonly messages: readonly TracedMessage[];
}

/** @param before prompt and answer of the request before; null for the first */
export function addedMessages(
  input: readonly TracedMessage[],
  before: { readonly input: readonly TracedMessage[]; readonly output: string } | null,
): AddedMessages {
  const known =
    before === null ? [] : [...before.input.map(comparable), `assistant ${before.output.trimEnd()}`];
  const added = input.findIndex((message, at) => comparable(message) !== known[at]);
  const repeated = added === -1 ? input.length : added;
  return { repeated, messages: input.slice(repeated) };
}

const comparable = (message: TracedMessage): string => `${message.role} ${messageText(message).trimEnd()}`;

/**
 * The answer of a trace.
 *
 * @param apart the reasoning that came apart from it
 */
export function tracedAnswer(output: string, apart = ""): TracedAnswer {
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

/** Before each tool call: on lines of their own, after the text. */
const CALL = /(?:^|\n)\[tool_call\] /;

const REASONING = /^\s*<think>([\s\S]*?)<\/think>\s*/;

function toolCallOf(call: string): AnsweredToolCall {
  const open = call.indexOf("(");
  if (open === -1) return { name: call, arguments: "" };
  return { name: call.slice(0, open), arguments: call.slice(open + 1).replace(/\)\s*$/, "") };
}
