import { translatedStream } from "../http/translated-stream.js";
import { openUpstream } from "../http/upstream.js";
import type { Provider, ProviderCall, ProviderReply } from "../provider.js";
import { toChatCompletion } from "./reply.js";
import { toMessagesRequest } from "./request.js";
import { MessagesStream } from "./stream.js";

export interface AnthropicOptions {
  readonly id: string;
  /** `https://api.anthropic.com`, with or without `/v1`. */
  readonly baseUrl: string;
  /** Undefined for servers that want none. */
  readonly apiKey: string | undefined;
  /** The `anthropic-version` header; by default the version this adapter is written for. */
  readonly apiVersion?: string;
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxReplyBytes: number;
  /** Milliseconds since the epoch; default the system's clock. */
  readonly now?: () => number;
}

const API_VERSION = "2023-06-01";
const PATH = "/messages";

/**
 * Anthropic's Messages API. Models have no other endpoint, so a call for `completions` is a chat as well: its prompt is a
 * user message already.
 *
 * @throws TypeError when the base URL or the key cannot be used
 */
export function anthropic(options: AnthropicOptions): Provider {
  const { id, apiKey, apiVersion = API_VERSION, now = Date.now, ...limits } = options;
  const upstream = openUpstream({
    ...limits,
    baseUrl: versioned(options.baseUrl),
    headers: { "anthropic-version": apiVersion, ...(apiKey === undefined ? {} : { "x-api-key": apiKey }) },
    now,
  });

  async function send(
    call: ProviderCall,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ProviderReply> {
    const { body, headers, answerTool } = toMessagesRequest(call);
    const request = { body: JSON.stringify(body), headers, signal };
    if (call.stream) {
      const events = await upstream.postForEvents(PATH, request);
      const translator = new MessagesStream({ answerTool, created: seconds(now()) });
      return { kind: "stream", batches: translatedStream(events, translator) };
    }
    const { text } = await upstream.postJson(PATH, request);
    return { kind: "completion", ...toChatCompletion(text, { answerTool, created: seconds(now()) }) };
  }

  return { id, send, close: async () => upstream.close() };
}

/** Vendors' documentation gives the address without the version, OpenAI-like ones with it. */
function versioned(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith("/v1") ? path : `${path}/v1`;
  return url.href;
}

const seconds = (ms: number): number => Math.floor(ms / 1000);
