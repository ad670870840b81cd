import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonInSteps, jsonLength } from "../../src/foundation/json-in-steps.js";

describe("jsonInSteps", () => {
  it("makes what JSON.stringify makes", async () => {
    const plain = fc.object({
      withNullPrototype: false,
      values: [
        fc.string({ unit: "binary" }),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.constant(undefined),
      ],
    });
    await fc.assert(
      fc.asyncProperty(plain, async (value) => {
        expect(String(await jsonInSteps(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each([0, 1])("cuts no character of a long string, which begins after %i others", async (before) => {
    const text = `${"x".repeat(before)}${'😀"\\\n\ud800'.repeat(60_000)}`;
    expect(String(await jsonInSteps({ text }))).toBe(JSON.stringify({ text }));
  });

  it("lets other work of the thread run meanwhile", async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    await jsonInSteps({
      vectors: Array.from({ length: 500 }, () => "A".repeat(20_000)),
      text: "x".repeat(20_000_000),
    });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });
});

describe("jsonLength", () => {
  it("adds up strings and numbers, and stops when there are enough", () => {
    expect(jsonLength({ text: "four", list: [1, "six456"], none: null }, 1000)).toBe(4 + 8 + 6 + 8);
    expect(
      jsonLength(
        Array.from({ length: 1000 }, () => "four"),
        10,
      ),
    ).toBe(12);
  });
});
