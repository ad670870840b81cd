import { z } from "zod";
import { executedRoutingSchema } from "./routing.js";

const tokens = z.int().min(0);
const usd = z.number().min(0).nullable();
const finishReason = z.string().nullable().describe("`stop`, `length`, `tool_calls` or `content_filter`.");

/** Tokens and costs of one request. */
export const usageSchema = z
  .looseObject({
    prompt_tokens: tokens.describe("All prompt tokens, cached ones included."),
    completion_tokens: tokens,
    total_tokens: tokens,
    input_cost_usd: usd.describe("What the prompt tokens that were not cached cost."),
    output_cost_usd: usd.describe("What the generated tokens cost, with `tool_cost_usd`."),
    cache_input_cost_usd: usd.describe("What the cached prompt tokens cost."),
    total_cost_usd: usd.describe("Sum of the three; null where no price is known."),
    cost_reported: z.literal(true).optional().describe("The provider reported the total, and no part of it."),
    tool_cost_usd: z
      .number()
      .optional()
      .describe("Part of `output_cost_usd`: fees for searches that the provider ran. Absent without any."),
    service_tier: z
      .string()
      .optional()
      .describe("The tier that served the request and that was billed, unless it is the standard one."),
    not_counted: z
      .array(z.string())
      .optional()
      .describe("What the provider bills beside these costs, because no price of it is known."),
    latency_ms: z.number().min(0).describe("From the arrival of the request to the end of the answer."),
    ttft_ms: z.number().min(0).describe("From the arrival of the request to its first content."),
    estimated: z
      .literal(true)
      .optional()
      .describe(
        "Tokens were counted here, or bounded by the context window: the provider sent no count, or an impossible one.",
      ),
  })
  .describe("What was used and what it cost; with the details the provider sent beside it.");

/** Members that every completion has, whatever its form. */
const envelope = {
  created: z.int().describe("Seconds since the epoch."),
  model: z.string().describe("The model that answered."),
  provider: z.string().describe("The provider that answered."),
  usage: usageSchema,
  request_id: z.string(),
  routing: executedRoutingSchema.optional().describe("How the model was chosen, when it was."),
};

/** Answer of `POST /v1/chat/completions`, and of `POST /v1/router` when it executes. */
export const chatCompletionSchema = z.looseObject({
  id: z.string().regex(/^chatcmpl-[0-9A-HJKMNP-TV-Z]{26}$/),
  object: z.literal("chat.completion"),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({ role: z.string(), content: z.string().nullish() }),
      finish_reason: finishReason,
    }),
  ),
  ...envelope,
});

/** Answer of `POST /v1/completions`. */
export const textCompletionSchema = z.looseObject({
  id: z.string().regex(/^cmpl-[0-9A-HJKMNP-TV-Z]{26}$/),
  object: z.literal("text_completion"),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      text: z.string(),
      logprobs: z.looseObject({}).nullable(),
      finish_reason: finishReason,
    }),
  ),
  ...envelope,
});

export type ChatCompletionBody = z.infer<typeof chatCompletionSchema>;
export type UsageBody = z.infer<typeof usageSchema>;
