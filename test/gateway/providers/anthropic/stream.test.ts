import { describe, expect, it } from "vitest";
import { toChatCompletion } from "../../../../src/gateway/providers/anthropic/ordered-message.js";
import { MessagesStream } from "../../../../src/gateway/providers/anthropic/stream.js";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";
import { readReplyObject } from "../../../../src/gateway/providers/http/read-reply.js";
import { ProviderFault, type StreamEvent } from "../../../../src/gateway/providers/provider.js";
import { answerOf, StreamedAnswer } from "../../../contracts/provider-dialects/answer.js";
import type { Answer } from "../../../contracts/provider-dialects/dialect.js";
import { type Message, messageEvents, wholeMessage } from "./answers.js";

const text = (words: string): JsonObject => ({ type: "text", text: words });
const use = (id: string, input: JsonObject, name = "weather"): JsonObject => ({
  type: "tool_use",
  id,
  name,
  input,
});
const thought = (thinking: string): JsonObject => ({ type: "thinking", thinking, signature: "c2ln" });

const EVERYTHING: Message = {
  content: [
    thought("Paris, naïvely 🌧️"),
    { type: "redacted_thinking", data: "ZW5jcnlwdGVk" },
    { ...text("Ich schaue. 🦊"), citations: [{ cited_text: "…" }] },
    use("a", { city: "Zürich", days: [1, 2] }),
    { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    use("b", {}, "clock"),
    text(" Gleich!"),
  ],
  stop_reason: "tool_use",
  usage: {
    input_tokens: 12,
    cache_read_input_tokens: 2_000,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_1h_input_tokens: 10, ephemeral_5m_input_tokens: 20 },
    output_tokens: 90,
    output_tokens_details: { thinking_tokens: 40 },
  },
};

const stop_details = { type: "refusal", category: "bio", explanation: "It may do harm." };
const REFUSED: Message = { content: [text("First,")], stop_reason: "refusal", stop_details };

function read(events: readonly JsonObject[], answerTool: string | null = null): StreamEvent[] {
  const stream = new MessagesStream({ answerTool, created: 1_700 });
  const out: StreamEvent[] = [];
  for (const event of events) stream.read({ event: null, body: readReplyObject(JSON.stringify(event)) }, out);
  return out;
}

const deltas = (events: readonly StreamEvent[]) => events.map(({ chunk }) => chunk?.choices[0]?.delta);

/** What a client makes of the chunks. */
function assembled(events: readonly StreamEvent[]): Answer {
  const collected = new StreamedAnswer();
  for (const event of events) collected.add(event);
  return collected.answer();
}

const unstreamed = (message: Message, answerTool: string | null = null): Promise<Answer> => {
  const reply = JSON.stringify(wholeMessage(message));
  return answerOf({ kind: "completion", ...toChatCompletion(reply, { answerTool, created: 1_700 }) });
};
const start = (index: number, content_block: JsonObject) => ({
  type: "content_block_start",
  index,
  content_block,
});
const callsIn = (events: readonly StreamEvent[]) => assembled(events).choices[0]?.toolCalls;

describe("A streamed Anthropic reply", () => {
  it("begins with the role and ends with the finish reason and the usage", () => {
    const events = read(messageEvents({ content: [text("Hello!")], stop_reason: "end_turn" }));
    const begins = { role: "assistant", content: "" };
    expect(deltas(events)).toEqual([begins, { content: "Hel" }, { content: "lo!" }, {}]);
    expect(events[0]?.chunk).toEqual({
      id: "msg_01",
      object: "chat.completion.chunk",
      created: 1_700,
      model: "claude-sonnet-4-5-20250929",
      choices: [{ index: 0, delta: begins, logprobs: null, finish_reason: null }],
    });
    expect(events.at(-1)).toMatchObject({
      chunk: { choices: [{ delta: {}, finish_reason: "stop", stop_reason: "end_turn" }] },
      usage: { promptTokens: 12, completionTokens: 7 },
    });
    // The prompt is counted at the start, for a stream that breaks off.
    expect(events[0]?.usage).toMatchObject({ promptTokens: 12, completionPending: true });
    expect(events.slice(1, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(events.at(-1)?.usage).not.toHaveProperty("completionPending");
  });

  it("adds up to the whole answer, including thinking and calls between texts", async () => {
    expect(assembled(read(messageEvents(EVERYTHING)))).toEqual(await unstreamed(EVERYTHING));
  });

  it("has each thought once more, whole and signed, as it is to be sent back", () => {
    const whole = deltas(read(messageEvents(EVERYTHING))).flatMap((delta) => delta?.thinking_blocks ?? []);
    expect(whole).toEqual(EVERYTHING.content.slice(0, 2));
  });

  it("accepts an input that is complete at the block's start", () => {
    const events = read([start(0, use("a", { city: "Rome" })), { type: "content_block_stop", index: 0 }]);
    expect(callsIn(events)).toMatchObject([{ arguments: '{"city":"Rome"}' }]);
  });

  const ADA = use("a", { name: "Ada" }, "json_answer");
  const UNWILLING = { content: [text("I would rather not.")], stop_reason: "end_turn" };
  it.each<[string, Message, string | null]>([
    ["by the answer tool", { content: [text("Here: "), ADA], stop_reason: "tool_use" }, "json_answer"],
    ["by text instead of the answer tool", UNWILLING, "json_answer"],
    ["with a refusal", REFUSED, null],
  ])("adds up to the whole answer %s", async (_, message, answerTool) => {
    const events = read(messageEvents(message), answerTool);
    expect(assembled(events)).toEqual(await unstreamed(message, answerTool));
  });

  it("with a refusal has its reason", () => {
    expect(deltas(read(messageEvents(REFUSED)))).toContainEqual({ refusal: "It may do harm." });
    const whole = toChatCompletion(JSON.stringify(wholeMessage(REFUSED)), { answerTool: null, created: 0 });
    expect(whole.completion.choices[0]?.message.refusal).toBe("It may do harm.");
  });

  it("ignores unknown events, blocks and deltas", () => {
    const strange: JsonObject[] = [
      { type: "hologram" },
      { type: "content_block_start", index: 0, content_block: { type: "hologram" } },
      { type: "content_block_start", index: 1 },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "?" } },
      { type: "content_block_delta", index: 9, delta: { type: "text_delta", text: "?" } },
      { type: "content_block_start", index: 2, content_block: text("") },
      { type: "content_block_stop", index: 2 },
      { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "?" } },
      { type: "content_block_delta", index: 0 },
      { type: "content_block_stop", index: 7 },
      { type: "message_delta", delta: { stop_reason: null }, usage: null },
      { type: "message_delta" },
      { type: "message_start" },
      {},
    ];
    expect(read(strange)).toEqual([]);
  });

  it.each([
    ["overloaded_error", "overloaded"],
    ["authentication_error", "credentials_refused"],
    ["permission_error", "credentials_refused"],
    ["not_found_error", "model_not_found"],
    ["request_too_large", "request_refused"],
    ["billing_error", "quota_exhausted"],
    ["an_error_to_come", "server_error"],
  ])("that ends in the error %s is the fault %s", (type, code) => {
    const failing = () => read([{ type: "error", error: { type, message: "secret" } }]);
    expect(failing).toThrow(ProviderFault);
    expect(failing).toThrow(
      expect.objectContaining({ code, message: expect.not.stringContaining("secret") }),
    );
  });
});
