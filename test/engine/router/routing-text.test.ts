import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ConversationMessage, hasImage, routingText } from "../../../src/engine/router/routing-text.js";

const user = (content: ConversationMessage["content"]): ConversationMessage => ({ role: "user", content });
const assistant = (content: string): ConversationMessage => ({ role: "assistant", content });
const system = (content: string): ConversationMessage => ({ role: "system", content });

describe("The routing text", () => {
  it.each([
    ["why?", "Explain how a B-tree splits its nodes.", "Explain how a B-tree splits its nodes.\nwhy?"],
    ["👍", "Draft a polite refusal.", "Draft a polite refusal.\n👍"],
  ])("includes the question before a short follow-up %j", (followUp, question, expected) => {
    expect(routingText([user(question), assistant("…"), user(followUp)])).toBe(expected);
  });

  it("includes up to three short turns, in the order they were written", () => {
    const chat = ["one", "two", "three", "four", "five"].flatMap((text) => [
      user(text),
      assistant("a long answer"),
    ]);
    expect(routingText(chat)).toBe("two\nthree\nfour\nfive");
  });

  it("is the last user message when that is long enough, without system prompts, answers and tool results", () => {
    const chat: ConversationMessage[] = [
      system("Answer in French."),
      user("How long do I boil an egg so that the yolk stays soft?"),
      assistant("Six minutes."),
      user("List the planets of the solar system by mass."),
      { role: "tool", content: '{"planets": 8}' },
      assistant("Jupiter, Saturn, …"),
    ];
    expect(routingText(chat)).toBe("List the planets of the solar system by mass.");
  });

  it("accepts a short Chinese question alone, which says as much as a longer English one", () => {
    expect(routingText([user("hello there, how are you?"), assistant("好"), user("水的沸点是多少？")])).toBe(
      "水的沸点是多少？",
    );
  });

  it("includes the text parts of a message with images", () => {
    const parts = [
      { type: "text", text: "What breed is the dog in this picture?" },
      { type: "image_url", image_url: { url: "data:," } },
    ] as const;
    expect(routingText([user(parts)])).toBe("What breed is the dog in this picture?");
    expect(hasImage([user(parts)])).toBe(true);
    expect(hasImage([user("no image")])).toBe(false);
  });

  it("falls back to any text, and is empty when there is none", () => {
    expect(routingText([system("Summarise the day's news."), user("")])).toBe("Summarise the day's news.");
    expect(routingText([user(null), user("  ")])).toBe("");
  });

  it("leaves out what coding agents put into messages of the user, and reads what they relay", () => {
    const reminder = "<system-reminder>\nThe list of tasks is empty.\n</system-reminder>";
    const question = "Why does the scheduler starve the third task?";
    const relayed = `<system-reminder>\nThe user sent the following message:\n${question}\n\nPlease address this message and continue with your tasks.\n</system-reminder>`;
    expect(routingText([user(`${reminder}${question}`)])).toBe(question);
    expect(routingText([user(question), user(reminder)])).toBe(question);
    expect(routingText([user("Hello there, how are you doing?"), user(relayed)])).toBe(question);
    // Without an end it is text as any other.
    expect(routingText([user(`<system-reminder> ${question}`)])).toContain(question);
  });

  it("always ends with the last user message that has text", () => {
    const message = fc.record({
      role: fc.constantFrom("system", "user", "assistant", "tool", "developer"),
      content: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), (messages) => {
        const last = messages.filter(({ role, content }) => role === "user" && content.trim() !== "").at(-1);
        if (last !== undefined)
          expect(routingText(messages as ConversationMessage[]).endsWith(last.content)).toBe(true);
      }),
    );
  });
});
