import { z } from "zod";
import { estimateSchema } from "../traces/schema/sample.js";

/** What became of a request that a comparison was for, beside those in the journal. */
export const NOT_COMPARED_REASONS = [
  "dropped",
  "over_budget",
  "unsupported",
  "restricted",
  "repeated",
  "no_judge",
] as const;
export type NotComparedReason = (typeof NOT_COMPARED_REASONS)[number];

/**
 * By the interval of the quality: `better` and `worse` exclude no difference, `as_good` a loss of a point or more; `unclear`
 * excludes neither yet.
 */
const VERDICTS = ["better", "as_good", "worse", "unclear"] as const;

const count = z.int().min(0);
const usd = z.number().min(0);

const comparisonSchema = z.strictObject({
  name: z.string(),
  with: z.string().describe("What answers too: a model, or `auto:` and a preset or a cost weight."),
  share: z.number().describe("Of the requests that it is for."),
  max_usd_per_day: usd,
  graded_by: z.enum(["judge", "command"]),
  comparisons: count.describe("Answers that were compared, those that are the same included."),
  wins: count.describe("The other answer was better."),
  ties: count,
  losses: count,
  same: count.describe("Of the ties: both answers are of one model or say the same, and were not judged."),
  failed: count.describe("Comparisons that came to nothing. What they cost is counted."),
  quality: estimateSchema.describe(
    "Mean quality of the other answers less that of the served ones, from -1 to 1: a hundredth is a point. The 95% interval holds for all looks together.",
  ),
  detectable_loss: z
    .number()
    .describe("The smallest loss of quality that would have been found four times in five."),
  served_usd: usd.describe("What callers were billed for the compared answers whose costs are known."),
  other_usd: usd.describe("What the other answers to these cost."),
  bill_change: estimateSchema
    .nullable()
    .describe(
      "`other_usd` over `served_usd`, less 1, with its interval for all looks; null with fewer than 20 bills.",
    ),
  spent: z
    .strictObject({ today: usd, answers: usd, judging: usd })
    .describe("US dollars that the comparison itself spent: today (UTC) and in total, by purpose."),
  verdict: z
    .enum(VERDICTS)
    .describe("By the interval of the quality; `as_good`: a loss of a point or more is excluded."),
  recommendation: z
    .string()
    .nullable()
    .describe("The figures in one line; null before the first comparison."),
  waiting: count.describe("Answers that wait in this process."),
  passed_over: z
    .record(z.enum(NOT_COMPARED_REASONS), count)
    .describe("Answers that this process did not compare, by the reason."),
});

/** Answer of `GET /admin/comparisons`. */
export const comparisonListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(comparisonSchema).describe("Those of the settings, in their order."),
  request_id: z.string(),
});

export type ComparisonBody = z.infer<typeof comparisonSchema>;
