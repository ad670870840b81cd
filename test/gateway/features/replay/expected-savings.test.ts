import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../../src/foundation/random.js";
import {
  type DecidedTrace,
  ExpectedSavings,
} from "../../../../src/gateway/features/replay/expected-savings.js";

const candidate = (model: string, expected_quality: number, expected_cost_usd: number | null) => ({
  model,
  expected_quality,
  expected_cost_usd,
});
const CANDIDATES = [
  candidate("small", 0.7, 0.001),
  candidate("large", 0.9, 0.01),
  candidate("dear", 0.9, 0.02),
  candidate("unpriced", 0.8, null),
];
const decided = (selected_model: string, candidates = CANDIDATES): DecidedTrace => ({
  status: "success",
  attempts: [{}],
  routing: { selected_model, candidates },
});

const reportOf = (traces: readonly DecidedTrace[], matching = traces.length) => {
  const savings = new ExpectedSavings();
  for (const trace of traces) savings.add(trace);
  return savings.report(matching);
};

describe("ExpectedSavings", () => {
  it("corrects expected costs by what answers were billed", () => {
    const billed = (usd: number | null) => ({ ...decided("small"), usage: { total_cost_usd: usd } });
    const { correction, equal_quality: equalQuality } = reportOf([
      billed(0.0005),
      billed(0.0007),
      billed(null),
    ]);
    expect(correction).toBeCloseTo(0.6, 12);
    // Always "small" is as good, and costs the same.
    expect(equalQuality).toMatchObject({ models: [{ model: "small", share: 1 }], saved_usd: { value: 0 } });
    const dear = { ...decided("dear"), usage: { total_cost_usd: 0.012 } };
    // Three times 0.02 less 0.01, at 0.6 times what was expected; negative, since the other is cheaper.
    expect(reportOf([dear, dear, dear]).equal_quality?.saved_usd.value).toBeCloseTo(-0.6 * 0.03, 12);
  });

  it("compares decisions with the cheapest mixture of fixed models that is as good", () => {
    const { equal_quality: equalQuality, ...rest } = reportOf([decided("small"), decided("large")]);
    expect(rest).toEqual({ decided: 2, correction: 1 });
    // Half of each at random is as good and costs the same: such decisions gain nothing.
    expect(equalQuality).toEqual({
      models: [
        { model: "large", share: expect.closeTo(0.5, 12) },
        { model: "small", share: expect.closeTo(0.5, 12) },
      ],
      requests: 2,
      saved_usd: expect.objectContaining({ value: expect.closeTo(0, 12) }),
    });
  });

  it("says nothing at equal quality where no fixed model is as good as the decisions", () => {
    const hard = [candidate("small", 0.9, 0.001), candidate("large", 0.5, 0.01)];
    const easy = [candidate("small", 0.5, 0.001), candidate("large", 0.9, 0.01)];
    expect(reportOf([decided("small", hard), decided("large", easy)]).equal_quality).toBeNull();
  });

  it("leaves out what was not routed, not executed, or failed, and models that were rarely candidates", () => {
    const rare = [...CANDIDATES, candidate("rare", 0.99, 0.5)];
    const { decided: count, equal_quality: equalQuality } = reportOf([
      ...[decided("small"), decided("small"), decided("large", rare)],
      { ...decided("small"), attempts: [] },
      { ...decided("small"), status: "error" },
      { ...decided("small"), routing: null },
      decided("unpriced"),
    ]);
    expect(count).toBe(3);
    expect(equalQuality?.models.map(({ model }) => model)).toEqual(["large", "small"]);
    expect(reportOf([]).equal_quality).toBeNull();
  });

  it("covers what all requests save at equal quality, in nineteen samples of twenty", () => {
    const random = seededRandom(11);
    const all = Array.from({ length: 1500 }, () => {
      const [ease, size] = [random(), random()];
      const candidates = [
        candidate("small", 0.4 + 0.5 * ease, 0.001 + 0.002 * size),
        candidate("large", 0.8 + 0.1 * ease, 0.01 + 0.02 * size),
      ];
      return decided(ease > 0.5 ? "small" : "large", candidates);
    });
    const truth = reportOf(all).equal_quality?.saved_usd.value ?? Number.NaN;
    let covered = 0;
    for (let round = 0; round < 60; round += 1) {
      const drawn = all
        .map((trace) => ({ trace, at: random() }))
        .toSorted((left, right) => left.at - right.at);
      const sample = drawn.slice(0, 200).map(({ trace }) => trace);
      const { low = Number.NaN, high = Number.NaN } =
        reportOf(sample, all.length).equal_quality?.saved_usd ?? {};
      if (low <= truth && truth <= high) covered += 1;
    }
    expect(truth).toBeGreaterThan(0);
    // 57 expected; 50 is four standard errors less.
    expect(covered).toBeGreaterThanOrEqual(50);
  });
});
