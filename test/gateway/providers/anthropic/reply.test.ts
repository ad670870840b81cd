import { describe, expect, it } from "vitest";
import { toChatCompletion } from "../../../../src/gateway/providers/anthropic/ordered-message.js";
import type { ChatChoice, JsonObject } from "../../../../src/gateway/providers/chat.js";
import { ProviderFault } from "../../../../src/gateway/providers/provider.js";
import { type Message, wholeMessage } from "./answers.js";

const text = (words: string): JsonObject => ({ type: "text", text: words });
const use = (id: string, input: unknown, name = "weather") => ({ type: "tool_use", id, name, input });
const _hidden = { type: "redacted_thinking", data: "ZW5jcnlwdGVk" };

function answered(message: Message, answerTool: string | null = null): ChatChoice {
  const reply = JSON.stringify(wholeMessage(message));
  const { completion } = toChatCompletion(reply, { answerTool, created: 1_700 });
  const [choice] = completion.choices;
  if (choice === undefined) throw new Error("there is no choice");
  return choice;
}

describe("An Anthropic reply", () => {
  it("becomes a chat completion with its usage", () => {
    const reply = wholeMessage({ content: [text("Hello"), text(", you.")], stop_reason: "end_turn" });
    const message = { role: "assistant", content: "Hello, you.", refusal: null };
    expect(toChatCompletion(JSON.stringify(reply), { answerTool: null, created: 1_700 })).toEqual({
      reply,
      completion: {
        id: "msg_01",
        object: "chat.completion",
        created: 1_700,
        model: "claude-sonnet-4-5-20250929",
        choices: [{ index: 0, message, logprobs: null, finish_reason: "stop", stop_reason: "end_turn" }],
      },
      usage: expect.objectContaining({ promptTokens: 12, completionTokens: 7 }),
    });
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "length"],
    ["tool_use", "tool_calls"],
    ["refusal", "content_filter"],
    ["a_reason_to_come", "stop"],
    ["constructor", "stop"],
  ])("with the stop reason %s has the finish reason %s", (stop_reason, finish_reason) => {
    expect(answered({ content: [text("Hi")], stop_reason })).toMatchObject({ finish_reason, stop_reason });
  });

  it("by the answer tool has the tool's input as its text", () => {
    const content = [text("Here it is."), use("a", { name: "Ada" }, "json_answer")];
    const choice = answered({ content, stop_reason: "tool_use" }, "json_answer");
    expect(choice).toMatchObject({ finish_reason: "stop", message: { content: '{"name":"Ada"}' } });
    expect(choice.message).not.toHaveProperty("tool_calls");
  });

  it("by tools other than the answer tool is an ordinary answer", () => {
    const called = answered({ content: [use("a", {})], stop_reason: "tool_use" }, "json_answer");
    expect(called).toMatchObject({ finish_reason: "tool_calls", message: { content: null } });
    const both = [use("a", {}), use("b", { x: 1 }, "json_answer")];
    expect(answered({ content: both, stop_reason: "tool_use" }, "json_answer")).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: '{"x":1}', tool_calls: [{ id: "a" }] },
    });
  });

  it("omits the steps of Anthropic's server tools, and unknown blocks", () => {
    const searched = { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } };
    const found = { type: "web_search_tool_result", tool_use_id: "s", content: [] };
    const content = [searched, found, { type: "hologram", shape: "cube" }, text("Found.")];
    const { message } = answered({ content, stop_reason: "end_turn" });
    expect(message).toEqual({ role: "assistant", content: "Found.", refusal: null });
  });

  it.each([
    ["", "invalid_reply"],
    ["<html>", "invalid_reply"],
    ["[]", "invalid_reply"],
    ["{}", "invalid_reply"],
    ['{"content":"Hi"}', "invalid_reply"],
    ['{"type":"error","error":{"type":"overloaded_error","message":"secret"}}', "overloaded"],
    ['{"type":"error","error":{"type":"api_error","message":"secret"}}', "server_error"],
  ])("that reads %s is the fault %s", (reply, code) => {
    const answer = () => toChatCompletion(reply, { answerTool: null, created: 0 });
    expect(answer).toThrow(ProviderFault);
    expect(answer).toThrow(expect.objectContaining({ code, message: expect.not.stringContaining("secret") }));
  });
});
