import { describe, expect, it } from "vitest";
import { usageOf } from "../../../../src/gateway/providers/openai-compatible/usage.js";

const included = { reasoningTokens: "included" } as const;
const beside = { reasoningTokens: "beside" } as const;

describe("The usage of an OpenAI-compatible provider", () => {
  it("has parts that are included in their totals", () => {
    const details = {
      prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 30 },
      cache_creation: { ephemeral_1h_input_tokens: 5 },
    };
    const raw = { prompt_tokens: 100, completion_tokens: 40, total_tokens: 140, ...details };
    expect(usageOf(raw, included)).toEqual({
      promptTokens: 100,
      cacheReadTokens: 64,
      cacheWriteTokens: 20,
      cacheWriteHourTokens: 5,
      completionTokens: 40,
      reasoningTokens: 30,
      details,
    });
  });

  it.each([
    ["DeepSeek's", { prompt_cache_hit_tokens: 12, prompt_cache_miss_tokens: 8 }],
    ["Moonshot's", { cached_tokens: 12 }],
    ["that of gateways", { cache_read_input_tokens: 12 }],
    ["OpenAI's, before others", { prompt_tokens_details: { cached_tokens: 12 }, cached_tokens: 3 }],
  ])("reads cached tokens under %s name, and passes them on under OpenAI's", (_, more) => {
    const prompt_tokens_details = { cached_tokens: 12 };
    expect(usageOf({ prompt_tokens: 20, completion_tokens: 1, ...more }, included)).toMatchObject({
      cacheReadTokens: 12,
      details: { ...more, prompt_tokens_details },
    });
  });

  const counted = (prompt_tokens: number, completion_tokens: number | undefined, more: object) => ({
    prompt_tokens,
    completion_tokens,
    ...more,
  });
  const thought = { completion_tokens_details: { reasoning_tokens: 94 } };
  it.each([
    // xAI: the total is the sum of all three.
    [counted(32, 9, { total_tokens: 135, ...thought }), 103, 94],
    // Gemini: nothing says what is missing but the total.
    [counted(20, 198, { total_tokens: 623 }), 603, 405],
    // Without a total the part that is named is added.
    [counted(32, 9, thought), 103, 94],
    // Should they count as OpenAI does one day, nothing is counted twice.
    [counted(32, 103, { total_tokens: 135, ...thought }), 103, 94],
    // Nothing but thoughts.
    [counted(21, 0, { total_tokens: 81 }), 60, 60],
    [counted(21, undefined, { total_tokens: 81 }), 60, 0],
  ])("adds reasoning tokens that are counted separately: %j", (raw, completionTokens, reasoningTokens) => {
    expect(usageOf(raw, beside)).toMatchObject({ completionTokens, reasoningTokens });
  });

  it("does not add reasoning tokens that are already included", () => {
    const raw = counted(5, 9, { total_tokens: 99, completion_tokens_details: { reasoning_tokens: 4 } });
    expect(usageOf(raw, included)).toMatchObject({ completionTokens: 9, reasoningTokens: 4 });
  });

  it.each([
    undefined,
    "12",
    { prompt_tokens: 3 },
    { completion_tokens: 3 },
    { prompt_tokens: "4", completion_tokens: 3 },
    { prompt_tokens: 1.5, completion_tokens: 3 },
    { prompt_tokens: 4, total_tokens: 3 },
  ])("is undefined when it is %j", (raw) => {
    expect(usageOf(raw, included)).toBeNull();
  });

  it("passes on figures for clients, but no fields of the gateway and no prototype", () => {
    const raw: unknown = JSON.parse(
      '{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"total_cost_usd":9,"latency_ms":1,"estimated":true,' +
        '"__proto__":{"polluted":true},"constructor":{"x":1},"cost":0.1}',
    );
    const details = usageOf(raw, included)?.details ?? {};
    expect(Object.keys(details)).toEqual(["constructor", "cost"]);
    expect("polluted" in details).toBe(false);
    expect("polluted" in {}).toBe(false);
  });
});
