import type { Profiles } from "../api/profiles.js";

/** Fewer samples than this say little about one benchmark (a guess). */
const LEAST_SAMPLES = 20;
const MOST = 3;

/** Where a model is further above the mean of all models than elsewhere, the best first; leads from 0 to 1. */
export function bestBenchmarks(
  model: string,
  { benchmarkScores, means }: Pick<Profiles, "benchmarkScores" | "means">,
): readonly { readonly benchmark: string; readonly lead: number }[] {
  return (benchmarkScores.get(model) ?? [])
    .filter(({ samples }) => samples >= LEAST_SAMPLES)
    .map(({ benchmark, mean_quality: quality }) => ({
      benchmark,
      lead: quality - (means.get(benchmark) ?? 0),
    }))
    .filter(({ lead }) => lead >= 0.01)
    .sort((left, right) => right.lead - left.lead)
    .slice(0, MOST);
}
