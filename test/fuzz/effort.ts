import fc from "fast-check";

const SEED = 20_261_123;
/** Cases between two looks at the time. */
const BATCH = 20;

export interface Effort<Case> {
  /** How many cases are tried without `FUZZ_SECONDS`. */
  readonly runs: number;
  /** Of the seconds, for a property that is one of several in a test; default all of them. */
  readonly share?: number;
  /** Cases that are tried first. */
  readonly examples?: Case[];
}

/**
 * Tries a property: a fixed number of cases, always the same, or, with `FUZZ_SECONDS`, as many random ones as fit into that
 * time, and some at least. fast-check prints the seed and the smallest case of a failure.
 */
export async function fuzz<Case>(
  property: fc.IAsyncProperty<Case>,
  { runs, share = 1, examples = [] }: Effort<Case>,
): Promise<void> {
  const seconds = Number(process.env.FUZZ_SECONDS ?? 0);
  if (seconds === 0) return fc.assert(property, { numRuns: runs, seed: SEED, examples });
  const endMs = performance.now() + share * seconds * 1000;
  do await fc.assert(property, { numRuns: BATCH, examples });
  while (performance.now() < endMs);
}

/** For `it`: what the effort asks for, and time for shrinking. */
export const FUZZ_TIMEOUT_MS = 300_000 + 2000 * Number(process.env.FUZZ_SECONDS ?? 0);
