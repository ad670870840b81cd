import { z } from "zod";
import { WEIGHT_BASES } from "../../api/cost-weights.js";
import { estimateSchema, sampleParameter } from "../traces/schema/sample.js";
import { searchQuery } from "../traces/schema/trace-query.js";

/** The query string of `GET /admin/traces/value`. */
export const valueQuery = searchQuery({ sample: sampleParameter });

const count = z.int().min(0);
const usd = z.number().min(0);
const share = z.number().min(0).max(1);
const weight = z.number().min(0).max(1);

const saved = {
  requests: count.describe("Answers of the sample that were compared."),
  spent_usd: usd.describe("What all such answers were billed."),
  saved_usd: estimateSchema.describe(
    "What they would have cost less that. Negative: the fixed models are cheaper.",
  ),
};

const comparisonSchema = z.strictObject({
  models: z
    .array(z.strictObject({ model: z.string(), share }))
    .readonly()
    .describe("One, or two that would answer these shares of the requests, drawn at random."),
  ...saved,
  saved_share: estimateSchema
    .nullable()
    .describe("The same as a share of what these models would have cost; null where that may be nothing."),
});

const feedbackSchema = z.strictObject({
  count: count.describe("Answers with feedback."),
  mean: estimateSchema
    .nullable()
    .describe("Of their scores, with the 95% Wilson interval; null without any."),
});
const namedFeedback = z.array(feedbackSchema.extend({ name: z.string().nullable() })).readonly();

/** Answer of `GET /admin/traces/value`. All estimates of dollars are for all requests that match. */
export const valueSchema = z.strictObject({
  object: z.literal("traces.value"),
  matching: count.describe("Requests that match."),
  sampled: count.describe("Of these, requests that were read."),
  compared: count.describe("Of these, routed answers with a known cost that could be decided again."),
  baseline_model: z.string().nullable().describe("That of the settings, as candidates are named."),
  saving: comparisonSchema
    .nullable()
    .describe(
      "Against the cheapest fixed models of the same expected quality, of which `baseline_model` is one where it is known; null where nothing was billed or none is as good.",
    ),
  cheaper: comparisonSchema
    .nullable()
    .describe(
      "Fixed models of the same expected quality that would have been cheaper than routing: the interval is below 0.",
    ),
  weeks: z
    .array(z.strictObject({ start: z.string().describe("A Monday."), ...saved }))
    .describe("`cheaper`, else `saving`, by week (UTC)."),
  presets: z
    .array(z.strictObject({ preset: z.string().nullable(), cost_weight: z.number().min(0), ...saved }))
    .describe("The same by preset and cost weight, the largest spend first."),
  always: z
    .array(comparisonSchema.extend({ quality: estimateSchema.describe("Less that of the answers.") }))
    .describe(
      "Against one model for everything, whatever its quality: the best, those that answered most, and the baseline.",
    ),
  billed: z
    .strictObject({ since: z.string(), requests: count, baseline_cost_usd: usd, saved_usd: z.number() })
    .nullable()
    .describe(
      "Bills against `baseline_model` for the same tokens, of all requests that were compared with it, since a day (UTC); null without any.",
    ),
  feedback: feedbackSchema.extend({
    missing: count.describe("Further scores until the interval is five points to each side."),
    models: namedFeedback,
    presets: namedFeedback,
    weeks: namedFeedback.describe("By the Monday (UTC)."),
  }),
  recommended: z.strictObject({
    cost_weight: weight,
    basis: z
      .enum(WEIGHT_BASES)
      .describe("`comparisons`, else `traffic`, else `profiles` (saved in the set), else `default`."),
    otherwise: weight.describe("What `profiles` or `default` say."),
    against: weight.describe(
      "What past traffic is compared with: the cost weight in use, or `otherwise` where the evidence is for the one in use.",
    ),
    requests: count
      .nullable()
      .describe("Comparisons, else requests of the last 30 days that were decided again; null when unknown."),
    evidence: z
      .strictObject({ cost_weight: weight, spend: estimateSchema, quality: estimateSchema })
      .nullable()
      .describe(
        "For the cheapest cost weight that costs clearly less and rules out a loss of a point: changes against what was served (`comparisons`), or what is expected at the weight `against` (`traffic`).",
      ),
  }),
  request_id: z.string(),
});

export type ValueBody = z.infer<typeof valueSchema>;
