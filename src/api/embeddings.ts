import { z } from "zod";
import { usageSchema } from "./completion.js";
import { fallbacks, metadata, model, provider } from "./fields.js";

/** As many as OpenAI takes. */
const MAX_INPUTS = 2048;

const text = { type: "string", minLength: 1 } as const;
const tokenIds = { type: "array", minItems: 1, items: { type: "integer", minimum: 0 } } as const;

/**
 * Checked in one pass over it: as a union, a batch would be read once for every form, and a fault in it reported as one of
 * whichever form came first.
 */
const input = z
  .unknown()
  .superRefine((value, context) => {
    const fault = faultOf(value);
    if (fault !== null) context.addIssue({ code: "custom", message: fault.message, path: [...fault.path] });
  })
  .meta({
    description: `What to embed: a text, the ids of its tokens, or a list of 1 to ${MAX_INPUTS} of either; none empty.`,
    anyOf: [
      text,
      tokenIds,
      { type: "array", minItems: 1, maxItems: MAX_INPUTS, items: { anyOf: [text, tokenIds] } },
    ],
  });

interface Fault {
  /** From the field. */
  readonly path: readonly number[];
  readonly message: string;
}

const WHOLE = `it must be a text, or a list of 1 to ${MAX_INPUTS} texts; a text may be a list of token ids instead`;
const ITEM = "it must be a text of at least one character, or a list of token ids";
const TOKEN = "it must be a token id, a whole number of at least 0";

function faultOf(value: unknown): Fault | null {
  if (typeof value === "string") return value === "" ? { path: [], message: WHOLE } : null;
  if (!Array.isArray(value) || value.length === 0) return { path: [], message: WHOLE };
  if (typeof value[0] === "number") return faultInTokens(value, []);
  if (value.length > MAX_INPUTS) return { path: [], message: WHOLE };
  for (const [index, item] of value.entries()) {
    const fault = Array.isArray(item) ? faultInTokens(item, [index]) : faultInText(item, index);
    if (fault !== null) return fault;
  }
  return null;
}

const faultInText = (item: unknown, index: number): Fault | null =>
  typeof item === "string" && item !== "" ? null : { path: [index], message: ITEM };

function faultInTokens(ids: readonly unknown[], path: readonly number[]): Fault | null {
  if (ids.length === 0) return { path, message: ITEM };
  const wrong = ids.findIndex((id) => typeof id !== "number" || !Number.isInteger(id) || id < 0);
  return wrong < 0 ? null : { path: [...path, wrong], message: TOKEN };
}

const badDimensions = { error: "it must be a whole number of at least 1" };

/** Body of `POST /v1/embeddings`: OpenAI's, and three fields of ours. */
export const embeddingRequestSchema = z.looseObject(
  {
    model: model.describe(
      "An embedding model's id, `provider/id`, a deployment's name, or `sextant`: the embedder that routing uses.",
    ),
    input,
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
    provider,
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
