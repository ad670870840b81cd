import { describe, expect, it } from "vitest";
import { conversationDigests, nameDigest } from "../../../../src/gateway/inference/conversations/digests.js";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";

const system = { role: "system", content: "Answer briefly." };
const user = (content: unknown): JsonObject => ({ role: "user", content });
const assistant = (content: unknown, more: JsonObject = {}): JsonObject => ({
  role: "assistant",
  content,
  ...more,
});
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Leeds"}' } };
const result = { role: "tool", tool_call_id: "call_1", content: "rain" };

const digestsOf = (...messages: readonly JsonObject[]) => conversationDigests(messages, "key_1");

describe("The digests of a conversation", () => {
  it("connect a request with the one before it", () => {
    const first = digestsOf(system, user("Hello"));
    const second = digestsOf(system, user("Hello"), assistant("Hi!"), user("And in Rust?"));
    const third = digestsOf(
      system,
      user("Hello"),
      assistant("Hi!"),
      user("And in Rust?"),
      assistant(null, { tool_calls: [call] }),
      result,
    );
    expect(first.answered).toBeUndefined();
    expect(second.answered).toBe(first.asked);
    expect(third.answered).toBe(second.asked);
  });

  it("connect across an answer that came as several messages, and after the beginning of one", () => {
    const first = digestsOf(user("Hello"), assistant("Sure, "));
    const second = digestsOf(user("Hello"), assistant("Sure, here:"), assistant("done"), user("Thanks"));
    expect(second.answered).toBe(first.asked);
  });

  it("depend on what the messages say, not on markers for caches or on how text is written", () => {
    const plain = digestsOf(user("Hello"));
    const marked = [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } }];
    expect(digestsOf(user(marked))).toEqual(plain);
    expect(digestsOf({ ...user("Hello"), name: "ada" })).toEqual(plain);
  });

  it.each([
    ["another text", [user("Hello!")]],
    ["another role", [{ role: "system", content: "Hello" }]],
    ["the same text in two messages", [user("Hel"), user("lo")]],
    [
      "an image",
      [
        user([
          { type: "text", text: "Hello" },
          { type: "image_url", image_url: { url: "a" } },
        ]),
      ],
    ],
    ["nothing", []],
  ])("differ for %s", (_, messages) => {
    expect(digestsOf(...messages).asked).not.toBe(digestsOf(user("Hello")).asked);
  });

  it("differ for tool calls with other arguments", () => {
    const asking = (city: string) =>
      digestsOf(
        user("Weather?"),
        assistant(null, { tool_calls: [{ ...call, function: { name: "weather", arguments: city } }] }),
        result,
        assistant("Rain."),
        user("And tomorrow?"),
      ).answered;
    expect(asking("Leeds")).not.toBe(asking("York"));
  });

  it("are those of one principal, like names", () => {
    const messages = [user("Hello")];
    expect(conversationDigests(messages, "key_2").asked).not.toBe(digestsOf(...messages).asked);
    expect(nameDigest("c-1", "key_2")).not.toBe(nameDigest("c-1", "key_1"));
    expect(nameDigest("c-1", "key_1")).toBe(nameDigest("c-1", "key_1"));
  });
});
