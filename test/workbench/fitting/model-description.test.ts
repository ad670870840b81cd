import { describe, expect, it } from "vitest";
import {
  covariatesOf,
  describeByName,
  type ModelDescription,
} from "../../../src/engine/catalog/model-description.js";

const describedAs = (model: string, more: Partial<ModelDescription> = {}): Float64Array =>
  covariatesOf(model, { ...describeByName(model), ...more });

/** Places at which the descriptions of two models differ. */
function differences(a: Float64Array, b: Float64Array): number[] {
  return [...a.keys()].filter((index) => a[index] !== b[index]);
}

describe("The features read from a model's name", () => {
  it("are its family and its effort, with a base model that variants share", () => {
    const oak = { base: "oak-5.4", family: "oak" };
    expect(describeByName("oak-5.4:xhigh")).toMatchObject({ ...oak, effort: "xhigh" });
    expect(describeByName("oak-5.4")).toMatchObject({ ...oak, effort: null });
    expect(describeByName("7b-model").family).toBe("7b-model");
  });
});

describe("The numeric features of a model", () => {
  it("are finite, and equally many for every model, known or not", () => {
    const unknown = describedAs("oak-1");
    const known = describedAs("oak-1-70b-mini:high", { released: "2026-01-01", outputUsdPerMtok: 15 });
    expect(known).toHaveLength(unknown.length);
    for (const value of [...unknown, ...known]) expect(Math.abs(value)).toBeLessThan(3);
  });

  it("distinguish an unknown date, price or size from every known one", () => {
    const plain = describedAs("oak-1");
    for (const known of [{ released: "2025-06-01" }, { outputUsdPerMtok: 3 }])
      expect(describedAs("oak-1", known)).not.toEqual(plain);
    expect(describedAs("oak-1-70b")).not.toEqual(plain);
    // A price of zero says nothing: the model is free, or its price is unknown.
    expect(describedAs("oak-1", { outputUsdPerMtok: 0 })).toEqual(plain);
  });

  it("increase with the date, the price, the size and the effort, one each", () => {
    const pairs = [
      [describedAs("oak", { released: "2025-01-01" }), describedAs("oak", { released: "2026-01-01" })],
      [describedAs("oak", { outputUsdPerMtok: 1 }), describedAs("oak", { outputUsdPerMtok: 20 })],
      [describedAs("oak-8b"), describedAs("oak-405b")],
      [describedAs("oak:low"), describedAs("oak:high")],
    ] as const;
    const features = pairs.map(([low, high]) => {
      const [index, ...others] = differences(low, high);
      expect(others).toEqual([]);
      expect(high[index as number]).toBeGreaterThan(low[index as number] as number);
      return index;
    });
    expect(new Set(features).size).toBe(pairs.length);
  });

  it("rank the efforts from none over the default to the maximum", () => {
    const models = ["oak:none", "oak:minimal", "oak", "oak:low", "oak:medium", "oak:high", "oak:max"];
    const features = models.map((model) => [...describedAs(model)]);
    expect(features).toEqual(features.toSorted((a, b) => (a.at(-2) ?? 0) - (b.at(-2) ?? 0)));
    expect(new Set(features.map(String)).size).toBe(models.length);
  });

  it("recognise a small model by whole words of its name only", () => {
    for (const small of ["gpt-5-mini", "gemini-2.5-flash", "claude-haiku-4.5", "glm-4.5-air"])
      expect(describedAs(small), small).toEqual(describedAs("oak-nano"));
    for (const large of ["gemini-2.5-pro", "minimax-m2", "elite-1", "fair-2"])
      expect(describedAs(large), large).toEqual(describedAs("oak-1"));
  });
});
