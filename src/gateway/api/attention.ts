import { z } from "zod";
import { refusedUseSchema } from "../access/keys/refused-use.js";
import { adminEventSchema } from "../audit/event.js";
import { budgetBodySchema } from "./budgets.js";
import { pauseBodySchema } from "./pauses.js";

/** From so much of a limit on, a key is listed. */
export const NEAR_LIMIT = 0.8;

const count = z.int().min(0);
const usd = z.number().min(0);
const share = z.number().min(0).max(1);

const nearKeySchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  limit: z.enum(["requests_per_minute", "tokens_per_minute", "usd_per_month"]),
  used: z.number().min(0),
  most: z.number().describe("The limit itself."),
});

const failingSchema = z.strictObject({
  by: z.enum(["model", "provider"]),
  name: z.string(),
  requests: count.describe("Of the last hour."),
  failed: count.describe("Of these, those that failed."),
  share_before: share
    .nullable()
    .describe("Of failed requests in the 24 hours before; null without any request."),
});

const stuckSchema = z.strictObject({
  model: z.string().nullable(),
  source: z.string(),
  requests: z.int().min(1),
  request_id: z.string().describe("Of the newest."),
  at: z.string().describe("When it arrived: ISO 8601, UTC."),
});

/** Answer of `GET /admin/attention`. */
export const attentionSchema = z.strictObject({
  object: z.literal("attention"),
  keys: z
    .array(nearKeySchema)
    .describe("Limits of usable keys of which 80% or more are used, the fullest first."),
  budgets: z
    .array(budgetBodySchema)
    .describe(
      "Budgets of teams, sources and tags of which their `warn_at` is used, or that refuse requests, the fullest first, at most 20.",
    ),
  replaced_secrets: z
    .array(refusedUseSchema.extend({ id: z.string(), name: z.string() }))
    .describe(
      "Keys whose replaced secret came in the last 24 hours, after it had ended; the last used first.",
    ),
  failing: z
    .array(failingSchema)
    .nullable()
    .describe(
      "Models and providers that fail now, and more than before; null while traces cannot be searched.",
    ),
  refused: z
    .record(z.string(), z.string())
    .describe("Providers that refuse the operator's account now, or a model there, with the code of that."),
  stuck: z
    .array(stuckSchema)
    .nullable()
    .describe(
      "Tool loops of the last hour whose last turns made the same calls again and again, by model and source, the newest first, of the newest 20 requests; null while traces cannot be searched.",
    ),
  spend: z
    .strictObject({
      day_usd: usd.describe("Of the running day, UTC."),
      day_before_usd: usd.describe("Of the same part of the same day a week ago."),
      week_usd: usd.describe("Of the last 7 days."),
      week_before_usd: usd.describe("Of the 7 days before."),
    })
    .nullable()
    .describe("Known costs; null while traces cannot be searched."),
  pauses: z.array(pauseBodySchema).describe("Those in force, the newest first."),
  events: z
    .array(adminEventSchema)
    .nullable()
    .describe(
      "What operators did in the last 24 hours, the newest first, at most 10; null while it cannot be read.",
    ),
  request_id: z.string(),
});

export type AttentionBody = z.infer<typeof attentionSchema>;
