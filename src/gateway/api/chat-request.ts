import { z } from "zod";
import {
  answers,
  fallbacks,
  frequencyPenalty,
  maxCompletionTokens,
  maxTokens,
  metadata,
  model,
  presencePenalty,
  provider,
  routerOptions,
  stop,
  stream,
  temperature,
  tools,
  topP,
} from "./fields.js";
import { chatMessagesSchema } from "./messages.js";

/** Body of `POST /v1/chat/completions`, API §2: OpenAI's, and four fields of ours. */
export function chatRequestSchema({ maxMessages }: { readonly maxMessages: number }) {
  return z.looseObject(
    {
      model,
      messages: chatMessagesSchema(maxMessages),
      stream,
      max_tokens: maxTokens.describe("Maximum tokens of the answer."),
      max_completion_tokens: maxCompletionTokens,
      temperature: temperature.meta({ description: "Sampling temperature, 0 to 2.", default: 0.7 }),
      top_p: topP,
      stop,
      presence_penalty: presencePenalty,
      frequency_penalty: frequencyPenalty,
      n: answers,
      tools,
      provider,
      fallbacks,
      router: routerOptions,
      metadata,
    },
    { error: "it must be an object" },
  );
}

export type ChatRequestBody = z.infer<ReturnType<typeof chatRequestSchema>>;

export const CHAT_REQUEST_FIELDS: readonly string[] = Object.keys(
  chatRequestSchema({ maxMessages: 1 }).shape,
);
