import type { Router } from "../../engine/router/router.js";
import { type Estimate, quantileOf } from "../../foundation/bootstrap.js";
import type { Clock } from "../../foundation/timers.js";

/** What a decision takes, one at a time, embedding included. */
export interface DecisionLatency {
  /** Microseconds of the middle decision. Depends on the machine and on what else it does. */
  readonly medianUs: number;
  /**
   * The mean over prompts of the fastest decision of each, as a multiple of the fastest of a fixed piece of arithmetic that is timed in
   * turn with them, so that it can be compared between machines and hours. The range ends with the slowest of three thirds of the
   * rounds, each of which had fewer chances to be undisturbed.
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

/** Spread over the texts: each is decided once a round. */
const MOST_TEXTS = 40;
/** In the first rounds the code is compiled, which takes longer on a busy machine; they count for nothing. */
const WARM_UP_ROUNDS = 10;
const ROUNDS = 30;
/** About as long as a decision takes. */
const REFERENCE_STEPS = 100_000;

/** Times in milliseconds, one a round. */
interface Times {
  readonly decisions: readonly (readonly number[])[];
  readonly references: readonly number[];
}

/** @param texts at least one */
export async function measureLatency(
  router: Pick<Router, "route">,
  texts: readonly string[],
  { costWeight, models, clock, signal }: LatencyOptions,
): Promise<DecisionLatency> {
  const step = Math.max(1, texts.length / MOST_TEXTS);
  const chosen = texts.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  const decisions = chosen.map((): number[] => []);
  const references: number[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    signal?.throwIfAborted();
    for (const [index, text] of chosen.entries()) {
      const started = clock();
      await router.route({ messages: [{ role: "user", content: text }], costWeight, models });
      const ended = clock();
      referenceWork();
      const worked = clock();
      if (round < WARM_UP_ROUNDS) continue;
      decisions[index]?.push(ended - started);
      references.push(worked - ended);
    }
  }
  const value = ratioOf({ decisions, references });
  const thirds = [0, 1, 2].map((third) =>
    ratioOf({
      decisions: decisions.map((times) => times.filter((_, round) => round % 3 === third)),
      references,
    }),
  );
  return {
    medianUs: 1000 * quantileOf(decisions.flat().sort(ascending), 0.5),
    ratio: { value, low: value, high: Math.max(value, ...thirds) },
  };
}

/**
 * Other work on the machine only adds to a time, so that the fastest are disturbed least. Beside four busy processes on 2 cores they still
 * differed by up to 55 % between runs of `profile eval`, fast decisions of a round (10th percentile) by 70 %.
 */
function ratioOf({ decisions, references }: Times): number {
  const fastest = decisions.map((times) => Math.min(...times));
  return fastest.reduce((sum, time) => sum + time, 0) / fastest.length / Math.min(...references);
}

/** Additions that depend on each other, so that no processor can shorten them. */
function referenceWork(): number {
  let state = 1;
  for (let step = 0; step < REFERENCE_STEPS; step++)
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  return state;
}

const ascending = (a: number, b: number): number => a - b;
