import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../../../bench/report/result.js";

/** A result of the suite latency without figures, unless told otherwise. */
export function resultWith(parts: Partial<BenchmarkResult> = {}): BenchmarkResult {
  return {
    version: RESULT_VERSION,
    suite: "latency",
    question: "How long does it take?",
    command: "npm run bench -- latency",
    environment: {
      processor: "A processor",
      cores: 2,
      node: "v20.19.0",
      commit: "abc1234",
      date: "2026-11-21T12:00:00.000Z",
      load: 0.5,
    },
    datasets: [],
    seeds: [],
    figures: [],
    notes: [],
    ...parts,
  };
}

/** A ratio, less of which is better. */
export function ratioFigure(id: string, samples: readonly number[]): Figure {
  const middle = samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? null;
  return { id, label: id, value: middle, unit: "ratio", better: "lower", samples: [...samples] };
}

/** Deterministic normal noise: the same seed gives the same values. */
export function noise(seed: number): () => number {
  let state = seed >>> 0 || 1;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** `rounds` measurements of a figure whose true value is `truth`, with relative noise `spread`. */
export function measured(
  truth: number,
  { rounds, spread, draw }: { readonly rounds: number; readonly spread: number; readonly draw: () => number },
): number[] {
  return Array.from({ length: rounds }, () => truth * Math.exp(spread * draw()));
}
