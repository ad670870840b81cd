import type { BenchmarkScoresBody } from "../../gateway/api/explanation.js";
import type { ProfileBody, ProfileListBody, ReloadBody } from "../../gateway/api/profiles.js";
import { call } from "./call.js";

export type { ProfileBody as Profile };

type BenchmarkScore = BenchmarkScoresBody["data"][number]["benchmarks"][number];

export interface Profiles {
  readonly list: readonly ProfileBody[];
  /** The sets in use, with the cost weight that was saved in each. */
  readonly sets: ProfileListBody["sets"];
  /** By model. */
  readonly benchmarkScores: ReadonlyMap<string, readonly BenchmarkScore[]>;
  /** Mean over the models, each counting once, by benchmark. */
  readonly means: ReadonlyMap<string, number>;
}

export async function loadProfiles(signal: AbortSignal): Promise<Profiles> {
  const [{ data: list, sets }, { data }] = await Promise.all([
    call<ProfileListBody>("/v1/router/profiles", { signal }),
    call<BenchmarkScoresBody>("/admin/router/benchmark-scores", { signal }),
  ]);
  const benchmarkScores = new Map(data.map(({ model, benchmarks }) => [model, benchmarks]));
  return { list, sets, benchmarkScores, means: meansOf([...benchmarkScores.values()].flat()) };
}

export const reloadProfiles = (): Promise<ReloadBody> => call("/admin/reload", { method: "POST" });

function meansOf(all: readonly BenchmarkScore[]): ReadonlyMap<string, number> {
  const grouped = Map.groupBy(all, ({ benchmark }) => benchmark);
  return new Map(
    [...grouped].map(([benchmark, scores]) => [
      benchmark,
      scores.reduce((sum, { mean_quality: quality }) => sum + quality, 0) / scores.length,
    ]),
  );
}
