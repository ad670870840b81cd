import { z } from "zod";
import { latencyWeight, maxLatencyMs } from "../../foundation/latency-fields.js";
import {
  candidateModels,
  conversation,
  costWeight,
  explain,
  flag,
  maxCompletionTokens,
  maxMeanCostUsd,
  maxTokens,
  metadata,
  provider,
  sticky,
  stream,
  temperature,
  tools,
} from "./fields.js";
import { judgedMessagesSchema } from "./messages.js";

/** Body of `POST /v1/router`, API §2. */
export function routerRequestSchema({ maxMessages }: { readonly maxMessages: number }) {
  return z.looseObject(
    {
      messages: judgedMessagesSchema(maxMessages),
      execute: flag.optional().meta({
        description: "Whether to run the request on the chosen model; false returns only the decision.",
        default: true,
      }),
      models: candidateModels,
      cost_weight: costWeight,
      max_mean_cost_usd: maxMeanCostUsd,
      max_latency_ms: maxLatencyMs,
      latency_weight: latencyWeight,
      explain,
      sticky,
      conversation,
      provider: provider.describe(
        "Only models that this provider serves are candidates, and only it may answer. Or an object in OpenRouter's form that says which may, and in which order.",
      ),
      stream: stream.describe("Whether an executed answer is streamed. A decision alone never is."),
      max_tokens: maxTokens.describe("Maximum tokens of the answer; bounds the expected cost."),
      max_completion_tokens: maxCompletionTokens,
      temperature: temperature.describe("Sampling temperature of an executed answer, 0 to 2."),
      tools,
      metadata,
    },
    { error: "it must be an object" },
  );
}

export type RouterRequestBody = z.infer<ReturnType<typeof routerRequestSchema>>;

/** Fields of the schema, for telling a misspelt field from one that is meant for a provider. */
export const ROUTER_REQUEST_FIELDS: readonly string[] = Object.keys(
  routerRequestSchema({ maxMessages: 1 }).shape,
);
