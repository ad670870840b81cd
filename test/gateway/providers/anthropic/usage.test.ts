import { describe, expect, it } from "vitest";
import { mergedUsage, toTokenUsage } from "../../../../src/gateway/providers/anthropic/reply.js";

describe("The usage of an Anthropic message", () => {
  it("includes tokens read from and written to the cache in the prompt", () => {
    // 12 fresh + 2,000 read + 700 written, of which 300 for an hour: 2,712 in all.
    const details = {
      cache_read_input_tokens: 2_000,
      cache_creation_input_tokens: 700,
      cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 300 },
      server_tool_use: { web_search_requests: 2 },
      service_tier: "standard",
    };
    const written = { output_tokens: 90, output_tokens_details: { thinking_tokens: 60 } };
    expect(toTokenUsage({ ...details, ...written, input_tokens: 12, inference_geo: null })).toEqual({
      promptTokens: 2_712,
      cacheReadTokens: 2_000,
      cacheWriteTokens: 700,
      cacheWriteHourTokens: 300,
      completionTokens: 90,
      reasoningTokens: 60,
      hostedCalls: { web_search: 2 },
      details: {
        prompt_tokens_details: { cached_tokens: 2_000 },
        completion_tokens_details: { reasoning_tokens: 60 },
        ...details,
      },
    });
  });

  it.each([null, undefined, [], {}, "12", { service_tier: "standard" }])(
    "is missing for the invalid count %o",
    (usage) => {
      expect(toTokenUsage(usage)).toBeNull();
    },
  );
});

describe("The usage of an Anthropic stream", () => {
  it("is that of its first event, updated by later counts", () => {
    const start = { input_tokens: 12, cache_read_input_tokens: 5, output_tokens: 1, service_tier: "batch" };
    const end = { output_tokens: 40, input_tokens: null, cache_read_input_tokens: 7 };
    expect(mergedUsage(start, end)).toEqual({ ...start, output_tokens: 40, cache_read_input_tokens: 7 });
    expect(mergedUsage(start, undefined)).toEqual(start);
  });
});
