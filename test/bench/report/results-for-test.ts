import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../../../bench/report/result.js";

/** A result of the suite quality without figures, unless told otherwise. */
export function resultWith(parts: Partial<BenchmarkResult> = {}): BenchmarkResult {
  return {
    version: RESULT_VERSION,
    suite: "quality",
    question: "How good are the decisions?",
    command: "npm run bench -- quality",
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

/** A share, more of which is better: the mean of its samples, one a seed. */
export function shareFigure(id: string, samples: readonly number[]): Figure {
  const value = samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
  return { id, label: id, value, unit: "share", better: "higher", samples: [...samples] };
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
