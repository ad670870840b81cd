import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { type DecidedTrace, ExpectedSavings } from "../../../src/gateway/replay/expected-savings.js";

const candidate = (model: string, expected_quality: number, expected_cost_usd: number | null) => ({
  ...{ model, expected_quality, expected_cost_usd },
});
const CANDIDATES = [
  candidate("small", 0.7, 0.001),
  candidate("large", 0.9, 0.01),
  candidate("dear", 0.9, 0.02),
  candidate("unpriced", 0.8, null),
];
const decided = (selected_model: string, candidates = CANDIDATES): DecidedTrace => ({
  ...{ status: "success", attempts: [{}], routing: { selected_model, candidates } },
});

const reportOf = (traces: readonly DecidedTrace[], matching = traces.length) => {
  const savings = new ExpectedSavings();
  for (const trace of traces) savings.add(trace);
  return savings.report(matching);
};

describe("ExpectedSavings", () => {
  it("corrects expected costs by what answers were billed", () => {
    const billed = (usd: number | null): DecidedTrace => ({
      ...decided("small"),
      usage: { total_cost_usd: usd },
    });
    const { correction, best } = reportOf([billed(0.0005), billed(0.0007), billed(null)]);
    expect(correction).toBeCloseTo(0.6, 12);
    expect([best?.costUsd, best?.decidedCostUsd, best?.savedUsd.value]).toEqual([
      expect.closeTo(0.6 * 0.03, 12),
      expect.closeTo(0.6 * 0.003, 12),
      expect.closeTo(0.6 * 0.027, 12),
    ]);
  });

  it("compares decisions with always the best, the cheaper of equal ones, and with always one model", () => {
    const { best, models, ...rest } = reportOf([decided("small"), decided("large")]);
    expect(rest).toEqual({ decided: 2, correction: 1 });
    expect(best).toEqual({
      requests: 2,
      costUsd: 0.02,
      decidedCostUsd: expect.closeTo(0.011, 12),
      quality: 0.9,
      decidedQuality: 0.8,
      savedUsd: expect.objectContaining({ value: expect.closeTo(0.009, 12), low: expect.closeTo(0.009, 12) }),
    });
    expect(models.map(({ model, savedUsd }) => [model, savedUsd.value])).toEqual([
      ["large", expect.closeTo(0.009, 12)],
      ["dear", expect.closeTo(0.029, 12)],
      ["small", expect.closeTo(-0.009, 12)],
    ]);
  });

  it("leaves out what was not routed, not executed, or failed, and models that were rarely candidates", () => {
    const rare = [...CANDIDATES, candidate("rare", 0.99, 0.5)];
    const { decided: count, models } = reportOf([
      ...[decided("small"), decided("small"), decided("large", rare)],
      { ...decided("small"), attempts: [] },
      { ...decided("small"), status: "error" },
      { ...decided("small"), routing: null },
      decided("unpriced"),
    ]);
    expect(count).toBe(3);
    expect(models.map(({ model }) => model)).not.toContain("rare");
    expect(reportOf([]).best).toBeNull();
  });

  it("scales a sample to all requests, with an interval that holds the truth", () => {
    const random = seededRandom(4);
    const all = Array.from({ length: 2000 }, () => {
      const scale = Math.exp(3 * random());
      const priced = CANDIDATES.map((each) => ({
        ...each,
        expected_cost_usd: each.expected_cost_usd && each.expected_cost_usd * scale,
      }));
      return random() < 0.3
        ? { ...decided("small"), routing: null }
        : decided(random() < 0.5 ? "small" : "large", priced);
    });
    const truth = reportOf(all).best?.savedUsd.value ?? 0;
    let covered = 0;
    for (let round = 0; round < 100; round++) {
      const sample = all.filter(() => random() < 0.15);
      const { low, high } = reportOf(sample, all.length).best?.savedUsd ?? { low: 0, high: 0 };
      if (low <= truth && truth <= high) covered += 1;
    }
    expect(covered).toBeGreaterThan(85);
    const exact = reportOf(all).best?.savedUsd;
    expect(exact?.high).toBe(exact?.low);
  });
});
