import { describe, expect, it } from "vitest";
import { modelTraits } from "../../../../src/gateway/providers/anthropic/model-traits.js";

describe("The traits of a Claude model", () => {
  it.each([
    ["claude-2.1", "claude-3-opus-20240229"],
    ["claude-3-5-sonnet-latest", "us.anthropic.claude-3-5-sonnet-20241022-v2:0"],
    ["claude-3-7-sonnet-20250219", "anthropic/claude-3.7-sonnet"],
    ["claude-opus-4-20250514", "claude-opus-4@20250514"],
    ["claude-opus-4-0", "Claude-Opus-4"],
    ["claude-sonnet-4-20250514", "anthropic.claude-sonnet-4-20250514-v1:0"],
    ["claude-haiku-4-5-20251001", "claude-sonnet-4.5"],
    ["claude-opus-4-6", "claude-sonnet-4-6"],
    ["claude-opus-4-7", "claude-opus-4-8"],
    ["claude-opus-5", "claude-sonnet-5"],
    ["claude-opus-5-5", "claude-mythos-preview"],
    ["claude-fable-5", "claude-brand-new-77"],
    ["deepseek-chat", "kimi-k2"],
  ])("are the same for the names %s and %s", (one, other) => {
    expect(modelTraits(one)).toEqual(modelTraits(other));
  });

  it.each([
    ["3-5-haiku", "both", "none", false, true, true, 8_192],
    ["3-7-sonnet", "both", "budget", false, true, true, 64_000],
    ["opus-4-1", "one", "budget", false, true, true, 32_000],
    ["opus-4-5", "one", "budget", true, true, true, 64_000],
    ["opus-4-6", "one", "adaptive", true, false, true, 128_000],
    ["opus-4-7", "none", "adaptive", true, false, true, 128_000],
    ["opus-5-5", "none", "adaptive", true, false, false, null],
  ])(
    "grow with the generations, except for sampling and prefilling: %s",
    (name, sampling, thinking, structuredOutput, prefill, thinkingStops, maxOutputTokens) => {
      const traits = { sampling, thinking, structuredOutput, prefill, thinkingStops, maxOutputTokens };
      expect(modelTraits(`claude-${name}`)).toMatchObject(traits);
    },
  );
});
