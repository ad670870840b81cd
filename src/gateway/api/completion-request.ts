import { z } from "zod";
import {
  answers,
  fallbacks,
  flag,
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
import { textInput } from "./text-input.js";

const NEEDS_COMPLETIONS = "Needs a model with `api: completions`.";
const badBestOf = { error: "it must be a whole number from 1 to 20" };

const badLogprobs = { error: "it must be a whole number from 0 to 5" };

/** Body of `POST /v1/completions`, API §2. */
export const completionRequestSchema = z.looseObject(
  {
    model,
    prompt: textInput({
      emptyText: "allowed",
      description:
        "The text to continue; a model that can only chat gets it as a user's message. Several texts, and token ids, need a " +
        "model with `api: completions`.",
    }),
    stream,
    max_tokens: maxTokens.meta({ description: "Maximum tokens of the answer.", default: 1024 }),
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
    suffix: z
      .string({ error: "it must be a string" })
      .nullish()
      .describe(`What follows the gap to be filled. ${NEEDS_COMPLETIONS}`),
    echo: flag.nullish().describe(`Whether the answer begins with the prompt. ${NEEDS_COMPLETIONS}`),
    best_of: z
      .int(badBestOf)
      .min(1, badBestOf)
      .max(20, badBestOf)
      .nullish()
      .describe(`How many answers to generate, of which the likeliest \`n\` come back. ${NEEDS_COMPLETIONS}`),
    provider,
    fallbacks,
    router: routerOptions,
    metadata,
  },
  { error: "it must be an object" },
);

export type CompletionRequestBody = z.infer<typeof completionRequestSchema>;

export const COMPLETION_REQUEST_FIELDS: readonly string[] = Object.keys(completionRequestSchema.shape);
