import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toConversation } from "../../../../src/gateway/providers/anthropic/conversation.js";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";
import { ProviderFault } from "../../../../src/gateway/providers/provider.js";
import { errorThrownBy } from "../../../support/errors.js";

const text = (words: string): JsonObject => ({ type: "text", text: words });
const turns = (...messages: JsonObject[]) => toConversation(messages, { prefill: true }).turns;
const call = (id: string, args: unknown = "{}"): JsonObject => ({
  id,
  type: "function",
  function: { name: "weather", arguments: args },
});

/** Where and how a conversation is refused; fails when it is not. */
const refused = (...messages: JsonObject[]) => errorThrownBy(() => turns(...messages), ProviderFault);

describe("A conversation translated for Anthropic", () => {
  it("has all system and developer messages first, in order, with their parts and cache marks", () => {
    const marked = { ...text("Be kind."), cache_control: { type: "ephemeral" } };
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "developer", content: [marked] },
      { role: "user", content: "Hi" },
      { role: "system", content: "The user is a child." },
    ];
    expect(toConversation(messages, { prefill: true })).toMatchObject({
      system: [text("Be brief."), marked, text("The user is a child.")],
      turns: [{ role: "user", content: [text("Hi")] }],
    });
  });

  it("has the cache mark of a whole message on its last block", () => {
    const mark = { type: "ephemeral", ttl: "1h" };
    expect(turns({ role: "user", content: "Hi", cache_control: mark })).toEqual([
      { role: "user", content: [{ ...text("Hi"), cache_control: mark }] },
    ]);
  });

  it("joins consecutive messages of one role and omits empty ones", () => {
    expect(
      turns(
        { role: "user", content: "One" },
        { role: "assistant", content: "" },
        { role: "user", content: [text("Two"), text(" \n")] },
        { role: "assistant", content: null, refusal: "I will not." },
        { role: "assistant", content: [{ type: "refusal", refusal: "Really." }] },
        { role: "user", content: "   " },
      ),
    ).toEqual([
      { role: "user", content: [text("One"), text("Two")] },
      { role: "assistant", content: [text("I will not."), text("Really.")] },
    ]);
  });

  it("ends with an assistant message only where the model supports prefilling", () => {
    const open = [
      { role: "user", content: "Count" },
      { role: "assistant", content: "One, two, \n" },
    ];
    const last = (prefill: boolean) => toConversation(open, { prefill }).turns.at(-1);
    expect(last(true)).toEqual({ role: "assistant", content: [text("One, two,")] });
    expect(last(false)).toEqual({ role: "user", content: [text("Continue.")] });
  });

  it("has one turn for tool calls and one for their results", () => {
    const [, assistant, user] = turns(
      { role: "user", content: "Weather in Paris and Rome?" },
      { role: "assistant", content: "Looking.", tool_calls: [call("a", '{"city":"Paris"}'), call("b", "")] },
      { role: "tool", tool_call_id: "a", content: "Rain" },
      { role: "tool", tool_call_id: "b", content: [text("Sun"), text("27 °C")] },
      { role: "user", content: "And?" },
    );
    expect(assistant?.content).toEqual([
      text("Looking."),
      { type: "tool_use", id: "a", name: "weather", input: { city: "Paris" } },
      { type: "tool_use", id: "b", name: "weather", input: {} },
    ]);
    expect(user?.content).toEqual([
      { type: "tool_result", tool_use_id: "a", content: [text("Rain")] },
      { type: "tool_result", tool_use_id: "b", content: [text("Sun"), text("27 °C")] },
      text("And?"),
    ]);
  });

  it("renames ids of other providers in calls and results alike", () => {
    const [, assistant, user] = turns(
      { role: "user", content: "Go" },
      { role: "assistant", tool_calls: [call("functions.weather:0")] },
      { role: "tool", tool_call_id: "functions.weather:0", content: "Rain" },
    );
    expect(assistant?.content[0]?.id).toBe("functions_weather_0");
    expect(user?.content[0]?.tool_use_id).toBe("functions_weather_0");
  });

  it("returns thinking blocks to the model at the start of its turn", () => {
    const thought = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
    const said = { content: "Looking.", reasoning_content: "Hm.", thinking_blocks: [thought] };
    const [, assistant] = turns({ role: "assistant", ...said, tool_calls: [call("a")] });
    expect(assistant?.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use"]);
    expect(assistant?.content[0]).toEqual(thought);
  });

  it.each<[string, JsonObject]>([
    ["messages[0].role", { role: "function", content: "x" }],
    ["messages[0].role", { content: "x" }],
    ["messages[0].content", { role: "user", content: 7 }],
    ["messages[0].content[0]", { role: "user", content: ["x"] }],
    ["messages[0].content[0].text", { role: "user", content: [{ type: "text" }] }],
    ["messages[0].content[0].type", { role: "user", content: [{ type: "input_audio", input_audio: {} }] }],
    ["messages[0].content", { role: "system", content: [{ type: "image_url", image_url: "https://a" }] }],
    ["messages[0].tool_call_id", { role: "tool", content: "x" }],
    ["messages[0].tool_calls", { role: "assistant", tool_calls: "x" }],
    ["messages[0].tool_calls[0]", { role: "assistant", tool_calls: [{ id: "a", type: "custom" }] }],
    ["messages[0].tool_calls[0].id", { role: "assistant", tool_calls: [{ ...call("a"), id: undefined }] }],
    ["messages[0].thinking_blocks", { role: "assistant", thinking_blocks: ["x"] }],
  ])("is refused for %s that is invalid", (param, message) => {
    expect(refused(message)).toMatchObject({ code: "request_refused", upstreamParam: param });
  });

  it.each(["{", '"secret"', 7])("is refused for the arguments %s without repeating them", (args) => {
    const fault = refused({ role: "assistant", tool_calls: [call("a", args)] });
    expect(fault.upstreamParam).toBe("messages[0].tool_calls[0].function.arguments");
    expect(fault.message).not.toContain("secret");
  });
});

const content = fc.oneof(
  fc.constant(null),
  fc.string(),
  fc.array(fc.record({ type: fc.constant("text"), text: fc.string() }), { maxLength: 3 }),
);
const id = fc.string({ minLength: 1 });
const tool_calls = fc.array(
  id.map((of) => call(of)),
  { maxLength: 3 },
);
const message = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "developer", "user"), content }),
  fc.record({ role: fc.constant("assistant"), content, tool_calls }),
  fc.record({ role: fc.constant("tool"), tool_call_id: id, content }),
);

describe("Any conversation translated for Anthropic", () => {
  it("alternates user and assistant turns, with the user first and none of them empty", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), fc.boolean(), (messages, prefill) => {
        const { turns } = toConversation(messages, { prefill });
        for (const [at, { role, content }] of turns.entries())
          expect([role, content.length > 0]).toEqual([at % 2 === 0 ? "user" : "assistant", true]);
        if (!prefill) expect(turns.at(-1)?.role).toBe("user");
      }),
    );
  });

  it("keeps every visible word in order, and every result at the start of its turn", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const { system, turns } = toConversation(messages, { prefill: false });
        const spoken = (roles: readonly string[]) =>
          messages.filter(({ role }) => roles.includes(role)).flatMap((said) => wordsOf(said.content));
        expect(system.map((block) => block.text)).toEqual(spoken(["system", "developer"]));
        const said = turns.flatMap(({ content }) => content.flatMap(({ text: words }) => words ?? []));
        const added = (words: unknown) => words === "Begin." || words === "Continue.";
        expect(said.filter((words) => !added(words))).toEqual(
          spoken(["user", "assistant"]).filter((words) => !added(words)),
        );
        for (const turn of turns) {
          const kinds = turn.content.map(({ type }) => type === "tool_result");
          expect(kinds).toEqual([...kinds].sort((a, b) => Number(b) - Number(a)));
        }
      }),
    );
  });
});

function wordsOf(content: unknown): string[] {
  const parts = typeof content === "string" ? [{ text: content }] : Array.isArray(content) ? content : [];
  return parts.map((part: { text: string }) => part.text).filter((said) => said.trim() !== "");
}
