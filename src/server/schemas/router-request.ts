import { z } from "zod";
import { messagesSchema } from "./messages.js";

const METADATA_KEYS = 16;
const METADATA_KEY_CHARACTERS = 64;
const METADATA_VALUE_CHARACTERS = 512;

const badTag = { error: "it must be a number, a boolean or a string of at most 512 characters" };
const metadataValue = z.union(
  [z.string().max(METADATA_VALUE_CHARACTERS, badTag), z.number(), z.boolean()],
  badTag,
);

const metadataKey = z
  .string()
  .min(1)
  .max(METADATA_KEY_CHARACTERS, { error: `its name must have 1 to ${METADATA_KEY_CHARACTERS} characters` });

const metadata = z
  .record(metadataKey, metadataValue, { error: "it must be an object of tags" })
  .refine((tags) => Object.keys(tags).length <= METADATA_KEYS, {
    error: `it must have at most ${METADATA_KEYS} keys`,
  })
  .describe(
    "Tags for the trace: at most 16 keys of at most 64 characters; strings of at most 512, numbers, booleans.",
  );

const tokenLimit = z
  .int({ error: "it must be a whole number of at least 1" })
  .min(1, { error: "it must be a whole number of at least 1" });

/** Body of `POST /v1/router`, API §2. Optional fields of OpenAI's own may be null, as there. */
export function routerRequestSchema({ maxMessages }: { readonly maxMessages: number }) {
  return z.looseObject(
    {
      messages: messagesSchema(maxMessages),
      execute: z
        .boolean({ error: "it must be true or false" })
        .default(true)
        .describe("Whether to run the request on the chosen model; false returns only the decision."),
      models: z
        .array(z.string({ error: "it must be a model id" }).min(1, { error: "it must be a model id" }), {
          error: "it must be a list of at least two model ids",
        })
        .optional()
        .describe("Candidates, at least two different ones. Without it: every model with a profile."),
      cost_weight: z
        .number({ error: "it must be a number of at least 0" })
        .min(0, { error: "it must be a number of at least 0" })
        .default(0)
        .describe("0 ignores cost, 1 picks the cheapest sensible model; larger values act as 1."),
      stream: z
        .boolean({ error: "it must be true or false" })
        .nullish()
        .describe("Whether an executed answer is streamed. A decision alone never is."),
      max_tokens: tokenLimit.nullish().describe("Most tokens of the answer; bounds the expected cost."),
      max_completion_tokens: tokenLimit
        .nullish()
        .describe("OpenAI's newer name of `max_tokens`; wins over it."),
      temperature: z
        .number({ error: "it must be a number from 0 to 2" })
        .min(0, { error: "it must be a number from 0 to 2" })
        .max(2, { error: "it must be a number from 0 to 2" })
        .nullish()
        .describe("Sampling temperature of an executed answer, 0 to 2."),
      tools: z
        .array(z.looseObject({}, { error: "it must be a tool object" }), {
          error: "it must be a list of tools",
        })
        .nullish()
        .describe("Tools of the request; models known to lack tool calling are left out."),
      metadata: metadata.nullish(),
    },
    { error: "it must be an object" },
  );
}

export type RouterRequestBody = z.infer<ReturnType<typeof routerRequestSchema>>;

/** Fields of the schema, for telling a misspelt field from one that is meant for a provider. */
export const ROUTER_REQUEST_FIELDS: readonly string[] = Object.keys(
  routerRequestSchema({ maxMessages: 1 }).shape,
);
