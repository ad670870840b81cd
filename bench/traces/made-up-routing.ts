import type { RoutingBody } from "../../src/engine/router/routing-body.js";

export interface RoutingChoice {
  readonly model: string;
  readonly provider: string;
  /** Among which it is chosen; the decision weighs some of them. */
  readonly models: readonly string[];
}

/** Models that a decision weighs, at least and at most. */
const LEAST = 4;
const MOST = 12;

const figure = (value: number): number => Math.round(value * 1e6) / 1e6;

/** A decision as a trace holds it: with figures of the length that real ones have. */
export function makeRouting(random: () => number, { model, provider, models }: RoutingChoice): RoutingBody {
  const count = LEAST + Math.floor(random() * (MOST - LEAST + 1));
  const first = Math.floor(random() * models.length);
  const others = Array.from({ length: count - 1 }, (_, at) => models[(first + at) % models.length] ?? "");
  const candidates = [model, ...others.filter((other) => other !== model)].map((id) => ({
    model: id,
    provider,
    expected_quality: figure(0.4 + 0.5 * random()),
    quality_stderr: figure(0.05 * random()),
    expected_cost_usd: Math.round(1e8 * random()) / 1e11,
    score: figure(random()),
    evidence: figure(60 * random()),
    basis: "both" as const,
    expected_answer_tokens: Math.round(10_000 * random()) / 10,
    expected_reasoning_tokens: Math.round(5_000 * random()) / 10,
    effort: null,
    expected_cost_p90_usd: Math.round(2e8 * random()) / 1e11,
  }));
  const quality = candidates[0]?.expected_quality ?? 0;
  const [embed, search, score] = [figure(0.1 * random()), figure(0.1 * random()), figure(0.02 * random())];
  return {
    selected_model: model,
    selected_provider: provider,
    expected_quality: quality,
    expected_error: figure(1 - quality),
    expected_cost_usd: candidates[0]?.expected_cost_usd ?? null,
    expected_answer_tokens: Math.round(10_000 * random()) / 10,
    cost_adjusted_score: candidates[0]?.score ?? 0,
    cost_weight: 0.3,
    confidence: figure(random()),
    reason: "cheapest within noise of the best",
    all_scores: Object.fromEntries(candidates.map((candidate) => [candidate.model, candidate.score])),
    candidates,
    candidates_total: candidates.length,
    candidates_placed: 0,
    excluded: [],
    nearest_similarity: figure(0.3 + 0.6 * random()),
    out_of_distribution: false,
    profile_version: "2026-01",
    timings_ms: { embed, search, score, total: figure(embed + search + score) },
  };
}
