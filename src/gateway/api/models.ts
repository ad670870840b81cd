import { z } from "zod";

const tokens = z.int().nullable();
const usdPerToken = z.string().describe("US dollars per token.");

const model = {
  id: z.string(),
  object: z.literal("model"),
  created: z
    .int()
    .describe("Its release, in seconds since the epoch; the start of the server where that is not known."),
  owned_by: z.string().describe("The provider that is asked first."),
  name: z.string(),
  description: z.string(),
  context_length: tokens.describe("Tokens of prompt and answer together; null when unknown."),
  architecture: z.object({
    modality: z.string().describe("Such as `text+image->text`."),
    input_modalities: z.array(z.string()),
    output_modalities: z.array(z.string()).describe("`text`, or `embeddings`."),
  }),
  pricing: z
    .object({
      prompt: usdPerToken,
      completion: usdPerToken,
      input_cache_read: usdPerToken.optional(),
      input_cache_write: usdPerToken.optional(),
    })
    .nullable()
    .describe("List price of the provider that is asked first; null when unknown."),
  top_provider: z.object({
    context_length: tokens,
    max_completion_tokens: tokens.describe("Longest answer; null when unknown."),
    is_moderated: z.boolean(),
  }),
  supported_parameters: z.array(z.string()).describe("Request fields that the model is known to take."),
};

const modelObject = z.object(model);

/** An entry of the list. */
export type ModelBody = z.infer<typeof modelObject>;

/** Anthropic's form of a model: https://platform.claude.com/docs/en/api/models-list, read on 2026-11-23. */
const anthropicModel = {
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string(),
  max_input_tokens: tokens,
  max_tokens: tokens,
};

const anthropicObject = z.object(anthropicModel);

export type AnthropicModelBody = z.infer<typeof anthropicObject>;

/** Answer of `GET /v1/models/{id}`; Anthropic's form with the header `anthropic-version`. */
export const modelSchema = z.union([
  z.object({ ...model, request_id: z.string() }),
  z.object({ ...anthropicModel, request_id: z.string() }),
]);

/** Answer of `GET /v1/models`, likewise. */
export const modelListSchema = z.union([
  z.object({ object: z.literal("list"), data: z.array(modelObject), request_id: z.string() }),
  z.object({
    data: z.array(anthropicObject),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    request_id: z.string(),
  }),
]);
