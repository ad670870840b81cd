import { describe, expect, it } from "vitest";
import { figuresOf, type Life } from "../../../bench/overhead/figures.js";
import { gate } from "../../../bench/report/gate.js";
import { noise, resultWith } from "../report/results-for-test.js";

/** As CI has it (bench/suites.ts), and the baseline. */
const LIVES_OF_RUN = 5;
const LIVES_OF_BASELINE = 10;
/** Relative spread of the ratios of one process to the next. */
const SPREAD = 0.03;

const JUDGED = [
  "overhead/json/cpu_over_bare",
  "overhead/stream/cpu_over_bare",
  "overhead/decision/cpu_over_bare",
  "overhead/decision/time_over_bare",
  "overhead/start/ready_over_bare",
  "overhead/start/cpu_over_bare",
  "overhead/memory/resident_over_bare",
];

type Slower = (life: Life) => Life;

const unchanged: Slower = (life) => life;

interface RunOptions {
  readonly slower?: Slower;
  readonly spread?: number;
}

/** A run whose figures differ from process to process. */
function run(draw: () => number, lives: number, { slower = unchanged, spread = SPREAD }: RunOptions = {}) {
  const around = (ours: number, bare: number) => ({ ours: ours * Math.exp(spread * draw()), bare });
  const life = (): Life => ({
    cpuUs: { json: around(250, 50), stream: around(1300, 500), decision: around(400, 55) },
    decisionMs: around(0.6, 0.1),
    readyMs: around(830, 185),
    startCpuMs: around(900, 250),
    residentMb: around(225, 66),
  });
  const figures = figuresOf(Array.from({ length: lives }, () => slower(life())));
  return resultWith({ suite: "overhead", figures });
}

const by = ({ ours, bare }: Life["readyMs"], factor: number) => ({ ours: ours * factor, bare });

const SLOWDOWNS: readonly ((factor: number) => Slower)[] = [
  (factor) => (life) => ({ ...life, cpuUs: { ...life.cpuUs, json: by(life.cpuUs.json, factor) } }),
  (factor) => (life) => ({ ...life, cpuUs: { ...life.cpuUs, stream: by(life.cpuUs.stream, factor) } }),
  (factor) => (life) => ({ ...life, cpuUs: { ...life.cpuUs, decision: by(life.cpuUs.decision, factor) } }),
  (factor) => (life) => ({ ...life, decisionMs: by(life.decisionMs, factor) }),
  (factor) => (life) => ({ ...life, readyMs: by(life.readyMs, factor) }),
  (factor) => (life) => ({ ...life, startCpuMs: by(life.startCpuMs, factor) }),
  (factor) => (life) => ({ ...life, residentMb: by(life.residentMb, factor) }),
];

const RUNS = 100;

/** How many of a hundred pairs of runs fail. */
function failures(seed: number, { slower = unchanged, spread = SPREAD }: RunOptions): number {
  const draw = noise(seed);
  return Array.from({ length: RUNS }, () =>
    gate(run(draw, LIVES_OF_BASELINE, { spread }), run(draw, LIVES_OF_RUN, { slower, spread })),
  ).filter(({ passed }) => !passed).length;
}

describe("The gate on the gateway's cost", () => {
  it("judges the ratios to the bare servers, and no absolute time", () => {
    const { judgements } = gate(run(noise(1), LIVES_OF_BASELINE), run(noise(2), LIVES_OF_RUN));
    const judged = judgements.filter(({ verdict }) => verdict !== "not judged").map(({ id }) => id);
    expect(judged).toEqual(JUDGED);
  });

  it("does not judge times by the clock when the load of a run was above the number of cores", () => {
    const busy = run(noise(2), LIVES_OF_RUN);
    const { judgements } = gate(run(noise(1), LIVES_OF_BASELINE), {
      ...busy,
      environment: { ...busy.environment, load: 2.1 },
    });
    const judged = judgements.filter(({ verdict }) => verdict !== "not judged").map(({ id }) => id);
    expect(judged).toEqual(JUDGED.filter((id) => !/time|ready/.test(id)));
  });

  it("lets a run without a change pass", () => {
    expect(failures(1, {})).toBe(0);
  });

  it("fails on 15 % more of any one figure", () => {
    for (const [seed, slowed] of SLOWDOWNS.entries())
      expect(failures(seed, { slower: slowed(1.15) })).toBeGreaterThanOrEqual(90);
  });
});
