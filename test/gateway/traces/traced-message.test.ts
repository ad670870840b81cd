import { describe, expect, it } from "vitest";
import { boundedInput, type TracedMessage } from "../../../src/gateway/traces/traced-message.js";

const said = (content: string): readonly TracedMessage[] => [{ role: "user", content }];
const cut = (kept: number, whole: number) =>
  `\n[cut: ${kept} of ${whole} characters are kept (SEXTANT_TRACE_MAX_TEXT_CHARACTERS)]`;

describe("A prompt that is too long for its trace", () => {
  it("keeps its beginning, with a note of its length, without splitting a character", () => {
    const input = `${"x".repeat(999)}😀${"y".repeat(5000)}`;
    expect(boundedInput(said(input), 1000)).toEqual(said(`${"x".repeat(999)}${cut(999, 6001)}`));
    expect(boundedInput(said("z".repeat(1000)), 1000)).toEqual(said("z".repeat(1000)));
  });

  it("keeps the last user message and the beginning of the others", () => {
    const messages = (given: string, result: string, id: string): readonly TracedMessage[] => [
      { role: "system", content: "s".repeat(600) },
      { role: "user", content: [{ type: "text", text: "Why?" }] },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: given } }],
      },
      { role: "tool", content: result, tool_call_id: id },
      { role: "user", content: "u".repeat(300) },
      { role: "assistant", content: "" },
    ];
    expect(boundedInput(messages("a".repeat(200), "r".repeat(50), "c"), 1000)).toEqual(
      messages(`${"a".repeat(94)}${cut(94, 200)}`, cut(0, 50), cut(0, 1)),
    );
  });
});
