import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonInSteps, jsonLength } from "../../src/foundation/json-in-steps.js";
import { batchClock } from "../fakes/batch-clock.js";

describe("jsonInSteps", () => {
  it("makes what JSON.stringify makes", async () => {
    const plain = fc.object({
      withNullPrototype: false,
      values: [fc.string({ unit: "binary" }), fc.double(), fc.boolean(), fc.constantFrom(null, undefined)],
    });
    await fc.assert(
      fc.asyncProperty(plain, async (value) => {
        expect(String(await jsonInSteps(value))).toBe(JSON.stringify(value));
      }),
      { numRuns: 40 },
    );
  });

  it.each([0, 1])("cuts no character of a long string, which begins after %i others", async (before) => {
    const text = `${"x".repeat(before)}${'😀"\\\n\ud800'.repeat(30_000)}`;
    expect(String(await jsonInSteps({ text }))).toBe(JSON.stringify({ text }));
  });

  it("lets other work of the thread run between steps of 65,536 units", async () => {
    const { clock, batches } = batchClock();
    const text = "x".repeat(1_000_000);
    await jsonInSteps({ vectors: Array.from({ length: 50 }, () => "A".repeat(20_000)), text }, clock);
    expect(batches()).toBeGreaterThan(25);
  });
});

describe("jsonLength", () => {
  it("adds up strings and numbers, and stops when there are enough", () => {
    expect(jsonLength({ text: "four", list: [1, "six456"], none: null }, 1000)).toBe(4 + 8 + 6 + 8);
    expect(jsonLength(Array(1000).fill("four"), 10)).toBe(12);
  });
});
