import { call } from "./call.js";

/** What a profile rests on: graded answers, published scores, or both. */
export type Basis = "measured" | "placed" | "both";

interface PublishedScore {
  readonly benchmark: string;
  readonly source: string;
  readonly date: string | null;
}

/** A model's profile, as `GET /v1/router/profiles` has it. */
export interface Profile {
  readonly model: string;
  readonly basis: Basis;
  readonly samples: number;
  readonly expected_quality: number;
  readonly quality_stderr: number;
  readonly mean_cost_usd: number | null;
  /** How long answers in use are against what the profile expects. */
  readonly length_correction: { readonly ratio: number; readonly answers: number } | null;
  readonly published: readonly PublishedScore[];
  readonly embedder: string;
  readonly built_at: string;
  readonly version: string;
}

interface Strength {
  readonly benchmark: string;
  readonly samples: number;
  readonly mean_quality: number;
}

export interface Profiles {
  readonly list: readonly Profile[];
  /** By model. */
  readonly strengths: ReadonlyMap<string, readonly Strength[]>;
  /** Mean over the models, each counting once, by benchmark. */
  readonly means: ReadonlyMap<string, number>;
}

interface StrengthsBody {
  readonly data: readonly { readonly model: string; readonly benchmarks: readonly Strength[] }[];
}

export async function loadProfiles(signal: AbortSignal): Promise<Profiles> {
  const [{ data: list }, { data }] = await Promise.all([
    call<{ readonly data: readonly Profile[] }>("/v1/router/profiles", { signal }),
    call<StrengthsBody>("/admin/router/strengths", { signal }),
  ]);
  const strengths = new Map(data.map(({ model, benchmarks }) => [model, benchmarks]));
  return { list, strengths, means: meansOf([...strengths.values()].flat()) };
}

export const reloadProfiles = (): Promise<{ readonly count: number; readonly notes: readonly string[] }> =>
  call("/admin/profiles/reload", { method: "POST" });

function meansOf(all: readonly Strength[]): ReadonlyMap<string, number> {
  const grouped = Map.groupBy(all, ({ benchmark }) => benchmark);
  return new Map(
    [...grouped].map(([benchmark, each]) => [
      benchmark,
      each.reduce((sum, { mean_quality: quality }) => sum + quality, 0) / each.length,
    ]),
  );
}
