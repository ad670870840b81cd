import { describe, expect, it } from "vitest";
import { quantile } from "../../../bench/report/statistics.js";

describe("Quantiles", () => {
  it("are interpolated between the nearest ranks", () => {
    expect([0, 0.25, 0.5, 1].map((share) => quantile([4, 1, 3, 2], share))).toEqual([1, 1.75, 2.5, 4]);
    expect(quantile([], 0.5)).toBeNaN();
  });
});
