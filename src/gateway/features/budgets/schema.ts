import { z } from "zod";
import { PERIODS } from "../../access/limits/spend-period.js";

/** Most budgets in one answer. */
export const MOST_BUDGETS = 1000;

const limitUse = z
  .strictObject({ used: z.number().min(0), limit: z.number() })
  .nullable()
  .describe("Null without such a limit: nothing is counted then.");

const budgetBodySchema = z.strictObject({
  name: z.string(),
  by: z
    .string()
    .describe("What requests are counted by: `all`, `key`, `source`, `team` or `metadata.` and a key."),
  value: z.string().describe("Whose it is; empty: of all requests, or of those that have no such value."),
  period: z.enum(PERIODS),
  time_zone: z.string(),
  starts_at: z.string().describe("Of the running period: ISO 8601, UTC."),
  resets_at: z.string().describe("When it ends: ISO 8601, UTC."),
  usd: limitUse,
  requests_per_minute: limitUse,
  tokens_per_minute: limitUse,
  warn_at: z.number().describe("Share of `usd` from which replies and alerts warn."),
  preset: z.string().nullable().describe("What answers once `usd` is used; null: requests are refused."),
  state: z
    .enum(["ok", "warning", "reached"])
    .describe("Of `usd`; `reached` also while it refuses requests for which what is left does not suffice."),
  forecast_usd: z
    .number()
    .min(0)
    .nullable()
    .describe(
      "What it will have used when its period ends, if spending continues at this rate; null before a tenth of it has passed.",
    ),
});

/** Answer of `GET /admin/budgets`. */
export const budgetListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(budgetBodySchema).describe(`The fullest first, at most ${MOST_BUDGETS}.`),
  total: z.int().min(0).describe("How many there are."),
  request_id: z.string(),
});

export type BudgetBody = z.infer<typeof budgetBodySchema>;
export type BudgetListBody = z.infer<typeof budgetListSchema>;
