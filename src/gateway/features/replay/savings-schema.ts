import { z } from "zod";
import { estimateSchema } from "../traces/schema/sample.js";
import { searchQuery } from "../traces/schema/trace-query.js";

/** The query string of `GET /admin/traces/savings`. */
export const savingsQuery = searchQuery({});

const count = z.int().min(0);
const share = z.number().min(0).max(1);

/** Answer of `GET /admin/traces/savings`. */
export const savingsSchema = z.strictObject({
  object: z.literal("traces.savings"),
  matching: count.describe("Requests that match."),
  sampled: count.describe("Of these, requests that were read."),
  decided: count.describe("Of these, requests that were routed and answered."),
  correction: z
    .number()
    .describe(
      "What these were billed over what they were expected to cost: all costs here are expected ones times this. 1 where no bill is known.",
    ),
  equal_quality: z
    .strictObject({
      models: z
        .array(z.strictObject({ model: z.string(), share }))
        .readonly()
        .describe("One, or two that would answer these shares of the requests, drawn at random."),
      requests: count.describe(
        "Decided requests of the sample for which the expectations of these are known.",
      ),
      saved_usd: estimateSchema.describe(
        "For all requests that match, with the 95% interval of the sample. Negative: those models alone would be cheaper.",
      ),
    })
    .nullable()
    .describe(
      "Against the cheapest fixed models whose mean expected quality is that of what was decided: what routing itself gains. Null where none are as good.",
    ),
  request_id: z.string(),
});

export type SavingsBody = z.infer<typeof savingsSchema>;
