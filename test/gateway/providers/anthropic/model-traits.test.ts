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

  it("grow with the generations, except for sampling and prefilling", () => {
    const generations = [
      "3-5-haiku",
      "3-7-sonnet",
      "opus-4-1",
      "opus-4-5",
      "opus-4-6",
      "opus-4-7",
      "opus-5-5",
    ];
    const traits = generations.map((name) => modelTraits(`claude-${name}`));
    expect(traits.map((model) => model.sampling)).toEqual([
      "both",
      "both",
      "one",
      "one",
      "one",
      "none",
      "none",
    ]);
    expect(traits.map((model) => model.thinking)).toEqual([
      ...["none", "budget", "budget", "budget"],
      ...["adaptive", "adaptive", "adaptive"],
    ]);
    expect(traits.map((model) => model.structuredOutput)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(traits.map((model) => model.prefill)).toEqual([true, true, true, true, false, false, false]);
    expect(traits.map((model) => model.thinkingStops)).toEqual([true, true, true, true, true, true, false]);
    expect(traits.map((model) => model.maxOutputTokens)).toEqual([
      ...[8_192, 64_000, 32_000, 64_000],
      ...[128_000, 128_000, null],
    ]);
  });
});
