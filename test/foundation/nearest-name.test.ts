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
