import type { Clock } from "../../foundation/timers.js";
import type { Router } from "../../router/router.js";
import { type Estimate, quantileOf } from "../metrics/bootstrap.js";

/** What a decision takes, one at a time, embedding included. */
export interface DecisionLatency {
  /** Microseconds of the middle decision. Depends on the machine and on what else it does. */
  readonly medianUs: number;
  /**
   * A fast decision (10th percentile of a round) as a multiple of a fixed piece of arithmetic that is timed in turn with it, so that
   * it can be compared between machines and hours: the middle of the rounds, and the range of the middle half of them.
   */
  readonly ratio: Estimate;
}

export interface LatencyOptions {
  readonly costWeight: number;
  readonly models: readonly string[];
  /** Milliseconds, to the microsecond. */
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

const ROUNDS = 15;
const DECISIONS_A_ROUND = 40;
/** About as long as a decision takes. */
const REFERENCE_STEPS = 100_000;

/** @param texts at least one */
export async function measureLatency(
  router: Pick<Router, "route">,
  texts: readonly string[],
  { costWeight, models, clock, signal }: LatencyOptions,
): Promise<DecisionLatency> {
  const ratios: number[] = [];
  const times: number[] = [];
  // The first round compiles the code, and counts for nothing.
  for (let round = 0; round <= ROUNDS; round++) {
    signal?.throwIfAborted();
    const decisions: number[] = [];
    const references: number[] = [];
    for (let decision = 0; decision < DECISIONS_A_ROUND; decision++) {
      const text = texts[(round * DECISIONS_A_ROUND + decision) % texts.length] as string;
      const started = clock();
      await router.route({ messages: [{ role: "user", content: text }], costWeight, models });
      const ended = clock();
      referenceWork();
      decisions.push(ended - started);
      references.push(clock() - ended);
    }
    if (round === 0) continue;
    times.push(...decisions);
    ratios.push(fast(decisions) / fast(references));
  }
  ratios.sort((a, b) => a - b);
  return {
    medianUs: 1000 * median(times),
    ratio: { value: median(ratios), low: quantileOf(ratios, 0.25), high: quantileOf(ratios, 0.75) },
  };
}

/** Additions that depend on each other, so that no processor can shorten them. */
function referenceWork(): number {
  let state = 1;
  for (let step = 0; step < REFERENCE_STEPS; step++)
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  return state;
}

const quantile = (values: readonly number[], share: number): number =>
  quantileOf(
    values.toSorted((a, b) => a - b),
    share,
  );

const median = (values: readonly number[]): number => quantile(values, 0.5);

/** What other processes on the machine slow down least: within 8 % from run to run at a load of 14 on 2 cores, medians within 25 %. */
const fast = (values: readonly number[]): number => quantile(values, 0.1);
