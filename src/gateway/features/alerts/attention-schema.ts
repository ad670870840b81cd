import { z } from "zod";
import { refusedUseSchema } from "../../access/keys/refused-use.js";
import { adminEventSchema } from "../events/event.js";
import { pauseBodySchema } from "../pauses/schema.js";
import { alertTargetSchema, silenceSchema } from "./schema.js";
import { ALERT_RULES } from "./settings.js";

const usd = z.number().min(0);

const conditionSchema = z.strictObject({
  rule: z.enum(ALERT_RULES),
  subject: z.string(),
  title: z.string().describe("One line."),
  detail: z.string(),
  target: alertTargetSchema,
  since: z
    .string()
    .nullable()
    .describe("When it fired: ISO 8601, UTC; null before the rules were looked at."),
  silence: silenceSchema.nullable().describe("Null: nobody has acknowledged it."),
});

const refusalsSchema = z.strictObject({
  limit: z.enum(["requests", "tokens", "budget"]),
  budget: z.string().nullable().describe("Null: a limit of keys themselves."),
  requests: z.int().min(1),
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
  conditions: z.array(conditionSchema).describe("What the rules of alerts find now, in their order."),
  unknown: z
    .array(z.enum(ALERT_RULES))
    .describe("Rules that cannot tell now, such as `error_rate` while traces cannot be searched."),
  replaced_secrets: z
    .array(refusedUseSchema.extend({ id: z.string(), name: z.string() }))
    .describe(
      "Keys whose replaced secret came in the last 24 hours, after it had ended; the last used first.",
    ),
  refused: z
    .record(z.string(), z.string())
    .describe("Providers that refuse the operator's account now, or a model there, with the code of that."),
  refusals: z
    .array(refusalsSchema)
    .nullable()
    .describe(
      "Requests that limits and budgets refused in the last 24 hours; null while they cannot be read.",
    ),
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
      month_usd: usd.describe("Of the running month, UTC."),
      month_forecast_usd: usd
        .nullable()
        .describe(
          "What the month will have cost, if spending goes on as in it so far; null before a tenth of it has passed.",
        ),
    })
    .nullable()
    .describe("Known costs; null while traces cannot be searched."),
  providers: z
    .array(z.string())
    .describe("Those that are configured, by id; `sandbox` answers what no other of them serves."),
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
