import { call } from "./call.js";
import type { Basis } from "./profiles.js";

export interface Candidate {
  readonly model: string;
  readonly provider: string | null;
  readonly expected_quality: number;
  readonly quality_stderr: number;
  readonly expected_cost_usd: number | null;
  readonly score: number;
  readonly evidence: number;
  readonly basis: Basis;
}

/** How a model was chosen, as decisions and traces have it. */
export interface Routing {
  readonly selected_model: string;
  readonly selected_provider: string | null;
  readonly expected_quality: number;
  readonly expected_cost_usd: number | null;
  readonly cost_weight: number;
  readonly confidence: number;
  readonly reason: string;
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly { readonly model: string; readonly reason: string }[];
  readonly nearest_similarity: number;
  readonly out_of_distribution: boolean;
  readonly profile_version: string;
  readonly timings_ms: { readonly total: number };
}

export interface Choice {
  readonly from_cost_weight: number;
  readonly model: string;
  readonly expected_quality: number;
  readonly expected_cost_usd: number | null;
}

export interface NearestPrompt {
  readonly benchmark: string;
  readonly similarity: number;
  readonly ease: number;
  readonly scores: Readonly<Record<string, number>>;
}

/** Answer of `POST /admin/router/explain`. */
export interface Explanation {
  readonly routing: Routing;
  readonly choices: readonly Choice[];
  readonly nearest: readonly NearestPrompt[];
}

export interface Question {
  readonly prompt: string;
  readonly costWeight: number;
  readonly runnableOnly: boolean;
}

export const explain = (
  { prompt, costWeight, runnableOnly }: Question,
  signal: AbortSignal,
): Promise<Explanation> =>
  call("/admin/router/explain", {
    method: "POST",
    body: {
      messages: [{ role: "user", content: prompt }],
      cost_weight: costWeight,
      runnable_only: runnableOnly,
    },
    signal,
  });
