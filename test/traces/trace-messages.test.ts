import { describe, expect, it } from "vitest";
import { conversationText } from "../../src/inference/text/conversation-text.js";
import {
  addedMessages,
  messagesOfTrace,
  tracedAnswer,
  tracedMessages,
} from "../../src/traces/trace-messages.js";

describe("messagesOfTrace", () => {
  it.each([
    [[{ role: "user", content: "What is 2 + 2?" }]],
    [[{ role: "user", content: "two\nlines" }]],
    [
      [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Why?\n\nReally." },
        { role: "assistant", content: "Because." },
        { role: "tool", content: "{}" },
        { role: "user", content: "and then?" },
      ],
    ],
  ])("reads what a trace keeps of %j", (messages) => {
    expect(messagesOfTrace(conversationText(messages))).toEqual(messages);
  });

  it("takes a text that merely names a role in a later line as one message", () => {
    const text = "Translate:\nuser: hello";
    expect(messagesOfTrace(text)).toEqual([{ role: "user", content: text }]);
  });
});

describe("tracedMessages", () => {
  it("parts the text of an assistant's message from its tool calls", () => {
    const call = (name: string, given: string) => ({ function: { name, arguments: given } });
    const messages = [
      { role: "user", content: "[tool_call] is what I type" },
      {
        role: "assistant",
        content: "I look it up.",
        tool_calls: [call("weather", '{"city":"Ulm (Donau)"}'), call("now", "")],
      },
      { role: "tool", content: "7 °C" },
    ];
    expect(tracedMessages(conversationText(messages))).toEqual([
      { role: "user", text: "[tool_call] is what I type", reasoning: null, toolCalls: [] },
      {
        role: "assistant",
        text: "I look it up.",
        reasoning: null,
        toolCalls: [
          { name: "weather", arguments: '{"city":"Ulm (Donau)"}' },
          { name: "now", arguments: "" },
        ],
      },
      { role: "tool", text: "7 °C", reasoning: null, toolCalls: [] },
    ]);
  });
});

describe("tracedAnswer", () => {
  it.each([
    ["4", { text: "4", reasoning: null, toolCalls: [] }],
    ["", { text: "", reasoning: null, toolCalls: [] }],
    ["<think>\n2 + 2\n</think>\n\n4", { text: "4", reasoning: "2 + 2", toolCalls: [] }],
    ["Write <think>a</think>", { text: "Write <think>a</think>", reasoning: null, toolCalls: [] }],
    ["[tool_call] add(2, 2)", { text: "", reasoning: null, toolCalls: [{ name: "add", arguments: "2, 2" }] }],
    ["[tool_call] cut", { text: "", reasoning: null, toolCalls: [{ name: "cut", arguments: "" }] }],
  ])("reads %j", (output, parts) => {
    expect(tracedAnswer(output)).toEqual({ role: "assistant", ...parts });
  });

  it.each([
    ["4", "Two and two.\n", "Two and two."],
    ["<think>2 + 2</think>4", "Two and two.", "Two and two.\n\n2 + 2"],
    ["<think></think>4", "", null],
  ])("has the reasoning that came apart, and that in %j", (output, apart, reasoning) => {
    expect(tracedAnswer(output, apart)).toMatchObject({ text: "4", reasoning });
  });
});

describe("addedMessages", () => {
  const before = { input: "system: Be brief.\nuser: Why?", output: "Because." };
  const texts = (input: string) => {
    const { repeated, messages } = addedMessages(input, before);
    return { repeated, added: messages.map(({ text }) => text) };
  };

  it("leaves out what the request before sent and was answered", () => {
    expect(texts("system: Be brief.\nuser: Why?\nassistant: Because.\nuser: And then?")).toEqual({
      repeated: 3,
      added: ["And then?"],
    });
  });

  it("keeps everything from the first message that differs", () => {
    expect(texts("system: Be brief.\nuser: Why not?\nassistant: Because.")).toEqual({
      repeated: 1,
      added: ["Why not?", "Because."],
    });
    expect(texts("Why?")).toEqual({ repeated: 0, added: ["Why?"] });
  });

  it("adds nothing for a request that is sent again", () => {
    expect(texts(before.input)).toEqual({ repeated: 2, added: [] });
  });

  it("keeps all messages of the first request", () => {
    expect(addedMessages(before.input, null)).toMatchObject({ repeated: 0, messages: [{}, {}] });
  });
});
