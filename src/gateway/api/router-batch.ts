import { z } from "zod";
import { closedObject } from "../../foundation/closed-object.js";
import { errorSchema } from "./error.js";
import { routerRequestSchema } from "./router-request.js";
import { routingSchema } from "./routing.js";

/** Requests of one batch. */
const MOST_REQUESTS = 1000;

const LIST = `it must be a list of 1 to ${MOST_REQUESTS} requests`;
const ID = "it must be a text of 1 to 200 characters";

/** Body of `POST /v1/router/batch`, API §2. */
export function routerBatchSchema(limits: { readonly maxMessages: number }) {
  const { messages, max_tokens, max_completion_tokens, tools, metadata, ...shared } =
    routerRequestSchema(limits).shape;
  const { models, cost_weight, max_mean_cost_usd, max_latency_ms, latency_weight, provider } = shared;
  const request = closedObject(
    {
      id: z
        .string({ error: ID })
        .min(1, { error: ID })
        .max(200, { error: ID })
        .describe("Repeated on its line."),
      messages,
      max_tokens,
      max_completion_tokens,
      tools,
      metadata,
    },
    "it must be an object with `id` and `messages`",
  );
  return closedObject(
    {
      requests: z
        .array(request, { error: LIST })
        .min(1, { error: LIST })
        .max(MOST_REQUESTS, { error: LIST })
        .describe("What is decided, each on its own. 1 to 1,000."),
      models,
      cost_weight,
      max_mean_cost_usd,
      max_latency_ms,
      latency_weight,
      provider,
    },
    "it must be an object with `requests`",
  );
}

export type RouterBatchBody = z.infer<ReturnType<typeof routerBatchSchema>>;

/** Either of a decision and an error. */
export type BatchLineBody = z.infer<typeof batchLineSchema>;

const requestId = z.string().describe("Of the trace of this decision.");

/** A line of the answer. */
export const batchLineSchema = z
  .union([
    z.strictObject({ id: z.string(), routing: routingSchema, request_id: requestId }),
    z.looseObject({ id: z.string(), error: errorSchema.shape.error, request_id: requestId }),
  ])
  .describe(
    "One line for each request, in the same order, as they are decided: a decision, or why there is none.",
  );
