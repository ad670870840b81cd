import { describe, expect, it } from "vitest";
import type { ChatBody } from "../../../src/gateway/providers/chat.js";
import { promptTokensOf } from "../../../src/gateway/run/request-size.js";

const ASKED = { role: "user", content: "Fix the failing test." };
const WORDS = "Follow the style guide of the repository. ".repeat(100);

const base64Of = (bytes: number): string => "A".repeat((bytes / 3) * 4);
const fileOf = (type: string, bytes: number) => ({ file_data: `data:${type};base64,${base64Of(bytes)}` });

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

  it.each([
    ["a small PDF", fileOf("application/pdf", 3_000), 1_000],
    ["a PDF of four pages", fileOf("application/pdf", 200_000), 4_000],
    ["a PDF of pictures", fileOf("application/pdf", 15_000_000), 30_000],
    ["a file without a type", { file_data: base64Of(200_000) }, 4_000],
    ["a text", fileOf("text/markdown", 200_000), 50_000],
    ["JSON of a vendor", fileOf("application/ld+json", 200_000), 50_000],
    ["a file that is kept elsewhere", { file_id: "file_1" }, 765],
  ])("include files by size and kind: %s", (_, file, tokens) => {
    const content = [{ type: "file", file }];
    expect(promptTokensOf({ messages: [{ role: "user", content }] }) / tokens).toBeCloseTo(1, 1);
  });
});
