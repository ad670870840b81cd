import { z } from "zod";
import { closedObject } from "./closed-object.js";
import { routingSchema } from "./decision.js";
import { candidateModels, costWeight, flag } from "./fields.js";
import { messagesSchema } from "./messages.js";

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

/** Answer of `GET /admin/router/strengths`. */
export const strengthsSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(
    z.strictObject({
      model: z.string(),
      benchmarks: z.array(z.strictObject({ benchmark: z.string(), samples: z.int(), mean_quality: share })),
    }),
  ),
  request_id: z.string(),
});
