import { describe, expect, it } from "vitest";
import { addedMessages, promptText, tracedAnswer } from "../../../src/gateway/traces/trace-messages.js";
import type { TracedMessage } from "../../../src/gateway/traces/traced-message.js";

describe("promptText", () => {
  it("is the text of a single user message, and otherwise names who speaks, what was attached and which tools were called", () => {
    expect(promptText([{ role: "user", content: "What is a sextant?" }])).toBe("What is a sextant?");
    const called = { type: "function", function: { name: "weather", arguments: '{"city":"Bonn"}' } } as const;
    const parts = [
      { type: "text", text: "Here?" },
      { type: "file", media_type: "application/pdf", bytes: 3, filename: "map.pdf" },
      { type: "image_url", media_type: null, bytes: null },
    ] as const;
    expect(
      promptText([
        { role: "user", content: parts },
        { role: "assistant", content: "I look.", tool_calls: [called] },
        { role: "tool", content: "rain" },
      ]),
    ).toBe(
      "user: Here?\n[file, map.pdf, application/pdf, 3 bytes]\n[image_url]\n" +
        'assistant: I look.\n[tool_call] weather({"city":"Bonn"})\ntool: rain',
    );
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
  const system = { role: "system", content: "Be brief.\nuser: Hm?" } as const;
  const user = (content: string) => ({ role: "user", content }) as const;
  const answer = { role: "assistant", content: "Because." } as const;
  const before = { input: [system, user("Why?")], output: "Because." };
  const added = (...input: readonly TracedMessage[]) => addedMessages(input, before);

  it("leaves out what the request before sent and was answered", () => {
    const messages = [user("And then?")];
    expect(added(system, user("Why?"), answer, ...messages)).toEqual({ repeated: 3, messages });
  });

  it("knows an answer that called tools", () => {
    const call = { type: "function", function: { name: "add", arguments: "{}" } } as const;
    const called = { role: "assistant", content: "I add.", tool_calls: [call] } as const;
    const result = { role: "tool", content: "4" } as const;
    const asked = user("2 + 2");
    const earlier = { input: [asked], output: "I add.\n[tool_call] add({})" };
    const expected = { repeated: 2, messages: [result] };
    expect(addedMessages([asked, called, result], earlier)).toEqual(expected);
  });

  it("keeps everything from the first message that differs, and all of the first request", () => {
    const messages = [user("Why not?"), answer];
    expect(added(system, ...messages)).toEqual({ repeated: 1, messages });
    expect(added(user("Why?"))).toEqual({ repeated: 0, messages: [user("Why?")] });
    expect(added(...before.input)).toEqual({ repeated: 2, messages: [] });
    expect(addedMessages(before.input, null)).toEqual({ repeated: 0, messages: before.input });
  });
});
