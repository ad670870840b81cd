import type { CostWeightBody, CostWeightListBody } from "../../gateway/api/cost-weights.js";
import type { BenchmarkScoresBody, ExplanationBody } from "../../gateway/api/explanation.js";
import type { ProfileBody, ProfileListBody, ReloadBody } from "../../gateway/api/profiles.js";
import type { SetReportReplyBody } from "../../gateway/api/set-report.js";
import { call } from "./call.js";

export type { CandidateBody as Candidate, Routing } from "../../gateway/api/routing.js";
export type { ExplanationBody as Explanation };
export type Choice = ExplanationBody["choices"][number];
export type NearestPrompt = ExplanationBody["nearest"][number];

interface ExplainQuestion {
  readonly prompt: string;
  readonly system?: string;
  readonly costWeight: number;
  readonly runnableOnly: boolean;
}

export const explainPrompt = (
  { prompt, system, costWeight, runnableOnly }: ExplainQuestion,
  signal: AbortSignal,
): Promise<ExplanationBody> =>
  call("/admin/router/explain", {
    method: "POST",
    body: {
      messages: messagesOf(prompt, system),
      cost_weight: costWeight,
      runnable_only: runnableOnly,
    },
    signal,
  });

/** A conversation of one prompt; an empty system prompt is left out. */
export const messagesOf = (prompt: string, system = "") => [
  ...(system.trim() === "" ? [] : [{ role: "system", content: system }]),
  { role: "user", content: prompt },
];

const AT_ONCE = 4;

/** What is decided for each of several prompts at cost weight 0, in their order; a few are asked for at once. */
export async function explainAll(
  prompts: readonly string[],
  { signal, ...more }: Omit<ExplainQuestion, "prompt" | "costWeight"> & { readonly signal: AbortSignal },
): Promise<readonly ExplanationBody[]> {
  const found: ExplanationBody[] = [];
  for (let at = 0; at < prompts.length; at += AT_ONCE) {
    const asked = prompts.slice(at, at + AT_ONCE).map((prompt) => ({ ...more, prompt, costWeight: 0 }));
    found.push(...(await Promise.all(asked.map((question) => explainPrompt(question, signal)))));
  }
  return found;
}

/** What a cost weight means in dollars; null without prices. */
export type Meaning = CostWeightBody["meaning"];
export type CostWeights = CostWeightListBody;

/** That of `model: "auto"`, by the settings; undefined until it is known. */
export const autoWeight = (weights: CostWeights | undefined): number | undefined =>
  weights?.named.find(({ model }) => model === "auto")?.cost_weight;

export const loadCostWeights = (signal: AbortSignal): Promise<CostWeights> =>
  call("/v1/router/cost-weights", { signal });

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

export type { SetReportReplyBody as SetReport };

/** @param set name of one of several sets; null: the first */
export const loadSetReport = (set: string | null, signal: AbortSignal): Promise<SetReportReplyBody> =>
  call("/admin/router/report", { query: { set }, signal });
