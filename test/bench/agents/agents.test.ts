import { describe, expect, it } from "vitest";
import { type Compared, figuresOf } from "../../../bench/agents/figures.js";
import { LOOP, type LoopModel, stepsUntilHelp } from "../../../bench/agents/loop.js";
import { type Policy, play, playOften, type Task } from "../../../bench/agents/play.js";
import { atMeanDollars } from "../../../bench/agents/tasks.js";
import type { SparseSet } from "../../../bench/evidence/sparse-set.js";
import { seededRandom } from "../../../src/foundation/random.js";

const never = { count: 0, recovered: 1 };
const FAILS_AT_ONCE = { count: 1000, recovered: 1 };
/** Ten steps, all of which fail in a run that does not solve its task. */
const TELLING: LoopModel = { ...LOOP, steps: 10, solving: never, failing: FAILS_AT_ONCE };

describe("Failed results of a loop", () => {
  it("ask for help after so many in a row, and never where fewer follow each other", () => {
    const steps = (solves: boolean, inARow = 3) =>
      stepsUntilHelp(TELLING, { inARow, solves, random: seededRandom(0) });
    expect([steps(false), steps(true), steps(false, 10)]).toEqual([3, undefined, undefined]);
  });

  it("are as many as errors where each is over at once, and go on where it is not", () => {
    const share = (goesOn: number, inARow: number): number => {
      const errors = { count: 1, recovered: 0 };
      const model = { ...LOOP, steps: 100, failing: errors, while: { recovered: 0, lasting: goesOn } };
      const runs = Array.from({ length: 2000 }, (_, seed) =>
        stepsUntilHelp(model, { inARow, solves: false, random: seededRandom(seed) }),
      );
      return runs.filter((step) => step !== undefined).length / runs.length;
    };
    // 1 − 1/e of the runs have an error.
    expect(share(0, 1)).toBeCloseTo(0.63, 1);
    expect(share(0, 4)).toBe(0);
    expect(share(0.9, 4)).toBeGreaterThan(0.35);
  });
});

describe("A task", () => {
  const price = {
    ...{ inputUsdPerMtok: 10, cachedInputUsdPerMtok: 1, cacheWriteUsdPerMtok: null, outputUsdPerMtok: 50 },
    cacheWriteHourUsdPerMtok: null,
    tiers: [],
  };
  const task: Task = { chosen: { solved: 0, usd: 1 }, better: { solved: 0.75, usd: 20, price } };
  const played = (policy: Policy, { of = task, work = "left" as "left" | "all" } = {}) =>
    play(of, policy, { model: TELLING, work, random: seededRandom(0) });

  it("costs what the chosen model costs until it is switched, then the better model's share and its cache", () => {
    expect(played("never")).toEqual({ solved: 0, usd: 1, switched: 0 });
    expect(played("always")).toEqual({ solved: 0.75, usd: 20, switched: 0 });
    // After 3 of 10 steps; 14,500 tokens at $9 a million.
    expect(played(3)).toEqual({ solved: 0.75, usd: expect.closeTo(0.3 + 14 + 0.1305), switched: 1 });
    expect(played(3, { work: "all" }).usd).toBeCloseTo(20.3);
  });

  it("is not switched where the same model would be chosen, or where the chosen one solves it", () => {
    const same = { ...task, better: undefined };
    const solved = { ...task, chosen: { solved: 1, usd: 1 } };
    expect(played(3, { of: same }).switched).toBe(0);
    expect(played(3, { of: solved })).toEqual({ solved: 1, usd: 1, switched: 0 });
  });

  it("is given by an oracle to the better model where that alone solves it", () => {
    const solvable = { ...task, better: { solved: 1, usd: 20, price } };
    expect(played("oracle", { of: solvable })).toEqual({ solved: 1, usd: 20, switched: 0 });
    const hopeless = { ...task, better: { solved: 0, usd: 20, price } };
    expect(played("oracle", { of: hopeless }).usd).toBe(1);
  });

  it("has the same runs under every policy until they switch", () => {
    const half = { ...task, chosen: { solved: 0.5, usd: 1 } };
    const often = (policy: Policy) =>
      playOften(half, policy, { model: TELLING, work: "left", runs: 100, seed: 1 });
    expect(often(3).switched).toBeCloseTo(1 - often("never").solved);
  });
});

describe("Figures of policies", () => {
  const spent = (solved: number, usd: number) => ({ solved, usd, switched: 0 });
  const compared = (own: Compared["own"]): Compared => ({ own, never: spent(0.5, 1), always: spent(1, 5) });
  const figures = (own: Compared["own"]) => {
    const named = figuresOf([compared(own)], { path: "agents/a", label: "a", costWeight: 0.2 });
    return Object.fromEntries(named.map(({ id, value }) => [id.replace("agents/a/", ""), value]));
  };

  it("compare with drawing between both models at the same dollars, and weigh by the cost weight", () => {
    // Half of the way from $1 to $5, where drawing solves .75; a point is worth two cents at 0.2.
    expect(figures(spent(0.8, 3))).toMatchObject({
      usd_per_solved: 3.75,
      above_mixing: 0.05,
      value_gain: -1.4,
    });
    expect(figures(spent(1, 5))).toMatchObject({ solved: 1, above_mixing: 0 });
  });
});

it("A set without dollars has each model's mean in another", () => {
  const cell = (model: string, costUsd: number | null) => ({
    ...{ prompt: 0, model, score: 1, samples: 1, tokensIn: null, tokensOut: null, costUsd },
  });
  const set = (cells: SparseSet["cells"]): SparseSet => ({ name: "set", sha256: "", prompts: [], cells });
  const paid = set([cell("a", 1), cell("a", 3), cell("a", null)]);
  expect(atMeanDollars(set([cell("a", null), cell("b", null)]), paid).cells).toEqual([cell("a", 2)]);
});
