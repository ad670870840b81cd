import { z } from "zod";
import { field, milliseconds, oneOf, switchField, whole } from "../field.js";

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
    "Longest time from the start of a streamed call to its first content, in milliseconds.",
  ),
  idle_timeout_ms: timeLimit.describe(
    "Longest silence within a streamed answer, in milliseconds; default `upstream_idle_timeout_ms`.",
  ),
  total_timeout_ms: timeLimit.describe("Longest time of one call in all, in milliseconds."),
  max_output_tokens: most.describe(
    "Most tokens of an answer: sent to the provider where the request asks for more, or does not say.",
  ),
  max_concurrency: most.describe(
    "Most calls at the same time, of all that the entry applies to, in each process. Another provider or fallback serves further requests; without one, they wait.",
  ),
});

/** How requests are run on providers. */
export const inferenceSettings = {
  maxAttempts: whole(
    { from: 1, to: 100, usual: 6 },
    "Most upstream calls for one request, retries and fallbacks included.",
  ),
  retries: whole(
    { from: 0, to: 20, usual: 1 },
    "How often the providers of one model are tried again after a failure that may pass, before the next model's turn.",
  ),
  retryMaxWaitMs: milliseconds(
    2000,
    "Longest wait before such another try, in milliseconds. A provider that asks for a longer one is not asked again; the caller is then told the wait, with 429.",
  ),
  hostSort: oneOf(
    { values: ["price", "latency", "throughput"], usual: "price" },
    "What decides which provider of a model is asked first, where several serve it: the expected `price` of the request, the `latency` to the first " +
      "content, or the `throughput` in tokens per second, each by how often its calls succeed. Latency, speed and failures are measured in " +
      "each process, the last minutes counting most. Requests may say otherwise in `provider`.",
  ),
  cacheBreakpoints: oneOf(
    { values: ["on", "off"], usual: "on" },
    "Whether prompts to Claude that are likely to continue, and long enough for its cache, are marked for it (`cache_control`) where the " +
      "request marks nothing itself.",
  ),
  servedModel: oneOf(
    { values: ["record", "fail"], usual: "record" },
    "What follows where a reply names [another model](api.md#the-served-model) than was asked for: its trace and `sextant_served_model_mismatches_total` " +
      "`record` it, or its attempt is also to `fail`, and the next provider is asked. What it used is billed either way.",
  ),
  circuitFailures: whole(
    { from: 1, to: 1000, usual: 5 },
    "Failures in a row after which a provider is not asked for a model for a while, where something else serves the request.",
  ),
  circuitCooldownMs: milliseconds(
    10_000,
    "How long it is then not asked, in milliseconds, before one request tries it again.",
  ),
  upstreamHeadersTimeoutMs: milliseconds(
    300_000,
    "Longest wait for the start of a provider's reply, in milliseconds. Answers that are not streamed usually start when " +
      "they are finished.",
  ),
  upstreamIdleTimeoutMs: milliseconds(60_000, "Longest silence within a streamed answer, in milliseconds."),
  upstreamTotalTimeoutMs: milliseconds(
    600_000,
    "Longest time for one request with all its attempts, in milliseconds.",
  ),
  modelLimits: field(
    z.array(modelLimitSchema).default([]),
    "Limits by model, provider and effort. Of the entries that apply to a call, each limit is that of the most specific one that has it: " +
      "a model counts more than a provider, and a provider more than an effort. File only.",
    { expects: "a list of limits" },
  ),
  measuredTimeouts: switchField(
    { usual: true },
    "Whether calls are stopped that take five times as long as the slowest hundredth of the last 128 of that model, provider and effort, once " +
      "there were 50, also where the settings allow longer: a stream without content after at least 20 s and a reply that is not streamed after at least 60 s, " +
      "where another provider or fallback can serve the request, and a stream that falls silent after its first content after at least 30 s. " +
      "A stream that goes on is never too long.",
  ),
  discoveryIntervalMs: whole(
    { from: 0, to: 86_400_000, usual: 30_000, unit: " of milliseconds" },
    "How often Ollama, vLLM and llama.cpp are asked for their models, in milliseconds, where the settings list none for them. Their models can then be named without the provider. A start waits for them for at most 2 s. 0: never.",
  ),
  upstreamMaxConnections: whole(
    { from: 1, to: 65_536, usual: 512 },
    "Most connections to one provider's address.",
  ),
  upstreamMaxReplyBytes: whole(
    { from: 1024, to: REPLY_BYTES, usual: 16_777_216 },
    "Largest reply of a provider that is not streamed, and largest single event of a stream, in bytes; four times that of a reply that holds embeddings " +
      "(2,048 vectors of 3,072 numbers take 34 MB), eight times that of a whole stream. A larger one ends its attempt with `reply_too_large`. Reading 16 MiB takes some hundred milliseconds, in steps between which others are answered: 30 ms for one long text, 130 for 150,000 small values.",
  ),
  responseItemsMaxBytes: whole(
    { from: 0, to: 4_294_967_296, usual: 67_108_864 },
    "Most bytes of the items of responses that are remembered for an hour, so that clients of `POST /v1/responses` may refer to them by their ids: in " +
      "memory, those used longest ago forgotten first, and in Redis where `redis_url` names one and `trace_content` is on. Only of requests that say " +
      "nothing of `store`. 0: none.",
  ),
};
