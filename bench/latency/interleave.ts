import { Bench } from "tinybench";
import { median } from "../report.js";

/** One thing to be timed, as often as it takes. */
export interface TimedCase {
  readonly name: string;
  /** Name of the case its ratio is taken to; absent for a reference itself. */
  readonly reference?: string;
  /** One execution; the number counts executions, so that inputs can take turns. */
  readonly run: (execution: number) => unknown;
}

export interface Timing {
  readonly name: string;
  readonly reference: string | null;
  /** Microseconds: median over the rounds of each round's median, and of its 99th percentile. */
  readonly p50: number;
  readonly p99: number;
  /** Median over the rounds of p50 ÷ the reference's p50 in the same round; null for a reference. */
  readonly ratio: number | null;
}

export interface InterleaveOptions {
  readonly rounds: number;
  /** For each case in each round. */
  readonly milliseconds: number;
  readonly onRound?: (done: number, total: number) => void;
}

/**
 * Times all cases in turn, round after round, so that a slow minute of the machine slows them all: a ratio within a
 * round keeps its meaning when the times do not. The first round warms up and is thrown away.
 */
export async function timeInterleaved(
  cases: readonly TimedCase[],
  { rounds, milliseconds, onRound }: InterleaveOptions,
): Promise<Timing[]> {
  const found = new Map(cases.map(({ name }) => [name, { p50: [] as number[], p99: [] as number[] }]));
  for (let round = 0; round <= rounds; round++) {
    const bench = new Bench({ time: milliseconds, iterations: 1, warmup: false, throws: true });
    for (const each of cases) {
      let execution = 0;
      bench.add(each.name, () => each.run(execution++));
    }
    await bench.run();
    if (round > 0) {
      for (const { name, result } of bench.tasks) {
        if (!("latency" in result)) throw new Error(`${name} was not timed: ${result.state}`);
        found.get(name)?.p50.push(result.latency.p50 * 1_000);
        found.get(name)?.p99.push(result.latency.p99 * 1_000);
      }
    }
    onRound?.(round, rounds);
  }
  return cases.map(({ name, reference }) => {
    const own = found.get(name);
    const others = reference === undefined ? undefined : found.get(reference)?.p50;
    const ratios = own?.p50.map((p50, round) => p50 / (others?.[round] ?? Number.NaN)) ?? [];
    return {
      name,
      reference: reference ?? null,
      p50: median(own?.p50 ?? []),
      p99: median(own?.p99 ?? []),
      ratio: others === undefined ? null : median(ratios),
    };
  });
}
