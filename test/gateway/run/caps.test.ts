import { describe, expect, it } from "vitest";
import { withOutputCap } from "../../../src/gateway/run/caps.js";

describe("A cap of output tokens", () => {
  it("lowers what asks for more, in each API's field, and says it where nothing does", () => {
    expect(withOutputCap({ max_tokens: 9 }, 5, "chat")).toEqual({ max_tokens: 5 });
    expect(withOutputCap({ max_completion_tokens: 9 }, 5, "chat")).toEqual({ max_completion_tokens: 5 });
    expect(withOutputCap({}, 5, "chat")).toEqual({ max_completion_tokens: 5 });
    expect(withOutputCap({ max_output_tokens: 9 }, 5, "responses")).toEqual({ max_output_tokens: 5 });
    const small = { max_tokens: 4 };
    expect(withOutputCap(small, 5, "chat")).toBe(small);
    expect(withOutputCap(small, undefined, "chat")).toBe(small);
  });

  it("leaves room beside a budget of thinking, which Anthropic wants below the limit and of 1024 at least", () => {
    const thinking = { type: "enabled", budget_tokens: 20_000 };
    expect(withOutputCap({ max_tokens: 32_000, thinking }, 8000, "messages")).toEqual({
      max_tokens: 8000,
      thinking: { type: "enabled", budget_tokens: 4000 },
    });
    expect(withOutputCap({ max_tokens: 32_000, thinking }, 1500, "messages")).toEqual({
      max_tokens: 1500,
      thinking: { type: "disabled" },
    });
  });
});
