import { z } from "zod";
import type { BenchmarkScores, Explanation, NearestAnchor } from "../../engine/router/explanation.js";
import { routingBody } from "../../engine/router/routing-body.js";
import { closedObject } from "../../foundation/closed-object.js";
import { candidateModels, costWeight, flag } from "./fields.js";
import { messagesSchema } from "./messages.js";
import { routingSchema } from "./routing.js";

/** Body of `POST /admin/router/explain`. */
export function explainRequestSchema({ maxMessages }: { readonly maxMessages: number }) {
  return closedObject(
    {
      messages: messagesSchema(maxMessages),
      models: candidateModels,
      cost_weight: costWeight,
      runnable_only: flag
        .optional()
        .meta({ description: "Whether only models of configured providers are candidates.", default: false }),
    },
    "it must be an object",
  );
}

const share = z.number().min(0).max(1);

/** Answer of `POST /admin/router/explain`. */
export const explanationSchema = z.strictObject({
  object: z.literal("router.explanation"),
  routing: routingSchema,
  choices: z
    .array(
      z.strictObject({
        from_cost_weight: share,
        model: z.string(),
        expected_quality: share,
        expected_cost_usd: z.number().min(0).nullable(),
      }),
    )
    .describe("What would be chosen at each cost weight: each entry up to the next one's weight."),
  nearest: z
    .array(
      z.strictObject({
        benchmark: z.string(),
        similarity: z.number().describe("Cosine similarity."),
        ease: share.describe("Expected quality of a middling model on it."),
        scores: z.record(z.string(), share).describe("Quality by model, of those in `choices`."),
      }),
    )
    .describe("The profiled prompts that are most like this one, nearest first."),
  request_id: z.string(),
});

/** Answer of `GET /admin/router/benchmark-scores`. */
export const benchmarkScoresSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(
    z.strictObject({
      model: z.string(),
      benchmarks: z.array(z.strictObject({ benchmark: z.string(), samples: z.int(), mean_quality: share })),
    }),
  ),
  request_id: z.string(),
});

export type ExplanationBody = z.infer<typeof explanationSchema>;
export type BenchmarkScoresBody = z.infer<typeof benchmarkScoresSchema>;

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

/** In the form of `GET /admin/router/benchmark-scores`, by model id. */
export const benchmarkScoresBody = (scores: BenchmarkScores) =>
  [...scores]
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
