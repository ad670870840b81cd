import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearestName } from "../../src/foundation/nearest-name.js";

describe("editDistance", () => {
  it("counts insertions, deletions, substitutions, and swaps of adjacent characters as one each", () => {
    expect(editDistance("port", "port")).toBe(0);
    expect(editDistance("prot", "port")).toBe(1);
    expect(editDistance("por", "port")).toBe(1);
    expect(editDistance("", "abc")).toBe(3);
    expect(editDistance("kitten", "sitting")).toBe(3);
  });

  it("is symmetric, zero only for equal texts, and never above the longer length", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (left, right) => {
        const distance = editDistance(left, right);
        expect(distance).toBe(editDistance(right, left));
        expect(distance === 0).toBe(left === right);
        expect(distance).toBeLessThanOrEqual(Math.max(left.length, right.length));
      }),
    );
  });
});

describe("nearestName", () => {
  it("finds the closest name in any case, and none when none is close", () => {
    const known = ["port", "host", "data_dir"];
    expect(nearestName("HOTS", known)).toBe("host");
    expect(nearestName("datadir", known)).toBe("data_dir");
    expect(nearestName("zzzz", known)).toBeUndefined();
    expect(nearestName("x", [])).toBeUndefined();
  });
});
