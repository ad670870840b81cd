import { z } from "zod";
import { sums } from "../traces/schema/stats.js";

const decidedSchema = z.strictObject({
  request_id: z.string(),
  model: z.string().nullable().describe("That answered."),
  effort: z.string().nullable().describe("Effort of reasoning that was asked for; null where none was."),
  reason: z.string().nullable().describe("Why the router chose it; null where the request named its model."),
});

/** Answer of `GET /v1/conversations/{id}/cost`. */
export const conversationCostSchema = z.strictObject({
  object: z.literal("conversation.cost"),
  id: z.string(),
  ...sums,
  cached_share: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("Of `tokens_in`, what providers read from their prompt caches; null without any tokens."),
  baseline_model: z
    .string()
    .nullable()
    .describe("With which most of them were compared; null where none was."),
  models: z
    .array(z.strictObject({ model: z.string().nullable(), ...sums }))
    .describe("The same figures by model, null last."),
  last: decidedSchema.nullable().describe("The last answer; null without any."),
  request_id: z.string(),
});

export type ConversationCostBody = z.infer<typeof conversationCostSchema>;
