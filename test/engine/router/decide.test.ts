import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tradeOffAt, usdPerPoint } from "../../../src/engine/router/cost-weight.js";
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
    made.ownError[entry] = stderr;
    made.costUsd[entry] = costUsd ?? Number.POSITIVE_INFINITY;
  });
  return made;
}

/** Some are equal, and some within a hundredth of each other. */
const share = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.nat({ max: 8 }).map((step) => 0.8 + step / 200),
);
const estimate = fc.record({
  quality: share,
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

const weight = fc.double({ min: 0, max: 1, noNaN: true });
const choose = (list: readonly Estimate[], asked: number, penalty?: Float64Array) =>
  decide(estimatesOf(list), { tradeOff: tradeOffAt(asked), pairedCorrelation: PAIRED, penalty });

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

  it("chooses the same or a lower cost, never a higher one, as the cost weight grows, time counted or not", () => {
    const penalties = fc.array(fc.nat({ max: 20 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(estimates, weight, fc.oneof(fc.constant(0), weight), penalties, (list, a, b, times) => {
        const penalty = Float64Array.from(list, (_, at) => (times[at] as number) / 200);
        const [before, after] = [Math.min(a, b), Math.max(a, b)].map(
          (w) => choose(list, w, penalty).selected.expectedCostUsd as number,
        );
        expect(after).toBeLessThanOrEqual(before as number);
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

  it.each([
    // At .2, a hundredth of quality is worth 2 cents.
    ["a difference that nobody notices", { less: 0.01, stderr: 0.001, saved: 0.001 }, "cheap"],
    ["one, and about as cheap", { less: 0.01, stderr: 0.001, saved: 0.0001 }, "good"],
    ["one that is known too little", { less: 0.03, stderr: 0.3, saved: 0.002 }, "cheap"],
    ["one that is worth its cost", { less: 0.03, stderr: 0.01, saved: 0.03 }, "good"],
    ["one that is not", { less: 0.03, stderr: 0.01, saved: 0.05 }, "cheap"],
  ])("above weight 0, of two models with %s", (_, { less, stderr, saved }, expected) => {
    const pair = [named("good", 0.8, 0.1, { stderr }), named("cheap", 0.8 - less, 0.1 - saved, { stderr })];
    expect(choose(pair, 0.2).selected.model).toBe(expected);
    expect(choose(pair, 0).selected.model).toBe("good");
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
    const { candidates } = choose(list, 0, Float64Array.of(0.1, 0));
    expect(candidates.map(({ model }) => model)).toEqual(["b", "a"]);
  });

  it("considers models of unknown cost at weight 0", () => {
    expect(order([named("private", 0.9, null), named("public", 0.8, 0.1)], 0)[0]).toBe("private");
  });

  it("pays for a hundredth of quality at most what the weight says, and nothing for none", () => {
    fc.assert(
      fc.property(estimates, fc.double({ min: 0.02, max: 0.4, noNaN: true }), (list, w) => {
        const { expectedQuality, expectedCostUsd } = choose(list, w).selected;
        for (const { quality, costUsd } of list) {
          const paid = (expectedCostUsd as number) - (costUsd as number);
          const gained = 100 * (expectedQuality - quality);
          expect(paid).toBeLessThanOrEqual(Math.max(0, gained) * usdPerPoint(w) + 1e-9);
          if (paid === 0) expect(gained).toBeGreaterThanOrEqual(0);
        }
      }),
      { ...FIXED_CASES, numRuns: 500 },
    );
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

const order = (list: readonly Estimate[], w: number) => choose(list, w).candidates.map(({ model }) => model);

function hash(text: string, seed: number): number {
  let value = seed;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) as number), 2654435761);
  return value;
}
