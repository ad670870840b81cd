import { describe, expect, it } from "vitest";
import { bootstrapInterval } from "../../../bench/evidence/bootstrap.js";
import { meanPairwiseSpearman, spearman } from "../../../bench/evidence/spearman.js";

describe("spearman", () => {
  it("is 1 for any rising relation and −1 for any falling one", () => {
    expect(spearman([1, 2, 3, 4], [1, 10, 100, 1000])).toBeCloseTo(1);
    expect(spearman([1, 2, 3, 4], [9, 8, 1, 0])).toBeCloseTo(-1);
  });

  it("agrees with a value computed by hand where there are ties", () => {
    // Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: covariance 4.5, squares 4.5 and 5.
    expect(spearman([1, 2, 2, 3], [1, 3, 2, 4])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5));
  });

  it("is undefined when one side is constant", () => {
    expect(spearman([1, 1, 1], [1, 2, 3])).toBeNaN();
  });

  it("compares two rows over the columns that both have", () => {
    const rows = [
      [1, 2, 3, Number.NaN],
      [3, 6, 9, 1],
      [Number.NaN, Number.NaN, 1, 2],
    ];
    expect(meanPairwiseSpearman(rows, { fewestColumns: 3 })).toEqual({ mean: 1, pairs: 1 });
  });
});

describe("The bootstrap interval", () => {
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  it("resamples each group separately, so that constant groups have no width", () => {
    const interval = bootstrapInterval(
      [
        [1, 1],
        [3, 3, 3],
      ],
      (groups) => meanOf(groups.map(meanOf)),
    );
    expect(interval).toEqual({ low: 2, high: 2 });
  });
});
