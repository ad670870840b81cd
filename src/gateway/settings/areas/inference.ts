import { z } from "zod";
import { field, MILLISECONDS, milliseconds, numberFromText } from "../field.js";

/** What fits into one text: V8 holds at most 536,870,888 characters in one. */
const REPLY_BYTES = 536_870_888;

/** How requests are run on providers. */
export const inferenceSettings = {
  maxAttempts: field(
    numberFromText(z.int().min(1).max(100)).default(6),
    "Most upstream calls for one request, retries and fallbacks included.",
    { expects: "a whole number from 1 to 100" },
  ),
  retries: field(
    numberFromText(z.int().min(0).max(20)).default(1),
    "How often the providers of one model are tried again after a failure that may pass, before the next model's turn.",
    { expects: "a whole number from 0 to 20" },
  ),
  retryMaxWaitMs: field(
    milliseconds(2000),
    "Longest wait before such another try, in milliseconds. A provider that asks for a longer one is not asked again; the caller is then told the wait, with 429.",
    { expects: MILLISECONDS },
  ),
  circuitFailures: field(
    numberFromText(z.int().min(1).max(1000)).default(5),
    "Failures in a row after which a provider is not asked for a model for a while, where something else serves the request.",
    { expects: "a whole number from 1 to 1000" },
  ),
  circuitCooldownMs: field(
    milliseconds(10_000),
    "How long it is then not asked, in milliseconds, before one request tries it again.",
    { expects: MILLISECONDS },
  ),
  circuitProbes: field(
    numberFromText(z.int().min(1).max(10_000)).default(4),
    "How many requests may call such a provider at the same time all the same, where no other provider or fallback serves them; " +
      "also while a provider has asked for a wait. The first that succeeds ends it.",
    { expects: "a whole number from 1 to 10000" },
  ),
  upstreamConnectTimeoutMs: field(
    milliseconds(5000),
    "Longest wait for a connection to a provider, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  upstreamHeadersTimeoutMs: field(
    milliseconds(300_000),
    "Longest wait for the start of a provider's reply, in milliseconds. Answers that are not streamed usually start when " +
      "they are finished.",
    { expects: MILLISECONDS },
  ),
  upstreamFirstContentTimeoutMs: field(
    milliseconds(120_000),
    "Longest wait from the start of a streamed reply to its first content, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  upstreamIdleTimeoutMs: field(
    milliseconds(60_000),
    "Longest silence within a streamed answer, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  upstreamTotalTimeoutMs: field(
    milliseconds(600_000),
    "Longest time for one request with all its attempts, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  discoveryIntervalMs: field(
    numberFromText(z.int().min(0).max(86_400_000)).default(30_000),
    "How often Ollama, vLLM and llama.cpp are asked for their models, in milliseconds, where the settings list none for them. Their models can then be named without the provider. 0: " +
      "never.",
    { expects: "a whole number of milliseconds from 0 to 86400000" },
  ),
  discoveryTimeoutMs: field(
    milliseconds(2000),
    "Longest wait for such a list, in milliseconds; also the longest that a start waits for it.",
    { expects: MILLISECONDS },
  ),
  connectionTestTimeoutMs: field(
    milliseconds(15_000),
    "Longest wait for the answer when the connection to a provider is tested (`POST /admin/providers/{id}/test`, and *Test connection* in the " +
      "console), in milliseconds.",
    { expects: MILLISECONDS },
  ),
  upstreamMaxConnections: field(
    numberFromText(z.int().min(1).max(65_536)).default(512),
    "Most connections to one provider's address.",
    { expects: "a whole number from 1 to 65536" },
  ),
  upstreamMaxReplyBytes: field(
    numberFromText(z.int().min(1024).max(REPLY_BYTES)).default(16_777_216),
    "Largest reply of a provider that is not streamed, and largest single event of a stream, in bytes. A larger one ends its " +
      "attempt with `reply_too_large`. Reading 16 MiB takes some hundred milliseconds, in steps between which others are answered: 30 ms for one long text, 130 for 150,000 small values.",
    { expects: `a whole number from 1024 to ${REPLY_BYTES}` },
  ),
  upstreamMaxStreamBytes: field(
    numberFromText(z.int().min(1024).max(1_099_511_627_776)).default(134_217_728),
    "Most bytes of one streamed answer of a provider. A longer one breaks off with `reply_too_large`.",
    { expects: "a whole number from 1024 to 1099511627776" },
  ),
  upstreamMaxEmbeddingsBytes: field(
    numberFromText(z.int().min(1024).max(REPLY_BYTES)).default(67_108_864),
    "Largest reply of a provider that holds embeddings, in bytes: 2,048 vectors of 3,072 numbers take 34 MB.",
    { expects: `a whole number from 1024 to ${REPLY_BYTES}` },
  ),
  responseItemsTtlMs: field(
    numberFromText(z.int().min(0).max(604_800_000)).default(3_600_000),
    "Milliseconds for which the items of a response are remembered, so that clients of `POST /v1/responses` may refer to them by their ids: in memory, " +
      "or in Redis where `redis_url` names one and `trace_content` is on. Only of requests that say nothing of `store`. 0: never.",
    { expects: "a whole number from 0 to 604800000" },
  ),
  responseItemsMaxBytes: field(
    numberFromText(z.int().min(0).max(4_294_967_296)).default(67_108_864),
    "Most bytes of such items in memory; those used longest ago are forgotten. 0: none.",
    { expects: "a whole number from 0 to 4294967296" },
  ),
  storedResponsesTtlMs: field(
    numberFromText(z.int().min(60_000).max(31_536_000_000)).default(2_592_000_000),
    "Milliseconds for which it is remembered where a response is that its provider keeps (`store: true`), in the file `responses.jsonl` or in Redis, " +
      "without any content. OpenAI keeps responses for 30 days, the default.",
    { expects: "a whole number from 60000 to 31536000000" },
  ),
  maxStoredResponses: field(
    numberFromText(z.int().min(1).max(10_000_000)).default(100_000),
    "Most stored responses that are remembered; those used longest ago are forgotten.",
    { expects: "a whole number from 1 to 10000000" },
  ),
  routedFileMaxBytes: field(
    numberFromText(z.int().min(0).max(REPLY_BYTES)).default(16_777_216),
    "Largest file, in bytes, whose text `auto` and `POST /v1/router` judge a request by: PDFs, and files of text. 0: none is read.",
    { expects: `a whole number from 0 to ${REPLY_BYTES}` },
  ),
  routedFileMaxPages: field(
    numberFromText(z.int().min(1).max(10_000)).default(20),
    "Most pages of a PDF that are read for this, from the first on.",
    { expects: "a whole number from 1 to 10000" },
  ),
  routedFileMaxCharacters: field(
    numberFromText(z.int().min(100).max(1_000_000)).default(20_000),
    "Most characters of all files of a request that are read for this.",
    { expects: "a whole number from 100 to 1000000" },
  ),
  routedFileTimeoutMs: field(
    milliseconds(2000),
    "Longest time for reading one PDF, its wait for others included, in milliseconds. After that the rest of the request decides.",
    { expects: MILLISECONDS },
  ),
  backgroundPollMs: field(
    milliseconds(10_000),
    "Milliseconds between two questions to a provider whether a response in the background has ended, so that it is billed and traced without anybody asking for it.",
    { expects: MILLISECONDS },
  ),
};
