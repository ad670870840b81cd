import type { AnchorSet } from "../estimation/anchor-set.js";
import type { BenchmarkScore, BenchmarkScores } from "./explanation.js";
import { benchmarkOf } from "./nearest-anchors.js";

interface Sum {
  samples: number;
  quality: number;
}

/** Mean score of every model on every benchmark, over all sets. Reads every score: about 100 ms. */
export function benchmarkScoresOf(sets: readonly AnchorSet[]): BenchmarkScores {
  const sums = new Map<string, Map<string, Sum>>();
  for (const set of sets) {
    for (let anchor = 0; anchor < set.index.size; anchor++) {
      const benchmark = benchmarkOf(set, anchor);
      for (const { column, quality } of set.scoresOn(anchor)) {
        const sum = sumOf(sums, { model: set.models[column] as string, benchmark });
        sum.samples += 1;
        sum.quality += quality;
      }
    }
  }
  return new Map([...sums].map(([model, byBenchmark]) => [model, meansOf(byBenchmark)]));
}

function sumOf(
  sums: Map<string, Map<string, Sum>>,
  { model, benchmark }: { readonly model: string; readonly benchmark: string },
): Sum {
  const byBenchmark = sums.get(model) ?? new Map<string, Sum>();
  const sum = byBenchmark.get(benchmark) ?? { samples: 0, quality: 0 };
  sums.set(model, byBenchmark.set(benchmark, sum));
  return sum;
}

const meansOf = (byBenchmark: ReadonlyMap<string, Sum>): readonly BenchmarkScore[] =>
  [...byBenchmark]
    .map(([benchmark, { samples, quality }]) => ({ benchmark, samples, meanQuality: quality / samples }))
    .sort((left, right) => (left.benchmark < right.benchmark ? -1 : 1));
