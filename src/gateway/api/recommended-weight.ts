import { z } from "zod";

/** A cost weight that `sextant profile tune --save` wrote into a set. */
export const recommendedWeightSchema = z.strictObject({
  cost_weight: z.number().min(0).max(1),
  rule: z
    .enum(["max_loss", "max_cost", "knee"])
    .describe(
      "`max_loss`: the cheapest cost weight within a loss of quality; `max_cost`: the best within a cost; `knee`: the knee of cost and quality.",
    ),
  limit: z
    .number()
    .min(0)
    .nullable()
    .describe("Of `max_loss`, as a share of 1; of `max_cost`, in US dollars a prompt; null for `knee`."),
  prompts: z.int().positive().describe("Held-out prompts that it was chosen by."),
  saved_at: z.string().describe("ISO 8601, UTC."),
  is_current: z
    .boolean()
    .describe("False when the set has changed since, such as by a model that was added: tune it again."),
});

export type RecommendedWeightBody = z.infer<typeof recommendedWeightSchema>;
