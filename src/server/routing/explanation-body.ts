import type { BenchmarkScores, Explanation, NearestAnchor } from "../../router/explanation.js";
import { routingBody } from "../../router/routing-body.js";

/** The figures of an explanation in the form of `POST /admin/router/explain`. */
export function explanationBody({ decision, choices, nearest }: Explanation) {
  const shown = new Set([decision.selectedModel, ...choices.map(({ model }) => model)]);
  return {
    object: "router.explanation" as const,
    routing: routingBody(decision),
    choices: choices.map(({ fromCostWeight, model, expectedQuality, expectedCostUsd }) => ({
      from_cost_weight: fromCostWeight,
      model,
      expected_quality: rounded(expectedQuality),
      expected_cost_usd: expectedCostUsd,
    })),
    nearest: nearest.map((anchor) => nearestBody(anchor, shown)),
  };
}

function nearestBody({ benchmark, similarity, ease, scores }: NearestAnchor, shown: ReadonlySet<string>) {
  return {
    benchmark,
    similarity: rounded(similarity),
    ease: rounded(ease),
    scores: Object.fromEntries(
      [...scores].filter(([model]) => shown.has(model)).map(([model, quality]) => [model, rounded(quality)]),
    ),
  };
}

/** In the form of `GET /admin/router/strengths`, by model id. */
export const strengthsBody = (strengths: BenchmarkScores) =>
  [...strengths]
    .map(([model, benchmarks]) => ({
      model,
      benchmarks: benchmarks.map(({ benchmark, samples, meanQuality }) => ({
        benchmark,
        samples,
        mean_quality: rounded(meanQuality),
      })),
    }))
    .sort((left, right) => (left.model < right.model ? -1 : 1));

/** Four decimals. */
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
