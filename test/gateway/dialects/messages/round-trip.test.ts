/** What the translation says comes back through that of `providers/anthropic`, which goes the other way. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { nativeMessage } from "../../../../src/gateway/dialects/messages/conversation.js";
import { messageFromChat } from "../../../../src/gateway/dialects/messages/reply.js";
import { toChatCompletion } from "../../../../src/gateway/providers/anthropic/ordered-message.js";
import { toMessagesRequest } from "../../../../src/gateway/providers/anthropic/request.js";
import { MessagesStream } from "../../../../src/gateway/providers/anthropic/stream.js";
import { type JsonObject, sealedMember } from "../../../../src/gateway/providers/chat.js";
import { anyAnswer, anyChat, anyCut, anySignedAnswer, chunksOf, tool } from "../arbitrary-chat.js";
import { expectAnswerOf } from "../read-back.js";
import { chatBody, chunkOf, conversation, eventsOf, FACTS, translated } from "./messages-for-test.js";

// Requests

const named = { type: "function", function: { name: "clock" } };
const anyFields = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 1),
    stop: fc.constantFrom(["END"], ["a", "b"]),
    user: fc.constant("u1"),
    tool_choice: fc.constantFrom<unknown>("auto", "none", "required", named),
    parallel_tool_calls: fc.constant(false),
  },
  { requiredKeys: [] },
);

it("The Messages dialect restores every chat request in a round trip", () => {
  fc.assert(
    fc.property(anyChat, anyFields, (messages, fields) => {
      const body = { messages, max_tokens: 500, tools: [tool("weather"), tool("clock")], ...fields };
      const native = toMessagesRequest({ upstreamModel: "glm-4.6", api: "chat", body, stream: false }).body;
      const { tool_choice = "auto", parallel_tool_calls, ...back } = chatBody(native);
      const { tool_choice: chosen = "auto", parallel_tool_calls: parallel, ...sent } = body as JsonObject;
      expect(back).toEqual(sent);
      expect(tool_choice).toEqual(chosen);
      // Where no tool may be called, Anthropic has no word for how many at once.
      if (chosen !== "none") expect(parallel_tool_calls).toBe(parallel);
    }),
  );
});

it.each([
  ["low", "claude-sonnet-4-5", "low"],
  ["high", "claude-sonnet-4-5", "high"],
  ["xhigh", "claude-sonnet-4-5", "high"],
  ["medium", "claude-opus-4-8", "medium"],
  ["none", "claude-opus-4-8", null],
])(
  "The Messages dialect keeps the effort %s in a round trip through %s as %s",
  (reasoning_effort, upstreamModel, back) => {
    const body = { messages: [{ role: "user", content: "Hi" }], max_tokens: 100_000, reasoning_effort };
    const native = toMessagesRequest({ upstreamModel, api: "chat", body, stream: false }).body;
    expect(translated(native).effort).toBe(back);
  },
);

// Answers

function read(message: JsonObject) {
  const { completion, usage } = toChatCompletion(JSON.stringify(message), { answerTool: null, created: 0 });
  const [choice] = completion.choices;
  return { message: choice?.message, finish_reason: choice?.finish_reason, usage };
}

it("The Messages dialect restores every answer in a round trip", () => {
  fc.assert(
    fc.property(anyAnswer, ({ message, finish_reason }) => {
      const native = messageFromChat({ choices: [{ index: 0, message, finish_reason }] }, FACTS);
      const said = message.tool_calls === undefined ? { content: message.content ?? "" } : {};
      expect(read(native)).toMatchObject({ message: { ...message, ...said }, finish_reason });
      expect(Object.keys(read(native).message ?? {}).sort()).toEqual(Object.keys(message).sort());
      expect(read(native).usage).toMatchObject({ promptTokens: 12, completionTokens: 7 });
    }),
  );
});

it("The Messages dialect accepts every answer as input of the next request, with signatures of Claude's thinking and Gemini's calls", () => {
  fc.assert(
    fc.property(anySignedAnswer, ({ message, finish_reason }) => {
      const native = messageFromChat({ choices: [{ index: 0, message, finish_reason }] }, FACTS);
      const next = { role: "user", content: "Go on." };
      const { reasoning_content: _, refusal: __, ...said } = message;
      const content = said.content ?? (said.tool_calls === undefined ? "" : null);
      const { messages } = chatBody({ messages: [{ role: "assistant", content: native.content }, next] });
      expect(messages).toEqual([{ ...said, content }, next]);
    }),
  );
});

/** A message of the events of its stream, as Anthropic's client libraries make it. */
function assembled(events: readonly JsonObject[]): JsonObject {
  const content: Record<string, unknown>[] = [];
  let message: JsonObject = {};
  const open = new Set<unknown>();
  for (const event of events) {
    const index = Number(event.index);
    const delta = event.delta as JsonObject;
    switch (event.type) {
      case "message_start":
        message = event.message as JsonObject;
        break;
      case "content_block_start":
        // Never a second one before the first has ended, and numbered in order.
        expect([open.size, index]).toEqual([0, content.length]);
        open.add(index);
        content.push({ ...(event.content_block as JsonObject), json: "" });
        break;
      case "content_block_delta": {
        expect(open.has(index)).toBe(true);
        const block = content[index] ?? {};
        for (const field of ["text", "thinking"])
          if (field in delta) block[field] = `${block[field]}${delta[field]}`;
        if ("signature" in delta) block.signature = delta.signature;
        if ("partial_json" in delta) block.json = `${block.json}${delta.partial_json}`;
        break;
      }
      case "content_block_stop":
        expect(open.delete(index)).toBe(true);
        break;
      case "message_delta":
        message = { ...message, ...delta, usage: event.usage };
        break;
    }
  }
  const blocks = content.map(({ json, ...block }) =>
    block.type === "tool_use" ? { ...block, input: json === "" ? {} : JSON.parse(String(json)) } : block,
  );
  return { ...message, content: blocks };
}

it("The Messages dialect streams every answer as events that add up to the whole answer", () => {
  fc.assert(
    fc.property(anySignedAnswer, anyCut, (answer, cut) => {
      const { message, finish_reason } = answer;
      const whole = messageFromChat({ choices: [{ index: 0, message, finish_reason }] }, FACTS);
      expect(assembled(eventsOf(chunksOf(answer, cut)))).toEqual(whole);
    }),
  );
});

it("The Messages dialect streams every answer so that the Anthropic provider reads the same answer", () => {
  fc.assert(
    fc.property(anyAnswer, anyCut, (answer, cut) => {
      const events = eventsOf(chunksOf(answer, cut));
      const stream = new MessagesStream({ answerTool: null, created: 0 });
      const out = expectAnswerOf(stream, { events, answer });
      const blocks = out.flatMap(({ chunk }) => chunk?.choices[0]?.delta.thinking_blocks ?? []);
      expect(blocks).toEqual(answer.thinking);
      expect(out.at(-1)?.usage).toMatchObject({ promptTokens: 12, completionTokens: 7 });
    }),
  );
});

it("The Messages dialect carries reasoning that a provider sealed, whole and streamed, with its summary or without", () => {
  const seal = "sextant:openai:0:gAAA";
  const called = { id: "toolu_1", type: "function", function: { name: "clock", arguments: "{}" } };
  for (const summary of [{}, { reasoning_content: "Hm." }]) {
    const message = { role: "assistant", content: null, ...sealedMember([seal]), tool_calls: [called] };
    const choice = { index: 0, message: { ...message, ...summary }, finish_reason: "tool_calls" };
    const whole = messageFromChat({ choices: [choice] }, FACTS);
    const deltas = [summary, sealedMember([seal]), { tool_calls: [{ index: 0, ...called }] }];
    const streamed = eventsOf(deltas.map((delta) => chunkOf(delta)));
    const thinking = { type: "thinking", thinking: "Hm.", signature: seal };
    const block = "reasoning_content" in summary ? thinking : { type: "redacted_thinking", data: seal };
    const content = whole.content as readonly JsonObject[];
    expect(content[0]).toEqual(block);
    expect(JSON.stringify(streamed)).toContain(seal);
    expect(conversation({ role: "assistant", content })).toEqual([message]);
    // Anthropic's own API could not read it.
    expect(nativeMessage({ role: "assistant", content }).content).toEqual(content.slice(1));
  }
});
