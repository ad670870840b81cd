import { readWhole, reportedFault } from "../http/read-reply.js";
import { translatedStream } from "../http/translated-stream.js";
import { openUpstream, type UpstreamOptions, withIdempotencyKey } from "../http/upstream.js";
import { wholeAnswer } from "../http/whole-answer.js";
import { tokenUsageOf } from "../openai-responses/reply.js";
import type {
  CallOptions,
  EmbeddingCall,
  EmbeddingReply,
  NativeApi,
  Provider,
  ProviderCall,
  ProviderReply,
} from "../provider.js";
import { withCharge } from "../token-usage.js";
import { ChunkReader } from "./chunk-reader.js";
import { embeddingRequestBody, readEmbeddings } from "./embeddings.js";
import type { Quirks } from "./quirks.js";
import { requestBody, tokenLimitField } from "./request.js";
import { ResponsesCaller } from "./responses-caller.js";
import { usageOf } from "./usage.js";

/** The base URL is what comes before `/chat/completions`. */
export interface OpenAiCompatibleOptions extends UpstreamOptions {
  readonly id: string;
  /** Undefined for servers that want none. */
  readonly apiKey: string | undefined;
  /** From `quirksFor`. */
  readonly quirks: Quirks;
}

/**
 * OpenAI's chat completions, its Responses where it serves them, its legacy completions for models that cannot chat, and its embeddings, as OpenAI and
 * everybody who speaks its dialect serve them.
 *
 * @throws TypeError when the base URL or the key cannot be used
 */
export function openAiCompatible(options: OpenAiCompatibleOptions): Provider {
  const { id, apiKey, quirks, headers, ...limits } = options;
  const { baseUrl, pathOf } = addressesOf(options.baseUrl, quirks);
  const upstream = openUpstream({
    ...limits,
    baseUrl,
    headers: { ...headers, ...keyHeader(apiKey, quirks) },
  });
  const failures = {
    secret: apiKey,
    readUsage: (usage: unknown) => usageOf(usage, quirks) ?? tokenUsageOf(usage),
  };

  async function chat(call: ProviderCall, options: CallOptions): Promise<ProviderReply> {
    const body = requestBody(call, { quirks, tokenLimitField: tokenLimitField(call, quirks) });
    const { signal, headers, seen } = options;
    const request = { body: JSON.stringify(body), headers: withIdempotencyKey(headers, call), signal, seen };
    const api = call.api === "completions" ? call.api : "chat";
    const path = pathOf({ api, upstreamModel: call.upstreamModel });
    const functions = call.body.functions !== undefined;
    const chunks = new ChunkReader({ quirks, wanted: choicesWanted(call), functions });
    if (call.stream) {
      const events = await upstream.postForEvents(path, request);
      return { kind: "stream", batches: translatedStream(events, chunks, failures) };
    }
    const { text, headers: told } = await upstream.postJson(path, request);
    const { completion, usage } = await readWhole(text, (reply) => wholeAnswer(reply, chunks));
    return { kind: "completion", completion, usage: withCharge(usage, told) };
  }

  async function embed(call: EmbeddingCall, options: CallOptions): Promise<EmbeddingReply> {
    const { upstreamModel } = call;
    const body = JSON.stringify(embeddingRequestBody(call, quirks));
    const request = { body, ...options, holds: "embeddings" } as const;
    const { text } = await upstream.postJson(pathOf({ api: "embeddings", upstreamModel }), request);
    return readWhole(text, (reply) => readEmbeddings(reply, { ...call, quirks }));
  }

  const reported = (reason: unknown): never => {
    throw reportedFault(reason, failures);
  };
  const responses = new ResponsesCaller({ id, upstream, failures, baseUrl, quirks });
  return {
    id,
    get natives() {
      return responses.exists ? WITH_RESPONSES : CHAT_ALONE;
    },
    send: (call, options) =>
      (responses.serves(call) ? responses.send(call, options, chat) : chat(call, options)).catch(reported),
    embed: (call, options) => embed(call, options).catch(reported),
    kept: (call, options) => responses.kept(call, options).catch(reported),
    keptEvents: (call, options) => responses.keptEvents(call, options).catch(reported),
    close: async () => upstream.close(),
  };
}

const CHAT_ALONE: ReadonlySet<NativeApi> = new Set();
const WITH_RESPONSES: ReadonlySet<NativeApi> = new Set(["responses"]);

function keyHeader(apiKey: string | undefined, quirks: Quirks): Readonly<Record<string, string>> {
  if (apiKey === undefined) return {};
  return quirks.keyHeader === "api-key" ? { "api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
}

/** `n` for each prompt. */
function choicesWanted({ body: { n, prompt } }: ProviderCall): number {
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== "number" ? prompt.length : 1;
  return prompts * (typeof n === "number" && n > 1 ? n : 1);
}

export interface Addresses {
  readonly baseUrl: string;
  /** Path of a call below it. */
  pathOf(call: { readonly api: keyof typeof ENDPOINTS; readonly upstreamModel: string }): string;
}

const ENDPOINTS = {
  chat: "/chat/completions",
  completions: "/completions",
  embeddings: "/embeddings",
} as const;

/**
 * Where calls go. Azure's v1 is plain. Before it, deployments were named in the path and the version in the query: that
 * form is used when the base URL's query has an `api-version` and its path does not end in `/v1`. The path may leave out
 * what is the same for everybody, `/openai/v1` or `/openai/deployments/NAME`.
 */
export function addressesOf(baseUrl: string, { paths }: Pick<Quirks, "paths">): Addresses {
  const plain: Addresses = { baseUrl, pathOf: ({ api }) => ENDPOINTS[api] };
  if (paths === "plain" || !URL.canParse(baseUrl)) return plain;
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/v1") || path.includes("/deployments/")) return plain;
  const root = path.endsWith("/openai") ? path : `${path}/openai`;
  if (!url.searchParams.has("api-version")) {
    url.pathname = `${root}/v1`;
    return { ...plain, baseUrl: url.href };
  }
  url.pathname = root;
  return {
    baseUrl: url.href,
    pathOf: ({ api, upstreamModel }) => `/deployments/${encodeURIComponent(upstreamModel)}${ENDPOINTS[api]}`,
  };
}
