import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CostWeightCalibration,
  type CostWeightMeaning,
  calibrateCostWeight,
} from "../../../src/engine/router/cost-weight.js";
import { decide } from "../../../src/engine/router/decide.js";
import { allocateEstimates, type Estimates } from "../../../src/engine/router/estimates.js";
import { FIXED_CASES } from "../../support/fixed-cases.js";

const PAIRED = 0.4;

interface Estimate {
  readonly model: string;
  readonly quality: number;
  readonly stderr: number;
  readonly costUsd: number | null;
}

function estimatesOf(list: readonly Estimate[]): Estimates {
  const made = allocateEstimates(
    list.map(({ model }) => ({ model, effort: null, provider: null, basis: "measured" })),
  );
  list.forEach(({ quality, stderr, costUsd }, entry) => {
    made.quality[entry] = quality;
    made.stderr[entry] = stderr;
    made.costUsd[entry] = costUsd ?? Number.POSITIVE_INFINITY;
  });
  return made;
}

const estimate = fc.record({
  quality: fc.double({ min: 0, max: 1, noNaN: true }),
  stderr: fc.double({ min: 0.001, max: 0.3, noNaN: true }),
  costUsd: fc.double({ min: 1e-6, max: 0.1, noNaN: true }),
});

/** Between 2 and 8 models with distinct ids and known costs. */
const estimates = fc
  .array(estimate, { minLength: 2, maxLength: 8 })
  .map((list) => list.map((candidate, index) => ({ model: `model-${index}`, ...candidate })));

const named = (model: string, quality: number, costUsd: number | null, { stderr = 0.1 } = {}): Estimate => {
  return { model, quality, stderr, costUsd };
};

/** A prompt of four models whose price grows with their quality. */
function plantedPrompt(index: number): Estimate[] {
  const difficulty = ((index * 37) % 400) / 400;
  return [0.0001, 0.0006, 0.003, 0.02].map((costUsd, model) => {
    const quality = 0.95 - difficulty * (0.6 - 0.17 * model);
    return named(`planted-${model}`, quality, costUsd * (0.5 + ((index * 13) % 100) / 100), { stderr: 0.03 });
  });
}

const PLANTED = Array.from({ length: 400 }, (_, index) => plantedPrompt(index));
const costWeight: CostWeightCalibration = calibrateCostWeight(PLANTED.map(estimatesOf));

const weight = fc.double({ min: 0, max: 1, noNaN: true });
const choose = (list: readonly Estimate[], asked: number) =>
  decide(estimatesOf(list), { tradeOff: costWeight.tradeOffAt(asked), pairedCorrelation: PAIRED });

describe("decide", () => {
  it("does not depend on the order of the candidates", () => {
    fc.assert(
      fc.property(estimates, weight, fc.integer(), (list, w, seed) => {
        const shuffled = [...list].sort((a, b) => hash(a.model, seed) - hash(b.model, seed));
        expect(choose(shuffled, w)).toEqual(choose(list, w));
      }),
      FIXED_CASES,
    );
  });

  it("chooses the same or a lower cost, never a higher one, as the cost weight grows", () => {
    fc.assert(
      fc.property(estimates, weight, weight, (list, a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const before = choose(list, low).candidates[0]?.expectedCostUsd ?? 0;
        const after = choose(list, high).candidates[0]?.expectedCostUsd ?? 0;
        expect(after).toBeLessThanOrEqual(before);
      }),
      FIXED_CASES,
    );
  });

  it("never ranks a model higher because it became more expensive", () => {
    const factor = fc.double({ min: 1, max: 50, noNaN: true });
    fc.assert(
      fc.property(estimates, weight, fc.nat(), factor, (list, w, pick, by) => {
        const at = pick % list.length;
        const victim = list[at] as Estimate;
        const pricier = list.with(at, { ...victim, costUsd: (victim.costUsd as number) * by });
        const [before, after] = [list, pricier].map((each) => order(each, w).indexOf(victim.model));
        expect(after).toBeGreaterThanOrEqual(before as number);
      }),
      FIXED_CASES,
    );
  });

  it("keeps the order of the others when a model dominated by one of them is added", () => {
    fc.assert(
      fc.property(estimates, weight, fc.nat(), (list, w, pick) => {
        const better = list[pick % list.length] as Estimate;
        const dominated = named("zz", better.quality * 0.9, (better.costUsd as number) * 2, better);
        expect(order([...list, dominated], w).filter((model) => model !== "zz")).toEqual(order(list, w));
      }),
      FIXED_CASES,
    );
  });

  it("chooses the highest quality at weight 0, and the cheaper one only between equals", () => {
    fc.assert(
      fc.property(estimates, (list) => {
        const best = Math.max(...list.map((candidate) => candidate.quality));
        const tied = list.filter((candidate) => candidate.quality === best);
        const cheapest = Math.min(...tied.map((candidate) => candidate.costUsd as number));
        const selected = choose(list, 0).candidates[0];
        expect(selected?.expectedQuality).toBe(best);
        expect(selected?.expectedCostUsd).toBe(cheapest);
      }),
      FIXED_CASES,
    );
  });

  it("breaks a full tie by model id", () => {
    const twins = ["b", "a", "c"].map((model) => named(model, 0.5, 0.01));
    for (const w of [0, 0.5]) expect(order(twins, w)).toEqual(["a", "b", "c"]);
  });

  it("never chooses a model whose quality is not a number", () => {
    const list = [named("broken", Number.NaN, 0.001), named("sound", 0.1, 0.1)];
    for (const w of [0, 0.3, 1]) expect(order(list, w)[0]).toBe("sound");
  });

  it("ranks by quality less a penalty", () => {
    const list = [named("a", 0.8, 0.01), named("b", 0.75, 0.01)];
    const options = { tradeOff: costWeight.tradeOffAt(0), pairedCorrelation: PAIRED };
    const { candidates } = decide(estimatesOf(list), { ...options, penalty: Float64Array.of(0.1, 0) });
    expect(candidates.map(({ model }) => model)).toEqual(["b", "a"]);
  });

  it("considers models of unknown cost at weight 0", () => {
    expect(order([named("private", 0.9, null), named("public", 0.8, 0.1)], 0)[0]).toBe("private");
  });

  it("reports a confidence between 0 and 1, close to 1 for a clear winner", () => {
    fc.assert(
      fc.property(estimates, weight, (list, w) => {
        const { confidence } = choose(list, w);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
      }),
      FIXED_CASES,
    );
    const clear = [named("a", 0.9, 0.001, { stderr: 0.01 }), named("b", 0.2, 0.001, { stderr: 0.01 })];
    expect(choose(clear, 0).confidence).toBeGreaterThan(0.99);
  });
});

/** A calibration on planted prompts, and how many of them it has read. */
function countingCalibration() {
  let read = 0;
  function* prompts() {
    for (; read < 400; read++) yield estimatesOf(plantedPrompt(read));
  }
  const calibration = calibrateCostWeight(prompts());
  return { calibration, read: () => read };
}

describe("The cost weight", () => {
  it("makes the logarithm of cost fall linearly from the best quality to the cheapest", () => {
    const spend = (w: number) =>
      PLANTED.reduce((sum, list) => sum + (choose(list, w).candidates[0]?.expectedCostUsd ?? 0), 0) / 400;
    const [highest, lowest] = [spend(0), spend(1)];
    for (let step = 0; step <= 20; step++) {
      const promised = Math.exp((1 - step / 20) * Math.log(highest) + (step / 20) * Math.log(lowest));
      expect(Math.abs(spend(step / 20) / promised - 1)).toBeLessThan(0.05);
      expect(Math.abs(spend(step / 20) / meaningAt(step / 20).meanCostUsd - 1)).toBeLessThan(0.01);
    }
  });

  it("is calibrated once, when a weight above 0 is first used", () => {
    const { calibration, read } = countingCalibration();
    expect([calibration.tradeOffAt(0).costShare, read()]).toEqual([0, 0]);
    expect(calibration.tradeOffAt(0.5).costShare).toBeGreaterThan(0);
    expect(calibration.step()).toBe(true);
    expect([calibration.meaningOf(1)?.meanCostUsd, read()]).toEqual([expect.any(Number), 400]);
  });

  it.each([200, 400])(
    "means the same after %i of its 400 steps were done ahead of its first use",
    (steps) => {
      const { calibration, read } = countingCalibration();
      for (let step = 0; step < steps; step++) calibration.step();
      expect(read()).toBeGreaterThan(steps / 2);
      expect(calibration.tradeOffAt(0.5)).toEqual(countingCalibration().calibration.tradeOffAt(0.5));
      expect(read()).toBe(400);
    },
  );

  it("has no calibration when no price is known", () => {
    const unpriced = calibrateCostWeight([]);
    expect([unpriced.meaningOf(0.5), unpriced.weightFor(1)]).toEqual([null, null]);
    expect(unpriced.tradeOffAt(0.5).costShare).toBe(0);
  });

  it("pays for a point of quality at most what the weight says: at 0 whatever it costs", () => {
    expect(meaningAt(0).usdPerPoint).toBe(Number.POSITIVE_INFINITY);
    fc.assert(
      fc.property(estimates, fc.double({ min: 0.01, max: 1, noNaN: true }), (list, w) => {
        const { expectedQuality = 0, expectedCostUsd = 0 } = choose(list, w).candidates[0] ?? {};
        for (const { quality, costUsd } of list) {
          const points = 100 * (expectedQuality - quality);
          const paid = (expectedCostUsd as number) - (costUsd as number);
          expect(paid).toBeLessThanOrEqual(points * meaningAt(w).usdPerPoint + 1e-9);
        }
      }),
      FIXED_CASES,
    );
  });

  it("is found for a mean cost that it then keeps within", () => {
    const [cheapest, best] = [meaningAt(1).meanCostUsd, meaningAt(0).meanCostUsd];
    fc.assert(
      fc.property(fc.double({ min: 1.02 * cheapest, max: best, noNaN: true }), (most) => {
        const found = costWeight.weightFor(most) as number;
        expect(meaningAt(found).meanCostUsd).toBeLessThanOrEqual(most * (1 + 1e-9));
        expect(meaningAt(found).meanCostUsd).toBeGreaterThan(0.95 * most);
      }),
      FIXED_CASES,
    );
    expect([costWeight.weightFor(2 * best), costWeight.weightFor(cheapest / 2)]).toEqual([0, 1]);
  });
});

const meaningAt = (asked: number) => costWeight.meaningOf(asked) as CostWeightMeaning;

const order = (list: readonly Estimate[], w: number) => choose(list, w).candidates.map(({ model }) => model);

function hash(text: string, seed: number): number {
  let value = seed;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) as number), 2654435761);
  return value;
}
