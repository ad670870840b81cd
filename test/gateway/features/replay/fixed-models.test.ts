import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../../src/foundation/random.js";
import { FixedModels, type RoutedAnswer } from "../../../../src/gateway/features/replay/fixed-models.js";

const candidatesOf = (expected: Readonly<Record<string, readonly [quality: number, costUsd: number]>>) =>
  new Map(
    Object.entries(expected).map(([model, [quality, costUsd]]) => [
      model,
      { quality, costUsd, qualityStderr: 0 },
    ]),
  );
const CANDIDATES = candidatesOf({ small: [0.7, 0.001], large: [0.9, 0.01], dear: [0.9, 0.02] });

/** Billed as was expected, unless it says otherwise. */
function answerOf(model: string, candidates = CANDIDATES, billedUsd?: number): RoutedAnswer {
  const own = candidates.get(model) ?? { costUsd: 0, quality: 0, qualityStderr: 0 };
  const asked = { createdAtMs: 0, preset: null, costWeight: 0.2 };
  return { ...asked, model, own, billedUsd: billedUsd ?? own.costUsd, candidates };
}

const fixedModels = (answers: readonly RoutedAnswer[], matching = answers.length) =>
  new FixedModels(answers, { matching, sampled: answers.length });

function savedBy(answers: readonly RoutedAnswer[], matching?: number) {
  const fixed = fixedModels(answers, matching);
  const choice = fixed.atEqualQuality();
  return choice && fixed.saved(choice);
}

const ALWAYS = (model: string) => ({ models: [{ model, share: 1 }], usdPerQuality: 0 });

describe("FixedModels", () => {
  it("compares answers with the cheapest mixture of fixed models that is as good", () => {
    const answers = [answerOf("small"), answerOf("large")];
    const fixed = fixedModels(answers);
    const half = expect.closeTo(0.5, 12);
    // Half of each at random is as good and costs the same: such decisions gain nothing.
    expect(fixed.atEqualQuality()?.models).toEqual([
      { model: "large", share: half },
      { model: "small", share: half },
    ]);
    expect(savedBy(answers)).toMatchObject({ requests: 2, savedUsd: { value: expect.closeTo(0, 12) } });
    // A baseline has a part, though another model is as good and costs half.
    expect(fixed.atEqualQuality("dear")?.models).toEqual([
      { model: "dear", share: half },
      { model: "small", share: half },
    ]);
    expect(fixed.atEqualQuality("unknown")).toBeUndefined();
  });

  it("says nothing at equal quality where no fixed model is as good as the answers", () => {
    const hard = candidatesOf({ small: [0.9, 0.001], large: [0.5, 0.01] });
    const easy = candidatesOf({ small: [0.5, 0.001], large: [0.9, 0.01] });
    expect(savedBy([answerOf("small", hard), answerOf("large", easy)])).toBeUndefined();
  });

  it("corrects expected costs by bills, and widens the interval by what they do not show", () => {
    const small = (usd: number) => Array.from({ length: 200 }, () => answerOf("small", CANDIDATES, usd));
    const { savedUsd, spentUsd = 0 } = fixedModels(small(0.002)).saved(ALWAYS("large"));
    // Twice what is expected, which is also said of the model that never answered.
    expect(savedUsd?.value).toBeCloseTo(200 * (2 * 0.01 - 0.002), 9);
    expect(savedUsd.low).toBeCloseTo(200 * (2 * 0.01 * Math.exp(-1.96 * 0.5) - 0.002), 9);
    expect(savedUsd.high).toBeCloseTo(200 * (2 * 0.01 * Math.exp(1.96 * 0.5) - 0.002), 9);
    expect(spentUsd).toBeCloseTo(0.4, 9);
    expect(fixedModels(small(0.002)).saved(ALWAYS("small")).savedUsd).toEqual({ value: 0, low: 0, high: 0 });
  });

  it("holds no cost for possible that is a negative multiple of what is expected", () => {
    const cheap = candidatesOf({ small: [0.7, 0.001], cheaper: [0.7, 0.00045], large: [0.9, 0.01] });
    const fixed = fixedModels(Array.from({ length: 300 }, () => answerOf("small", cheap)));
    const saved = (model: string) => fixed.saved(ALWAYS(model));
    const near = (value: number) => expect.closeTo(value, 3);
    // 0.3 were billed: at ten times the cost, zero is ruled out; at 0.45 times, up to 1.2 times is not.
    expect(saved("large")).toMatchObject({
      savedUsd: { value: near(2.7), low: near(0.826), high: near(7.693) },
      savedShare: { value: near(0.9), low: near(0.734), high: near(0.962) },
    });
    expect(saved("cheaper").savedUsd).toEqual({ value: near(-0.165), low: near(-0.249), high: near(0.06) });
    // Even nothing may be what the fixed models would have cost: there is no share of it.
    const two = fixedModels([answerOf("large", CANDIDATES, 1), answerOf("small")], 2000);
    expect(two.saved(ALWAYS("small")).savedShare).toBeNull();
  });

  it("widens intervals by how little is known of the models' quality, the same for all requests", () => {
    const known = (qualityStderr: number) =>
      new Map([...CANDIDATES].map(([model, one]) => [model, { ...one, qualityStderr }] as const));
    const answers = (stderr: number) =>
      ["small", "small", "small", "large"].map((model) => answerOf(model, known(stderr)));
    const of = (stderr: number) => fixedModels(answers(stderr));
    const small = Array.from({ length: 300 }, () => answerOf("small", known(0.1)));
    const further = 1.96 * Math.hypot(0.1, 0.1);
    expect(fixedModels(small).qualityOf("large")).toEqual({
      value: expect.closeTo(0.2, 9),
      low: expect.closeTo(0.2 - further, 9),
      high: expect.closeTo(0.2 + further, 9),
    });
    expect(fixedModels(small).qualityOf("small")).toEqual({ value: 0, low: 0, high: 0 });
    const [sure, unsure] = [0, 0.1].map((stderr) => {
      const choice = of(stderr).atEqualQuality() ?? ALWAYS("none");
      const { savedUsd } = of(stderr).saved(choice);
      return { ...choice, width: savedUsd.value - savedUsd.low };
    });
    // A quarter is of `large`: three move by a quarter to it, and the fourth by three quarters from it; a point is worth 0.045.
    const moves = Math.hypot(0.75, 0.75, 0.75, 0.75) * 0.1;
    expect(sure?.usdPerQuality).toBeCloseTo(0.045, 9);
    expect(unsure?.width).toBeCloseTo(Math.hypot(sure?.width ?? 0, 1.96 * 0.045 * moves), 9);
    // Without an adjustment for quality, it has no part in what was saved.
    expect(of(0.1).saved(ALWAYS("large"))).toEqual(of(0).saved(ALWAYS("large")));
  });

  it("splits what was saved into parts that add up, and leaves out models that were rarely candidates", () => {
    const rare = new Map([...CANDIDATES, ["rare", { quality: 0.99, costUsd: 0, qualityStderr: 0 }]]);
    const answers = ["small", "large", "dear", "small"].map((model, at) =>
      answerOf(model, at === 0 ? rare : CANDIDATES),
    );
    const fixed = fixedModels(answers, 20);
    const choice = fixed.atEqualQuality() ?? ALWAYS("none");
    expect(choice.models.map(({ model }) => model)).toEqual(["large", "small"]);
    const parts = [answers.slice(0, 1), answers.slice(1)].map((among) => fixed.saved(choice, among));
    const sum = parts.reduce((all, { savedUsd }) => all + savedUsd.value, 0);
    expect(sum).toBeCloseTo(fixed.saved(choice).savedUsd.value, 12);
    expect(fixed.notable(2)).toEqual(["large", "small"]);
    expect(fixed.qualityOf("large").value).toBeCloseTo(0.1, 12);
  });

  it("covers what all requests save at equal quality, in nineteen samples of twenty", () => {
    const random = seededRandom(11);
    const all = Array.from({ length: 1500 }, () => {
      const [ease, size] = [random(), random()];
      const candidates = candidatesOf({
        small: [0.4 + 0.5 * ease, 0.001 + 0.002 * size],
        large: [0.8 + 0.1 * ease, 0.01 + 0.02 * size],
      });
      return answerOf(ease > 0.5 ? "small" : "large", candidates);
    });
    const truth = savedBy(all)?.savedUsd.value ?? Number.NaN;
    let covered = 0;
    for (let round = 0; round < 60; round += 1) {
      const drawn = all
        .map((answer) => ({ answer, at: random() }))
        .toSorted((left, right) => left.at - right.at);
      const sample = drawn.slice(0, 200).map(({ answer }) => answer);
      const { low = Number.NaN, high = Number.NaN } = savedBy(sample, all.length)?.savedUsd ?? {};
      if (low <= truth && truth <= high) covered += 1;
    }
    expect(truth).toBeGreaterThan(0);
    // 57 expected; 50 is four standard errors less.
    expect(covered).toBeGreaterThanOrEqual(50);
  });
});
