import { describe, expect, it } from "vitest";
import { conversationText } from "../../../src/inference/text/conversation-text.js";
import { messagesOfTrace } from "../../../src/workbench/replay/trace-messages.js";

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
