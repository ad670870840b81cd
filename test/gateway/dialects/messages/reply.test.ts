import { describe, expect, it } from "vitest";
import { messageFromChat } from "../../../../src/gateway/dialects/messages/reply.js";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";
import { FACTS, USAGE } from "./messages-for-test.js";

const answered = (message: JsonObject, finish_reason: string | null = "stop", more: JsonObject = {}) =>
  messageFromChat({ choices: [{ index: 0, message, finish_reason, ...more }] }, FACTS);
const call = (id: unknown, given: unknown) => ({
  id,
  type: "function",
  function: { name: "weather", arguments: given },
});

describe("A chat completion as a Messages reply", () => {
  it("has Anthropic's counts before the gateway's own fields", () => {
    const message = answered({ role: "assistant", content: "Hello" });
    const counts = {
      input_tokens: 12,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 7,
    };
    expect(message).toEqual({
      id: "msg_01",
      type: "message",
      role: "assistant",
      model: "gpt-4o-mini",
      content: [{ type: "text", text: "Hello" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      stop_details: null,
      usage: { ...counts, ...USAGE },
    });
    expect(Object.keys(message.usage as JsonObject).slice(0, 4)).toEqual(Object.keys(counts));
  });

  it("does not count cached tokens as input", () => {
    const usage = (details: JsonObject) =>
      messageFromChat({ choices: [] }, { ...FACTS, usage: { ...USAGE, prompt_tokens: 100, ...details } })
        .usage;
    const read = usage({ prompt_tokens_details: { cached_tokens: 60 } });
    expect(read).toMatchObject({ input_tokens: 40, cache_read_input_tokens: 60, prompt_tokens: 100 });
    const written = { cache_read_input_tokens: 60, cache_creation_input_tokens: 30 };
    expect(usage(written)).toMatchObject({ input_tokens: 10, cache_creation_input_tokens: 30 });
  });

  it("has thinking first, signed or not", () => {
    const signed = { type: "thinking", thinking: "Hm", signature: "c2ln" };
    expect(answered({ content: "Yes", reasoning_content: "Hm", thinking_blocks: [signed] }).content).toEqual([
      signed,
      { type: "text", text: "Yes" },
    ]);
    expect(answered({ content: "Yes", reasoning_content: "Hm" }).content).toEqual([
      { type: "thinking", thinking: "Hm", signature: "" },
      { type: "text", text: "Yes" },
    ]);
  });

  it("has tool calls with their input, also where arguments are missing or not JSON", () => {
    const calls = [call("a:1", '{"city":"Paris"}'), call("", ""), call("c", '{"city":"Pa'), call("d", "[1]")];
    const message = answered({ content: "\n", tool_calls: calls }, "stop");
    expect(message.stop_reason).toBe("tool_use");
    expect(message.content).toEqual([
      { type: "tool_use", id: "a_1", name: "weather", input: { city: "Paris" } },
      { type: "tool_use", id: "msg_01_1", name: "weather", input: {} },
      { type: "tool_use", id: "c", name: "weather", input: { INVALID_JSON: '{"city":"Pa' } },
      { type: "tool_use", id: "d", name: "weather", input: { INVALID_JSON: "[1]" } },
    ]);
  });

  it("has a refusal as text and as details of the stop reason", () => {
    expect(answered({ content: null, refusal: "No." })).toMatchObject({
      content: [{ type: "text", text: "No." }],
      stop_reason: "refusal",
      stop_details: { type: "refusal", category: null, explanation: "No." },
    });
  });

  it.each([
    ["stop", {}, "end_turn", null],
    ["length", {}, "max_tokens", null],
    ["content_filter", {}, "refusal", null],
    ["stop", { stop_reason: "END" }, "stop_sequence", "END"],
    ["stop", { stop_reason: 128_001 }, "end_turn", null],
    ["stop", { stop_reason: "stop_sequence" }, "stop_sequence", null],
    ["length", { stop_reason: "pause_turn" }, "pause_turn", null],
    ["stop", { stop_reason: "tool_use" }, "end_turn", null],
  ])("maps the finish reason %s with %o", (finish, more, reason, sequence) => {
    const message = answered({ content: "x" }, finish, more);
    expect([message.stop_reason, message.stop_sequence]).toEqual([reason, sequence]);
  });
});
