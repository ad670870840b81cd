import { describe, expect, it } from "vitest";
import { promptTokensOf } from "../../../../src/gateway/inference/planning/request-size.js";
import type { ChatBody } from "../../../../src/gateway/providers/chat.js";

const ASKED = { role: "user", content: "Fix the failing test." };
const WORDS = "Follow the style guide of the repository. ".repeat(100);

const file = (data: string): ChatBody => ({
  messages: [{ role: "user", content: [{ type: "file", file: { filename: "a.pdf", file_data: data } }] }],
});

describe("The tokens of a prompt", () => {
  const alone = promptTokensOf({ messages: [ASKED] });
  const more = (body: ChatBody): number => promptTokensOf(body) - alone;

  it("include the system prompt and the history", () => {
    expect(alone).toBeLessThan(15);
    expect(more({ messages: [{ role: "system", content: WORDS }, ASKED] })).toBeCloseTo(1054, -1);
    const history = [ASKED, { role: "assistant", content: WORDS }, ASKED];
    expect(more({ messages: history })).toBeCloseTo(1064, -1);
  });

  it("include the tools that are offered", () => {
    const tool = {
      type: "function",
      function: { name: "run_tests", description: WORDS, parameters: { type: "object", properties: {} } },
    };
    expect(more({ messages: [ASKED], tools: [tool] })).toBeGreaterThan(1050);
    expect(more({ messages: [ASKED], tools: Array.from({ length: 12 }, () => tool) })).toBeGreaterThan(
      12_600,
    );
  });

  it("include the calls of tools in the history", () => {
    const call = { id: "1", type: "function", function: { name: "write", arguments: `{"text":"${WORDS}"}` } };
    const history = [ASKED, { role: "assistant", content: null, tool_calls: [call] }];
    expect(more({ messages: history })).toBeGreaterThan(1050);
  });

  it("include files by their size, up to a limit", () => {
    const none = promptTokensOf({
      messages: [{ role: "user", content: [{ type: "file", file: { file_id: "f" } }] }],
    });
    expect(none).toBeGreaterThan(700);
    // 200 kB
    expect(promptTokensOf(file("A".repeat(266_667)))).toBeCloseTo(4004, -1);
    expect(promptTokensOf(file("A".repeat(20_000_000)))).toBeLessThan(31_000);
  });
});
