/** Random conversations and answers of chat, and random ways to cut an answer into chunks. */
import fc from "fast-check";
import type { ChatChunk, JsonObject } from "../../../src/gateway/providers/chat.js";

const anyText = fc
  .array(fc.constantFrom("a", "Zürich", "🌧️", '"', "\n", "x y", "{"), { minLength: 1, maxLength: 5 })
  .map((parts) => `w${parts.join(" ")}w`);
const anyInput = fc.dictionary(fc.constantFrom("city", "é"), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const anyName = fc.constantFrom("weather", "clock");
const anyThinking = fc.oneof(
  anyText.map((thinking) => ({ type: "thinking", thinking, signature: "c2ln" })),
  fc.constant({ type: "redacted_thinking", data: "ZW5j" }),
);

const calls = (inputs: readonly (readonly [string, JsonObject])[], from: string) =>
  inputs.map(([name, input], at) => ({
    id: `${from}_${at}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));

const PNG = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
const PDF = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" } };
const anyPart = fc.oneof(
  anyText.map((text): JsonObject => ({ type: "text", text })),
  fc.constantFrom<JsonObject>(PNG, PDF),
);
const anyParts = fc.array(anyPart, { minLength: 2, maxLength: 3 });
const anyUser = fc.oneof(anyText, anyParts).map((content): JsonObject => ({ role: "user", content }));

/** What an assistant says, calls and is told, then what the user says to it. */
const anyExchange = fc
  .record({
    text: anyText,
    thinking: fc.array(anyThinking, { maxLength: 2 }),
    inputs: fc.array(fc.tuple(anyName, anyInput), { maxLength: 3 }),
    results: fc.array(anyText, { minLength: 3, maxLength: 3 }),
    user: anyUser,
  })
  .map(({ text, thinking, inputs, results, user }) => (from: string): JsonObject[] => {
    const made = calls(inputs, from);
    const assistant = {
      role: "assistant",
      content: text,
      ...(thinking.length === 0 ? {} : { thinking_blocks: thinking }),
      ...(made.length === 0 ? {} : { tool_calls: made }),
    };
    const told = made.map(({ id }, at) => ({ role: "tool", tool_call_id: id, content: results[at] ?? "" }));
    return [assistant, ...told, user];
  });

/** A conversation in which every call is answered. */
export const anyChat = fc
  .record({
    system: fc.option(anyText),
    first: anyUser,
    exchanges: fc.array(anyExchange, { maxLength: 3 }),
  })
  .map(({ system, first, exchanges }): readonly JsonObject[] => [
    ...(system === null ? [] : [{ role: "system", content: system }]),
    first,
    ...exchanges.flatMap((exchange, at) => exchange(`call_${at}`)),
  ]);

export const tool = (name: string) => ({
  type: "function",
  function: { name, description: `Tells the ${name}`, parameters: { type: "object", properties: {} } },
});

export const anyAnswer = fc
  .record({
    thinking: fc.array(anyThinking, { maxLength: 2 }),
    text: fc.option(anyText),
    inputs: fc.array(fc.tuple(anyName, anyInput), { maxLength: 3 }),
    end: fc.constantFrom("stop", "length", "content_filter"),
  })
  .map(({ thinking, text, inputs, end }) => {
    const reasoning = thinking.map((block) => ("thinking" in block ? block.thinking : "")).join("");
    return {
      thinking,
      message: {
        role: "assistant",
        content: text,
        refusal: null,
        ...(thinking.length === 0 ? {} : { thinking_blocks: thinking }),
        ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
        ...(inputs.length === 0 ? {} : { tool_calls: calls(inputs, "call") }),
      },
      finish_reason: end === "stop" && inputs.length > 0 ? "tool_calls" : end,
    };
  });

/** The same with the first call signed, as Gemini signs its calls in Google's OpenAI-compatible API. */
export const anySignedAnswer = fc
  .tuple(anyAnswer, fc.constantFrom("c2ln", "ZW5j"))
  .map(([answer, thought_signature]) => {
    const { tool_calls: [first, ...others] = [] } = answer.message;
    if (first === undefined) return answer;
    const signed = { ...first, extra_content: { google: { thought_signature } } };
    return { ...answer, message: { ...answer.message, tool_calls: [signed, ...others] } };
  });

/** How an answer is cut: the length of its pieces in UTF-16 code units, and whether those of parallel calls take turns. */
export const anyCut = fc.record({ length: fc.integer({ min: 1, max: 6 }), byTurns: fc.boolean() });

export type ChatAnswer = typeof anyAnswer extends fc.Arbitrary<infer Answer> ? Answer : never;

const pieces = (text: string, length: number): string[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );

const chunkOf = (delta: JsonObject, finish_reason: string | null = null): ChatChunk => ({
  choices: [{ index: 0, delta, finish_reason }],
});

/** The chunks of an answer; pieces of its calls one after the other, or by turns. */
export function chunksOf(
  { thinking, message, finish_reason }: ChatAnswer,
  { length, byTurns }: { readonly length: number; readonly byTurns: boolean },
): ChatChunk[] {
  const thoughts = thinking.flatMap((block) => [
    ...pieces("thinking" in block ? block.thinking : "", length).map((text) =>
      chunkOf({ reasoning_content: text }),
    ),
    chunkOf({ thinking_blocks: [block] }),
  ]);
  const said = pieces(String(message.content ?? ""), length).map((content) => chunkOf({ content }));
  const made = (message.tool_calls ?? []).map(({ function: called, ...call }, index) => [
    chunkOf({ tool_calls: [{ index, ...call, function: { name: called.name, arguments: "" } }] }),
    ...pieces(called.arguments, length).map((text) =>
      chunkOf({ tool_calls: [{ index, function: { arguments: text } }] }),
    ),
  ]);
  const longest = Math.max(0, ...made.map((call) => call.length));
  const turns = Array.from({ length: longest }, (_, at) => made.flatMap((call) => call.slice(at, at + 1)));
  const ordered = byTurns ? turns.flat() : made.flat();
  return [...thoughts, ...said, ...ordered, chunkOf({}, finish_reason)];
}
