/**
 * What chat says comes back after it was said in the form of Responses: requests written as the provider of the dialect
 * writes them, answers read as the provider of the dialect reads them, and as they come back with the next request.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { responseFromChat } from "../../../../src/gateway/dialects/responses/reply.js";
import { chatBodyFromResponses } from "../../../../src/gateway/dialects/responses/request.js";
import { type ChatBody, type JsonObject, sealedMember } from "../../../../src/gateway/providers/chat.js";
import { wholeAnswer } from "../../../../src/gateway/providers/http/whole-answer.js";
import { ResponsesStream } from "../../../../src/gateway/providers/openai-responses/reply.js";
import { responsesBody } from "../../../../src/gateway/providers/openai-responses/request.js";
import { anyAnswer, anyChat, anyCut, anySignedAnswer, chunksOf, tool } from "../arbitrary-chat.js";
import { expectAnswerOf } from "../read-back.js";
import { envelope, eventsOf, type ResponseEvent, USAGE } from "./responses-for-test.js";

const list = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value : []);
const inner = (value: unknown): JsonObject => (value ?? {}) as JsonObject;

// Requests

/** Texts of the assistant, and outputs, as strings, or as lists of parts: clients write both. */
function written(item: JsonObject, strings: boolean): JsonObject {
  if (item.type === "function_call_output" && !strings)
    return { ...item, output: [{ type: "input_text", text: item.output }] };
  return item.role === "assistant" && strings ? { ...item, content: list(item.content)[0]?.text } : item;
}

const grammar = {
  type: "custom",
  custom: { name: "sql", format: { type: "grammar", grammar: { syntax: "lark", definition: "start: /a/" } } },
};
/** Functions are strict by default in Responses, and not in chat. */
const loose = (name: string) => {
  const { function: named, ...of } = tool(name);
  return { ...of, function: { ...named, strict: false } };
};
const named = (name: string) => ({ type: "function", function: { name } });
const anyFields = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 1),
    top_p: fc.constant(0.9),
    user: fc.constant("u1"),
    max_tokens: fc.constantFrom(16, 500),
    reasoning_effort: fc.constantFrom("minimal", "high"),
    verbosity: fc.constantFrom("low", "high"),
    response_format: fc.constantFrom<JsonObject>(
      { type: "json_object" },
      { type: "json_schema", json_schema: { name: "n", schema: { type: "object" }, strict: true } },
    ),
    tools: fc.constantFrom([loose("weather"), loose("clock")], [loose("clock"), grammar]),
    tool_choice: fc.constantFrom<unknown>(
      ...["auto", "none", "required", named("clock")],
      { type: "custom", custom: { name: "sql" } },
      { type: "allowed_tools", allowed_tools: { mode: "required", tools: [named("clock")] } },
    ),
    parallel_tool_calls: fc.boolean(),
    service_tier: fc.constant("flex"),
  },
  { requiredKeys: [] },
);

/** An answer that calls tools may have said nothing. */
const silenced = (messages: readonly JsonObject[]): readonly JsonObject[] =>
  messages.map((message) => (message.tool_calls === undefined ? message : { ...message, content: null }));

it("The Responses dialect restores every chat request in a round trip", () => {
  fc.assert(
    fc.property(anyChat, anyFields, fc.boolean(), fc.boolean(), (chat, fields, strings, silent) => {
      // Claude's signed thinking is for Claude alone.
      const bare = chat.map(({ thinking_blocks: _claudes, ...message }) => message);
      const body = { messages: silent ? silenced(bare) : bare, ...fields } as ChatBody;
      const call = { upstreamModel: "gpt-5.6-luna", api: "responses", body, stream: false } as const;
      const {
        input,
        model: _model,
        ...asked
      } = sent(responsesBody(call, { provider: "openai", reasons: true }));
      const items = list(input).map((item) => written(item, strings));
      const { body: back, effort, onlyNative } = chatBodyFromResponses({ ...asked, input: items });
      const said = { ...back, ...(effort === null ? {} : { reasoning_effort: effort }) };
      // Details of images are always said.
      expect(JSON.parse(JSON.stringify(said).replaceAll(',"detail":"auto"', ""))).toEqual(body);
      expect(onlyNative).toBeNull();
    }),
  );
});

// Answers

const wholeOf = ({ message, finish_reason }: { message: JsonObject; finish_reason: string }) =>
  responseFromChat({ choices: [{ index: 0, message, finish_reason }] }, { envelope, usage: USAGE });

/** What a provider or a client is sent: without members that JSON leaves out. */
const sent = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value));

const read = (response: JsonObject) => {
  const { completion, usage } = wholeAnswer(
    JSON.stringify(response),
    new ResponsesStream({ provider: "openai" }),
  );
  return { choice: completion.choices[0], usage };
};

it("The Responses dialect restores every answer in a round trip", () => {
  fc.assert(
    fc.property(anyAnswer, (answer) => {
      const { choice, usage } = read(wholeOf(answer));
      const { content, tool_calls } = answer.message;
      expect(choice?.message.content).toBe(content ?? (tool_calls === undefined ? "" : null));
      expect(choice?.message.tool_calls).toEqual(tool_calls);
      expect(choice?.finish_reason).toBe(answer.finish_reason);
      expect(usage).toMatchObject({ promptTokens: USAGE.prompt_tokens, reasoningTokens: 2 });
    }),
  );
});

it("The Responses dialect accepts every answer as input of the next request, with signatures of Claude's thinking and Gemini's calls", () => {
  fc.assert(
    fc.property(anySignedAnswer, (answer) => {
      const { reasoning_content: _, refusal: __, ...message } = answer.message;
      const output = list(sent(wholeOf(answer)).output);
      const next = { role: "user", content: "Go on." };
      const { body, onlyNative } = chatBodyFromResponses({ input: [...output, next] });
      const silent = output.length === 0;
      expect(body.messages).toEqual(silent ? [next] : [message, next]);
      expect(onlyNative).toBeNull();
    }),
  );
});

// Streams

/** The response that a client puts together of events, checking that each is about something that was begun. */
function assembled(events: readonly ResponseEvent[]): readonly JsonObject[] {
  const items: Record<string, unknown>[] = [];
  const open = new Set<unknown>();
  for (const event of events) {
    const index = Number(event.output_index);
    const item = items[index] ?? {};
    const parts = (item.summary ?? item.content ?? []) as Record<string, unknown>[];
    const at = Number(event.content_index ?? event.summary_index);
    const part = parts[at] ?? {};
    if ("item_id" in event) expect([open.has(index), item.id]).toEqual([true, event.item_id]);
    switch (event.type.replace(/^response\.(reasoning_summary|content|output|function_call)_/, "")) {
      case "item.added":
        expect(index).toBe(items.length);
        open.add(index);
        items.push(structuredClone(inner(event.item)));
        break;
      case "part.added":
        expect(at).toBe(parts.length);
        parts.push({ ...inner(event.part) });
        break;
      case "text.delta":
        part.text = `${part.text}${event.delta}`;
        break;
      case "text.done":
        expect(part.text).toBe(event.text);
        break;
      case "arguments.delta":
        item.arguments = `${item.arguments}${event.delta}`;
        break;
      case "arguments.done":
        expect(item.arguments).toBe(event.arguments);
        break;
      case "item.done": {
        expect(open.delete(index)).toBe(true);
        // What is known at the end alone: the status, and what an answer signed.
        const { status, encrypted_content } = inner(event.item);
        Object.assign(item, status === undefined ? {} : { status });
        Object.assign(item, encrypted_content === undefined ? {} : { encrypted_content });
        expect(item).toEqual(event.item);
        break;
      }
    }
  }
  expect(open.size).toBe(0);
  return items;
}

it("The Responses dialect streams every answer as events that add up to the whole answer", () => {
  fc.assert(
    fc.property(anySignedAnswer, anyCut, (answer, cut) => {
      const events = eventsOf(chunksOf(answer, cut));
      const last = events.at(-1);
      expect(last?.response).toEqual(sent(wholeOf(answer)));
      expect(assembled(events)).toEqual(last?.response?.output);
      expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at));
    }),
  );
});

it("The Responses dialect streams every answer so that the OpenAI provider reads the same answer", () => {
  fc.assert(
    fc.property(anyAnswer, anyCut, (answer, cut) => {
      const events = eventsOf(chunksOf(answer, cut));
      const out = expectAnswerOf(new ResponsesStream({ provider: "openai" }), { events, answer });
      expect(out.at(-1)?.usage).toMatchObject({ completionTokens: USAGE.completion_tokens });
    }),
  );
});

it("The Responses dialect carries reasoning that a provider sealed, whole and streamed, to the next request", () => {
  const seals = ["sextant:openai:0:gAAA", "sextant:openai:1:gBBB"];
  const called = { id: "call_1", type: "function", function: { name: "clock", arguments: "{}" } };
  const message = { role: "assistant", content: null, ...sealedMember(seals), tool_calls: [called] };
  const deltas = [...seals.map((seal) => sealedMember([seal])), { tool_calls: [{ index: 0, ...called }] }];
  const streamed = eventsOf(
    deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: "tool_calls" }] })),
  );
  const outputs = [
    list(sent(wholeOf({ message, finish_reason: "tool_calls" })).output),
    list(streamed.at(-1)?.response?.output),
  ];
  for (const output of outputs) {
    expect(output.map(({ type, encrypted_content: content }) => content ?? type)).toEqual([
      ...seals,
      "function_call",
    ]);
    expect(chatBodyFromResponses({ input: output }).body.messages).toEqual([message]);
  }
});
