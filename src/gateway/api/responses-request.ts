import { z } from "zod";
import {
  fallbacks,
  flag,
  maxTokens,
  metadata,
  model,
  provider,
  routerOptions,
  stream,
  temperature,
  tools,
  topP,
} from "./fields.js";

const item = z.looseObject(
  { type: z.string({ error: "it must be a string" }).optional() },
  { error: "it must be an object with a `type` or a `role`" },
);

/** Body of `POST /v1/responses`: OpenAI's, and three fields of ours. */
export function responsesRequestSchema({ maxMessages }: { readonly maxMessages: number }) {
  const tooMany = { error: `it must hold at most ${maxMessages} items` };
  return z.looseObject(
    {
      model,
      input: z
        .union(
          [
            z.string(),
            z.array(item).min(1, { error: "it must hold at least one item" }).max(maxMessages, tooMany),
          ],
          {
            error: "it must be a string or a list of items",
          },
        )
        .describe("The prompt, or the conversation as a list of items, oldest first."),
      instructions: z
        .string({ error: "it must be a string" })
        .nullish()
        .describe("What the model is told before everything else."),
      stream,
      max_output_tokens: maxTokens.describe("Maximum tokens of the answer, reasoning included."),
      temperature: temperature.meta({ description: "Sampling temperature, 0 to 2.", default: 0.7 }),
      top_p: topP,
      tools,
      store: flag
        .nullish()
        .describe("Whether the provider keeps the response. Only providers that have this API can."),
      background: flag
        .nullish()
        .describe("Whether the provider answers later. Only providers that have this API can."),
      previous_response_id: z
        .string({ error: "it must be the id of a response" })
        .nullish()
        .describe("A response that the provider keeps. Only providers that have this API can."),
      provider,
      fallbacks,
      router: routerOptions,
      metadata,
    },
    { error: "it must be an object" },
  );
}

export type ResponsesRequestBody = z.infer<ReturnType<typeof responsesRequestSchema>>;

/** Fields of the schema, and those of OpenAI's that are near one of ours. */
export const RESPONSES_REQUEST_FIELDS: readonly string[] = [
  ...Object.keys(responsesRequestSchema({ maxMessages: 1 }).shape),
  ...["include", "reasoning", "text", "truncation", "max_tool_calls", "conversation", "prompt"],
  ...["context_management", "input_tokens"],
];

/** Body of `POST /v1/responses/compact`: OpenAI's, which may have no input beside a response that it goes on from. */
export const compactRequestSchema = (limits: { readonly maxMessages: number }) => {
  const schema = responsesRequestSchema(limits);
  return schema.extend({ input: schema.shape.input.nullish() });
};

export type CompactRequestBody = z.infer<ReturnType<typeof compactRequestSchema>>;

const usage = z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() });

/** A `response` of OpenAI's, with `provider`, `request_id` and, for `auto`, `routing`. */
export const responseSchema = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.number(),
  status: z.string(),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string() })),
  usage: usage.nullable(),
  provider: z.string(),
  request_id: z.string(),
});

/** OpenAI's `response.compaction`: the user's messages and what stands for all else, to go on from. */
export const compactedSchema = responseSchema.extend({
  object: z.literal("response.compaction"),
  status: z.never().optional(),
});
