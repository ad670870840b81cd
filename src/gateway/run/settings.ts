import { z } from "zod";
import { field, milliseconds, oneOf, switchField, whole } from "../settings/field.js";

/** What fits into one text: V8 holds at most 536,870,888 characters in one. */
const REPLY_BYTES = 536_870_888;

const timeLimit = z.int().min(1).max(86_400_000).optional();
const most = z.int().positive().optional();

export const modelLimitSchema = z.strictObject({
  model: z
    .string()
    .min(1)
    .optional()
    .describe("Model that it applies to, by its name here or at the provider; default all."),
  provider: z.string().min(1).optional().describe("Provider that it applies to; default all."),
  effort: z
    .string()
    .min(1)
    .optional()
    .describe("Effort of reasoning that it applies to, of the request or the model's variant; default all."),
  first_token_timeout_ms: timeLimit.describe(
    "Longest time from the start of a streamed call to its first content, in milliseconds; default 120,000 from the start of its reply.",
  ),
  idle_timeout_ms: timeLimit.describe(
    "Longest silence within a streamed answer, in milliseconds; default `upstream_idle_timeout_ms`.",
  ),
  total_timeout_ms: timeLimit.describe("Longest time of one call in all, in milliseconds."),
  max_output_tokens: most.describe(
    "Maximum tokens of an answer: sent to the provider where the request asks for more, or does not say.",
  ),
  max_concurrency: most.describe(
    "Maximum number of calls at the same time, of all that the entry applies to, in each process. Another provider or fallback serves further requests; without one, they wait.",
  ),
});

/** How requests are run on providers. */
export const inferenceSettings = {
  maxAttempts: whole(
    { from: 1, to: 100, usual: 6 },
    "Maximum number of upstream calls for one request, retries and fallbacks included.",
  ),
  retries: whole(
    { from: 0, to: 20, usual: 1 },
    "How often the providers of a model are tried again after a temporary failure, before the next fallback.",
  ),
  retryMaxWaitMs: milliseconds(
    2000,
    "Longest wait before a retry, in milliseconds. A provider that asks for a longer one is not asked again; the caller " +
      "gets 429 with that wait.",
  ),
  helpAfterToolErrors: whole(
    { from: 0, to: 1000, usual: 0 },
    "In a loop of tools, `auto` decides anew once so many results have failed since the user wrote, or the same calls repeat " +
      "five times: at a cost weight of at most 0.1, the lost cache counted. More is solved, at [about the same or more for " +
      "a solved task](decisions/conversations.md). 0: the loop keeps its model.",
  ),
  hostSort: oneOf(
    { values: ["price", "latency", "throughput"], usual: "price" },
    "What decides which of several providers of a model is asked first: the expected `price` of the request, the `latency` " +
      "to the first content, or the `throughput` in tokens per second, each divided by the share of calls that succeed. " +
      "Measured in each process, recent minutes counting most. Requests may override it in `provider`.",
  ),
  cacheBreakpoints: oneOf(
    { values: ["on", "off"], usual: "on" },
    "Whether prompts to Claude that are likely to continue, and long enough for its cache, are marked (`cache_control`) " +
      "where the request marks nothing.",
  ),
  servedModel: oneOf(
    { values: ["record", "fail"], usual: "record" },
    "What happens when a reply names [another model](api.md#the-served-model) than was asked for: `record` notes it in the " +
      "trace and `sextant_served_model_mismatches_total`; `fail` also fails the attempt, and the next provider is asked. " +
      "Either way, what it used is billed.",
  ),
  circuitFailures: whole(
    { from: 1, to: 1000, usual: 5 },
    "Failures in a row after which a provider is not asked for a model for a while, where something else can serve the " +
      "request.",
  ),
  circuitCooldownMs: milliseconds(
    10_000,
    "How long it is then not asked, in milliseconds, before one request tries it again.",
  ),
  upstreamHeadersTimeoutMs: milliseconds(
    300_000,
    "Longest wait for the start of a provider's reply, in milliseconds. Replies that are not streamed usually start when " +
      "they are complete.",
  ),
  upstreamIdleTimeoutMs: milliseconds(60_000, "Longest silence within a streamed answer, in milliseconds."),
  upstreamTotalTimeoutMs: milliseconds(
    600_000,
    "Longest time for one request with all its attempts, in milliseconds.",
  ),
  modelLimits: field(
    z.array(modelLimitSchema).default([]),
    "[Limits by model, provider and effort](#limits-by-model-provider-and-effort). File only.",
    { expects: "a list of limits" },
  ),
  measuredTimeouts: switchField(
    { usual: true },
    "Whether calls are stopped that take five times the 99th percentile of the last 128 calls of that model, provider and " +
      "effort (from the 50th on), even if other settings allow longer: a stream without content after at least 20 s and a " +
      "whole reply after at least 60 s, where another provider or fallback can serve the request; a stream that falls silent " +
      "after its first content after at least 30 s.",
  ),
  discoveryIntervalMs: whole(
    { from: 0, to: 86_400_000, usual: 30_000, unit: " of milliseconds" },
    "Milliseconds between requests for the model lists of Ollama, vLLM and llama.cpp, where the settings list none. Their " +
      "models then need no provider prefix. A start waits at most 2 s for them. 0: never.",
  ),
  upstreamMaxConnections: whole(
    { from: 1, to: 65_536, usual: 512 },
    "Maximum number of connections to one provider's address.",
  ),
  upstreamMaxReplyBytes: whole(
    { from: 1024, to: REPLY_BYTES, usual: 16_777_216 },
    "Largest reply of a provider that is not streamed, and largest event of a stream, in bytes; four times that for " +
      "embeddings, eight times for a whole stream. Larger ones end the attempt with `reply_too_large`. Reading 16 MiB takes " +
      "some hundred milliseconds, with other requests answered in between.",
  ),
  responseItemsMaxBytes: whole(
    { from: 0, to: 4_294_967_296, usual: 67_108_864 },
    "Maximum bytes of response items that are remembered for an hour, so that clients of `POST /v1/responses` may refer to " +
      "them by id: in memory, least recently used first out, and in Redis with `redis_url` and `trace_content`. Only of " +
      "requests that do not set `store`. 0: none.",
  ),
};
