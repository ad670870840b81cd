import type { StrengthsBody } from "../../api/explanation.js";
import type { ProfileBody, ProfileListBody, ReloadBody } from "../../api/profiles.js";
import { call } from "./call.js";

export type { ProfileBody as Profile };

type Strength = StrengthsBody["data"][number]["benchmarks"][number];

export interface Profiles {
  readonly list: readonly ProfileBody[];
  /** By model. */
  readonly strengths: ReadonlyMap<string, readonly Strength[]>;
  /** Mean over the models, each counting once, by benchmark. */
  readonly means: ReadonlyMap<string, number>;
}

export async function loadProfiles(signal: AbortSignal): Promise<Profiles> {
  const [{ data: list }, { data }] = await Promise.all([
    call<ProfileListBody>("/v1/router/profiles", { signal }),
    call<StrengthsBody>("/admin/router/strengths", { signal }),
  ]);
  const strengths = new Map(data.map(({ model, benchmarks }) => [model, benchmarks]));
  return { list, strengths, means: meansOf([...strengths.values()].flat()) };
}

export const reloadProfiles = (): Promise<ReloadBody> => call("/admin/profiles/reload", { method: "POST" });

function meansOf(all: readonly Strength[]): ReadonlyMap<string, number> {
  const grouped = Map.groupBy(all, ({ benchmark }) => benchmark);
  return new Map(
    [...grouped].map(([benchmark, each]) => [
      benchmark,
      each.reduce((sum, { mean_quality: quality }) => sum + quality, 0) / each.length,
    ]),
  );
}
