/** What the gate says that it can see, on planted losses. */
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import type { EvaluatedDecision } from "../../../src/workbench/evaluation/evaluate.js";
import {
  type Baseline,
  DEFAULT_TOLERANCE,
  judge,
  sensitivityText,
} from "../../../src/workbench/evaluation/gate.js";
import { sensitivityOf } from "../../../src/workbench/evaluation/sensitivity.js";

const DRAWS = 100;

interface Kind {
  readonly share: number;
  /** Chance of a right answer before and after. */
  readonly before: number;
  readonly after: number;
  readonly moves: boolean;
}

/** Prompts of kinds, each answered right or wrong at random by the model of before and, where it moves, by the one of after. */
function drawn(kinds: readonly Kind[], { prompts, seed }: { prompts: number; seed: number }) {
  const random = seededRandom(seed);
  const pairs = Array.from({ length: prompts }, (_, index) => {
    const at = random();
    const kind = (at < (kinds[0] as Kind).share ? kinds[0] : kinds.at(-1)) as Kind;
    const decided = (model: string, chance: number): EvaluatedDecision => ({
      ...{ id: `p${index}`, benchmark: "planted", model, costUsd: null },
      quality: random() < chance ? 1 : 0,
    });
    const before = decided("before", kind.before);
    return [before, kind.moves ? decided("after", kind.after) : before] as const;
  });
  return { before: pairs.map(([before]) => before), after: pairs.map(([, after]) => after) };
}

function gateOf({ before, after }: ReturnType<typeof drawn>, strict?: number) {
  const baseline: Baseline = { profileVersion: "a", costWeight: 0.2, decisions: before, latency: null };
  return judge({ decisions: after, costWeight: 0.2 }, { baseline }, { tolerance: DEFAULT_TOLERANCE, strict });
}

const seeds = Array.from({ length: DRAWS }, (_, seed) => seed);

/** A model that answers 46 % of the prompts is dropped; those that take them over lose 3.5 points over all prompts. */
const DROPPED: readonly Kind[] = [
  { share: 0.46, before: 0.92, after: 0.92 - 0.035 / 0.46, moves: true },
  { share: 0.54, before: 0.85, after: 0.85, moves: false },
];

describe("What a gate can see", () => {
  it("fails the drop of a model that answers 46 % of 166 prompts, or says that it cannot see that loss", () => {
    const gates = seeds.map((seed) => gateOf(drawn(DROPPED, { prompts: 166, seed })));
    for (const { passed, sensitivity } of gates)
      expect(!passed || sensitivity.detectableLoss > 0.035).toBe(true);
    // Most pass, which is why it has to be said.
    expect(gates.filter(({ passed }) => passed).length).toBeGreaterThan(DRAWS / 2);
    const { sensitivity } = gates[0] as (typeof gates)[0];
    expect(sensitivityText(sensitivity)).toMatch(
      /^The smallest loss of quality that this gate detects is \d\.\d\d points \(95% interval, power 80%\); one point takes \d{4,5} prompts\.$/,
    );
  });

  it("detects a loss of the size that it names four times in five", () => {
    for (const prompts of [166, 300]) {
      const loss = mean(
        seeds.map((seed) => gateOf(drawn(DROPPED, { prompts, seed })).sensitivity.detectableLoss),
      );
      const planted = [
        { share: 0.46, before: 0.92, after: 0.92 - loss / 0.46, moves: true },
        ...DROPPED.slice(1),
      ];
      const seen = seeds.filter((seed) => !gateOf(drawn(planted, { prompts, seed })).passed).length;
      // The lost answers widen the spread a little.
      expect(seen / DRAWS).toBeGreaterThan(0.68);
      expect(seen / DRAWS).toBeLessThan(0.92);
    }
  });

  it("detects rare losses without any gain, too, at the size that it names for decisions that hardly change", () => {
    const prompts = 400;
    const loss = sensitivityOf(new Float64Array(prompts)).detectableLoss;
    const rare = [
      { share: loss, before: 1, after: 0, moves: true },
      { share: 1 - loss, before: 1, after: 1, moves: false },
    ];
    const seen = seeds.filter((seed) => !gateOf(drawn(rare, { prompts, seed })).passed).length;
    expect(seen / DRAWS).toBeGreaterThan(0.72);
    expect(seen / DRAWS).toBeLessThan(0.9);
  });

  it("with --strict passes a loss that is too large in at most 45 of 1,000 draws, where 25 are expected", () => {
    const losing = [
      DROPPED,
      [
        { share: 0.035, before: 1, after: 0, moves: true },
        { share: 0.965, before: 1, after: 1, moves: false },
      ],
    ];
    for (const kinds of losing) {
      const passed = seeds.filter(
        (seed) => gateOf(drawn(kinds, { prompts: 400, seed }), 0.034).passed,
      ).length;
      expect(passed / DRAWS).toBeLessThanOrEqual(0.045);
    }
  });

  it("with --strict passes decisions that did not change once there are prompts enough", () => {
    const unchanged = [{ share: 1, before: 0.8, after: 0.8, moves: false }];
    const [few, many] = [166, 500].map((prompts) => gateOf(drawn(unchanged, { prompts, seed: 1 }), 0.01));
    expect(few?.passed).toBe(false);
    expect(few?.checks[1]).toMatchObject({
      figure: "loss",
      isWorse: true,
      message: expect.stringMatching(
        /^A loss of up to 2\.31 points is possible \(95% interval\), 1\.00 are accepted\. More prompts/,
      ),
    });
    expect(many?.passed).toBe(true);
  });
});

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
