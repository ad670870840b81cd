import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../../src/foundation/random.js";
import { FixedModels, type RoutedAnswer } from "../../../../src/gateway/features/replay/fixed-models.js";

const candidatesOf = (expected: Readonly<Record<string, readonly [quality: number, costUsd: number]>>) =>
  new Map(Object.entries(expected).map(([model, [quality, costUsd]]) => [model, { quality, costUsd }]));
const CANDIDATES = candidatesOf({ small: [0.7, 0.001], large: [0.9, 0.01], dear: [0.9, 0.02] });

/** Billed as was expected, unless it says otherwise. */
function answerOf(model: string, candidates = CANDIDATES, billedUsd?: number): RoutedAnswer {
  const own = candidates.get(model) ?? { costUsd: 0, quality: 0 };
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
    expect(savedUsd.value - savedUsd.low).toBeCloseTo(1.96 * 0.5 * 200 * 2 * 0.01, 9);
    expect(spentUsd).toBeCloseTo(0.4, 9);
    expect(fixedModels(small(0.002)).saved(ALWAYS("small")).savedUsd).toEqual({ value: 0, low: 0, high: 0 });
  });

  it("splits what was saved into parts that add up, and leaves out models that were rarely candidates", () => {
    const rare = new Map([...CANDIDATES, ["rare", { quality: 0.99, costUsd: 0 }]]);
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
