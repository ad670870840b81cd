/** What the gate says that it can see, on planted losses. */
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import type { EvaluatedDecision } from "../../../src/workbench/evaluation/evaluate.js";
import { DEFAULT_TOLERANCE, judge } from "../../../src/workbench/evaluation/gate.js";
import { sensitivityOf } from "../../../src/workbench/evaluation/sensitivity.js";

const SEEDS = Array.from({ length: 80 }, (_, seed) => seed);

/** Prompts that move to another model, and the chance of a right answer to them before and after; the others stay. */
interface Planted {
  readonly share: number;
  readonly before: number;
  readonly after: number;
}

type Pair = readonly [before: EvaluatedDecision, after: EvaluatedDecision];

/** Prompts of which that share moves, each answered right or wrong at random; those that stay do not change. */
function drawn(
  { share, before, after }: Planted,
  { prompts, seed }: { prompts: number; seed: number },
): Pair[] {
  const random = seededRandom(seed);
  return Array.from({ length: prompts }, (_, index): Pair => {
    const moves = random() < share;
    const decided = (model: string, chance: number) => ({
      id: `p${index}`,
      benchmark: "planted",
      model,
      costUsd: null,
      quality: random() < chance ? 1 : 0,
    });
    const first = decided("before", before);
    return [first, moves ? decided("after", after) : first];
  });
}

function gateOf(pairs: readonly Pair[], strict?: number) {
  const [decisions, now] = [pairs.map(([before]) => before), pairs.map(([, after]) => after)];
  const baseline = { profileVersion: "a", costWeight: 0.2, decisions, latency: null };
  return judge({ decisions: now, costWeight: 0.2 }, { baseline }, { tolerance: DEFAULT_TOLERANCE, strict });
}

const sensitivityAt = (pairs: readonly Pair[]) =>
  sensitivityOf(pairs.map(([before, after]) => after.quality - before.quality));

/** The share of the draws for which it holds. */
const shareOf = (holds: (seed: number) => boolean): number => SEEDS.filter(holds).length / SEEDS.length;

/** A model that answers 46 % of the prompts is dropped; those that take them over lose 3.5 points over all prompts. */
const DROPPED: Planted = { share: 0.46, before: 0.92, after: 0.92 - 0.035 / 0.46 };
/** The same loss, all of it on few prompts that were right. */
const RARE: Planted = { share: 0.035, before: 1, after: 0 };

describe("What a gate can see", () => {
  it("is a loss that it detects four times in five", () => {
    const prompts = 166;
    const detectable = SEEDS.map((seed) => sensitivityAt(drawn(DROPPED, { prompts, seed })).detectableLoss);
    const loss = detectable.reduce((sum, one) => sum + one, 0) / SEEDS.length;
    const planted = { ...DROPPED, after: DROPPED.before - loss / DROPPED.share };
    const seen = shareOf((seed) => !gateOf(drawn(planted, { prompts, seed })).passed);
    // The lost answers widen the spread a little.
    expect(seen).toBeGreaterThan(0.68);
    expect(seen).toBeLessThan(0.92);
  });

  it.each([
    ["a model that is dropped", DROPPED],
    ["few prompts", RARE],
  ])("with --strict excludes a loss on %s that is too large but for one draw in forty", (_, planted) => {
    const passed = shareOf(
      (seed) => sensitivityAt(drawn(planted, { prompts: 400, seed })).largestLoss <= 0.034,
    );
    expect(passed).toBeLessThanOrEqual(0.045);
  });

  it("with --strict passes decisions that did not change once there are prompts enough", () => {
    const unchanged = { share: 0, before: 0.8, after: 0.8 };
    const [few, many] = [166, 500].map((prompts) => gateOf(drawn(unchanged, { prompts, seed: 1 }), 0.01));
    const message = "A loss of up to 2.31 points is possible (95% interval), 1.00 are accepted. More prompts";
    const loss = { figure: "loss", isWorse: true, message: expect.stringContaining(message) };
    expect(few).toMatchObject({ passed: false, checks: { 1: loss } });
    expect(many?.passed).toBe(true);
  });
});
