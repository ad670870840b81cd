import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { conversationDigests, nameDigest } from "../../../src/gateway/run/conversation-digests.js";

const system = { role: "system", content: "Answer briefly." };
const user = (content: unknown): JsonObject => ({ role: "user", content });
const assistant = (content: unknown): JsonObject => ({ role: "assistant", content });
const calling = (city: string): JsonObject => {
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: city } };
  return { role: "assistant", content: null, tool_calls: [call] };
};
const result = { role: "tool", tool_call_id: "call_1", content: "rain" };

const digestsOf = (...messages: readonly JsonObject[]) => conversationDigests(messages, "key_1");

describe("The digests of a conversation", () => {
  it("connect a request with the one before it", () => {
    const [asked, again] = [
      [system, user("Hello")],
      [assistant("Hi!"), user("And in Rust?")],
    ];
    const first = digestsOf(...asked);
    const second = digestsOf(...asked, ...again);
    const third = digestsOf(...asked, ...again, calling("Leeds"), result);
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
    const marked = [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } }];
    for (const message of [user(marked), { ...user("Hello"), name: "ada" }])
      expect(digestsOf(message)).toEqual(digestsOf(user("Hello")));
  });

  const image = [
    { type: "text", text: "Hello" },
    { type: "image_url", image_url: { url: "a" } },
  ];
  it.each<[string, readonly JsonObject[]]>([
    ["another text", [user("Hello!")]],
    ["another role", [{ role: "system", content: "Hello" }]],
    ["the same text in two messages", [user("Hel"), user("lo")]],
    ["an image", [user(image)]],
    ["nothing", []],
  ])("differ for %s", (_, messages) => {
    expect(digestsOf(...messages).asked).not.toBe(digestsOf(user("Hello")).asked);
  });

  it("differ for tool calls with other arguments", () => {
    const asking = (city: string) =>
      digestsOf(user("Weather?"), calling(city), result, assistant("Rain."), user("And tomorrow?")).answered;
    expect(asking("Leeds")).not.toBe(asking("York"));
  });

  it("are those of one principal, like names", () => {
    const messages = [user("Hello")];
    expect(conversationDigests(messages, "key_2").asked).not.toBe(digestsOf(...messages).asked);
    expect(nameDigest("c-1", "key_2")).not.toBe(nameDigest("c-1", "key_1"));
    expect(nameDigest("c-1", "key_1")).toBe(nameDigest("c-1", "key_1"));
  });
});
