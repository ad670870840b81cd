import { describe, expect, it } from "vitest";
import { effortDialOf } from "../../../src/engine/catalog/effort-dial.js";

const effortsOf = (model: string) => effortDialOf(model)?.variants.map((variant) => variant.model);

describe("The efforts of a model", () => {
  it("are those that its vendor has, the default under the plain id", () => {
    expect(effortsOf("gpt-6-sol")).toEqual([
      ...["gpt-6-sol", "gpt-6-sol:none", "gpt-6-sol:low", "gpt-6-sol:high", "gpt-6-sol:xhigh"],
      "gpt-6-sol:max",
    ]);
    expect(effortsOf("kimi-k3")).toEqual(["kimi-k3", "kimi-k3:low", "kimi-k3:high"]);
    expect(effortsOf("qwen3.8-max")).toEqual(["qwen3.8-max", "qwen3.8-max:none"]);
  });

  it("are none where the model has no choice, or is not known", () => {
    for (const model of ["deepseek-r1", "gpt-5-pro", "gpt-4.1", "no-such-model"])
      expect(effortDialOf(model)).toBeUndefined();
  });

  it("have rising levels and lengths of hidden reasoning, in the order of the words", () => {
    for (const model of ["gpt-6-sol", "claude-opus-5-5", "gemini-3.8-flash", "grok-4.7", "claude-opus-4-8"]) {
      const dial = effortDialOf(model);
      const inOrder = ["none", "low", "medium", "high", "xhigh", "max"].map((word) => dial?.byWord[word]);
      const variants = inOrder.map((id) => dial?.variants.find((variant) => variant.model === id));
      for (const [place, variant] of variants.entries()) {
        const before = variants[place - 1];
        if (variant === undefined) throw new Error(`${model} has no ${inOrder[place]}`);
        if (before === undefined || before === variant) continue;
        expect(variant.level).toBeGreaterThan(before.level);
        expect(variant.hiddenTokens).toBeGreaterThan(before.hiddenTokens);
      }
    }
  });

  it("name the nearest effort that the model has for each word", () => {
    const gemini = { none: "gemini-3.1-pro:low", high: "gemini-3.1-pro", max: "gemini-3.1-pro" };
    expect(effortDialOf("gemini-3.1-pro")?.byWord).toMatchObject(gemini);
    expect(effortDialOf("gemini-3.8-flash")?.byWord).toMatchObject({ minimal: "gemini-3.8-flash:low" });
    expect(effortDialOf("claude-opus-5-5")?.byWord).toMatchObject({ max: "claude-opus-5-5:max" });
  });
});
