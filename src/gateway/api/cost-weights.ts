import { z } from "zod";
import { meaningSchema } from "./routing.js";

/** Where a recommended cost weight is from: blind comparisons or past traffic where these are conclusive, else the profiles, else the default. */
export const WEIGHT_BASES = ["comparisons", "traffic", "profiles", "default"] as const;

const weight = z.strictObject({ cost_weight: z.number().min(0), meaning: meaningSchema });

/** Answer of `GET /v1/router/cost-weights`. */
export const costWeightListSchema = z.object({
  object: z.literal("list"),
  data: z.array(weight).describe("From 0 to 1 in steps of a twentieth."),
  named: z
    .array(weight.extend({ model: z.string().describe("`auto`, or a preset such as `auto:support`.") }))
    .describe("The cost weights that the settings give to `auto` and its presets."),
  recommended: weight
    .extend({ basis: z.enum(WEIGHT_BASES) })
    .describe(
      "The recommended cost weight: the cheapest that blind comparisons or past traffic find as good (`comparisons`, `traffic`), else what `sextant profile tune --save` chose for the set in use (`profiles`), else that for prompts like traffic (`default`).",
    ),
  profile_version: z.string(),
  request_id: z.string(),
});

/** A cost weight, and what it means in dollars. */
export type CostWeightBody = z.infer<typeof weight>;
/** What cost weights mean in dollars. */
export type CostWeightListBody = z.infer<typeof costWeightListSchema>;
