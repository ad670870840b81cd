import { Bench } from "tinybench";
import { quantile } from "../report/statistics.js";

/** One thing to be timed, as often as it takes. */
export interface TimedCase {
  /** Unique: `latency/embed/t50`. */
  readonly id: string;
  /** What a person calls it. */
  readonly label: string;
  /** One execution; the number counts executions, so that inputs can take turns. */
  readonly run: (execution: number) => unknown;
}

export interface Timing {
  readonly id: string;
  readonly label: string;
  /** One value for each round, in microseconds. */
  readonly rounds: readonly Round[];
}

export interface Round {
  readonly mean: number;
  /** Microseconds that the shares of `CURVE` of all executions did not exceed. */
  readonly curve: readonly number[];
}

/** Shares at which a round's times are kept: enough to draw their distribution. */
export const CURVE: readonly number[] = [
  0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995,
];

/** Of a round, one of the shares of `CURVE`. */
export const timeAt = ({ curve }: Round, share: number): number => curve[CURVE.indexOf(share)] ?? Number.NaN;

export interface InterleaveOptions {
  readonly rounds: number;
  /** For each case in each round. */
  readonly milliseconds: number;
  readonly onRound?: (done: number, total: number) => void;
}

/**
 * Times all cases in interleaved rounds, so that a slow minute of the machine affects all of them and ratios within a
 * round stay meaningful. The first round is a warm-up and discarded.
 */
export async function timeInterleaved(
  cases: readonly TimedCase[],
  { rounds, milliseconds, onRound }: InterleaveOptions,
): Promise<Timing[]> {
  const found = new Map(cases.map(({ id }) => [id, [] as Round[]]));
  for (let round = 0; round <= rounds; round++) {
    const bench = new Bench({
      ...{ time: milliseconds, iterations: 1, warmup: false, throws: true, retainSamples: true },
    });
    for (const timedCase of cases) {
      let execution = 0;
      bench.add(timedCase.id, () => timedCase.run(execution++));
    }
    await bench.run();
    for (const { name, result } of bench.tasks) {
      if (!("latency" in result)) throw new Error(`${name} was not timed: ${result.state}`);
      if (round > 0) found.get(name)?.push(roundOf(result.latency));
    }
    onRound?.(round, rounds);
  }
  return cases.map(({ id, label }) => ({ id, label, rounds: found.get(id) ?? [] }));
}

function roundOf({ mean, samples }: { mean: number; samples?: readonly number[] | undefined }): Round {
  return { mean: mean * 1_000, curve: CURVE.map((share) => quantile(samples ?? [], share) * 1_000) };
}
