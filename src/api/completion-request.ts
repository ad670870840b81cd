import { z } from "zod";
import {
  answers,
  fallbacks,
  frequencyPenalty,
  maxTokens,
  metadata,
  model,
  presencePenalty,
  provider,
  routerOptions,
  stop,
  stream,
  temperature,
  topP,
} from "./fields.js";

const badPrompt = {
  error: "it must be a string, or a list of one string. Send several prompts as several requests",
};
const prompt = z
  .union(
    [
      z.string(),
      z.array(z.string({ error: "it must be text; token ids are not accepted" })).length(1, badPrompt),
    ],
    badPrompt,
  )
  .describe("The text to go on from. A model that can only chat gets it as a user's message.");

/** A field of OpenAI's that no chat model can honour: only the values that ask for nothing are accepted. */
function unsupported(values: readonly unknown[], error: string) {
  return z
    .unknown()
    .refine((value) => values.includes(value), { error })
    .optional();
}

const badLogprobs = { error: "it must be a whole number from 0 to 5" };

/** Body of `POST /v1/completions`, API §2. */
export const completionRequestSchema = z.looseObject(
  {
    model,
    prompt,
    stream,
    max_tokens: maxTokens.meta({ description: "Most tokens of the answer.", default: 1024 }),
    temperature: temperature.meta({ description: "Sampling temperature, 0 to 2.", default: 0.7 }),
    top_p: topP,
    stop,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
    n: answers,
    logprobs: z
      .int(badLogprobs)
      .min(0, badLogprobs)
      .max(5, badLogprobs)
      .nullish()
      .describe("How many of the likeliest tokens to report beside each chosen one, 0 to 5."),
    suffix: unsupported(["", null], "it is not supported. Leave it out, or describe the gap in the prompt"),
    echo: unsupported([false, null], "it is not supported. Put the prompt before the text yourself"),
    best_of: unsupported([1, null], "it is not supported. Ask for `n` answers and choose among them"),
    provider,
    fallbacks,
    router: routerOptions,
    metadata,
  },
  { error: "it must be an object" },
);

export type CompletionRequestBody = z.infer<typeof completionRequestSchema>;

export const COMPLETION_REQUEST_FIELDS: readonly string[] = Object.keys(completionRequestSchema.shape);
