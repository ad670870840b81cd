import type fc from "fast-check";

const SEED = 20_261_123;
/** fast-check fails a property whose time is over before its first case has ended. */
const LEAST_MS = 10_000;

/**
 * How long a property is tried: a fixed number of runs, always the same, or, with `FUZZ_SECONDS`, as many random ones as fit
 * into that time. fast-check prints the seed and the smallest case of a failure.
 *
 * @param share of the seconds, for a property that is one of several in a test
 */
export function effort(runs: number, share = 1): fc.Parameters<unknown> {
  const seconds = Number(process.env.FUZZ_SECONDS ?? 0);
  if (seconds === 0) return { numRuns: runs, seed: SEED };
  return {
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: Math.max(LEAST_MS, share * seconds * 1000),
    markInterruptAsFailure: false,
  };
}

/** For `it`: what the effort asks for, and time for shrinking. */
export const FUZZ_TIMEOUT_MS = 300_000 + 2000 * Number(process.env.FUZZ_SECONDS ?? 0);
