import { z } from "zod";
import { usageSchema } from "../../api/completion.js";
import { fallbacks, metadata, model, providerId } from "../../api/fields.js";
import { textInput } from "../../api/text-input.js";

const badDimensions = { error: "it must be a whole number of at least 1" };

/** Body of `POST /v1/embeddings`: OpenAI's, and three fields of ours. */
export const embeddingRequestSchema = z.looseObject(
  {
    model: model.describe(
      "An embedding model's id, `provider/id`, a deployment's name, or `sextant`: the embedder that routing uses.",
    ),
    input: textInput({
      emptyText: "refused",
      description:
        "What to embed: a text, the ids of its tokens, or a list of 1 to 2048 of either; none empty.",
    }),
    encoding_format: z.enum(["float", "base64"], { error: "it must be `float` or `base64`" }).nullish().meta({
      description: "Vectors as lists of numbers, or as base64 of 32-bit floats, little-endian.",
      default: "float",
    }),
    dimensions: z
      .int(badDimensions)
      .min(1, badDimensions)
      .nullish()
      .describe("Length of the vectors, for models that can make shorter ones."),
    user: z.string({ error: "it must be a string" }).nullish().describe("Your user, for the provider."),
    provider: providerId,
    fallbacks: fallbacks.describe(
      "Models to try, in this order, when no provider of `model` can answer. Vectors of different models cannot be compared.",
    ),
    metadata,
  },
  { error: "it must be an object" },
);

export type EmbeddingRequestBody = z.infer<typeof embeddingRequestSchema>;

export const EMBEDDING_REQUEST_FIELDS: readonly string[] = Object.keys(embeddingRequestSchema.shape);

/** Answer of `POST /v1/embeddings`. */
export const embeddingListSchema = z.object({
  object: z.literal("list"),
  data: z.array(
    z.object({
      object: z.literal("embedding"),
      index: z.int().min(0).describe("Of the input."),
      embedding: z.union([z.array(z.number()), z.string()]).describe("The vector, in `encoding_format`."),
    }),
  ),
  model: z.string().describe("The model that answered."),
  provider: z.string().describe("The provider that answered; `sextant` for the local embedder."),
  usage: usageSchema,
  request_id: z.string(),
});

export type EmbeddingListBody = z.infer<typeof embeddingListSchema>;
