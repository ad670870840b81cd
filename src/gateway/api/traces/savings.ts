import { z } from "zod";
import { snakeCased } from "../../../foundation/snake-case.js";
import type { SavingsReport } from "../../replay/replay-report.js";
import { estimateSchema, sampleParameter } from "./sample.js";
import { searchQuery } from "./trace-query.js";

/** The query string of `GET /admin/traces/savings`. */
export const savingsQuery = searchQuery({ sample: sampleParameter });

const count = z.int().min(0);
const usd = z.number().min(0);
const share = z.number().min(0).max(1);

const againstSchema = z.strictObject({
  requests: count.describe("Decided requests of the sample for which both expected costs are known."),
  cost_usd: usd.describe("What the other is expected to cost for these."),
  decided_cost_usd: usd.describe("What was decided is expected to cost for these."),
  quality: share.describe("Mean expected quality of the other."),
  decided_quality: share.describe("Mean expected quality of what was decided."),
  saved_usd: estimateSchema.describe(
    "For all requests that match: an expectation. Its 95% interval is that of the sample alone.",
  ),
});

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
  best: againstSchema
    .nullable()
    .describe(
      "Against always the candidate with the highest expected quality; null when nothing was decided.",
    ),
  models: z
    .array(againstSchema.extend({ model: z.string() }))
    .describe(
      "Against always one model, of those that were candidates of half of the requests: the best first, at most 100.",
    ),
  request_id: z.string(),
});

export type SavingsBody = z.infer<typeof savingsSchema>;

export const savingsBody = (report: SavingsReport) => snakeCased(report);
