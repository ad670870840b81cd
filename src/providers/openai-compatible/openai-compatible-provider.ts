import { translatedStream } from "../http/translated-stream.js";
import { openUpstream } from "../http/upstream.js";
import type { Provider, ProviderCall, ProviderReply } from "../provider.js";
import { addressesOf } from "./addresses.js";
import { CHAT_CHOICES, TEXT_CHOICES } from "./choices.js";
import { ChunkReader } from "./chunk-reader.js";
import { readCompletion } from "./completion.js";
import type { Quirks } from "./quirks.js";
import { requestBody } from "./request.js";
import { TokenLimits } from "./token-limits.js";
import { usageOf } from "./usage.js";

export interface OpenAiCompatibleOptions {
  readonly id: string;
  /** `https://api.openai.com/v1`: what comes before `/chat/completions`. Its query goes with every request. */
  readonly baseUrl: string;
  /** Undefined for servers that want none. */
  readonly apiKey: string | undefined;
  /** From `quirksFor`. */
  readonly quirks: Quirks;
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxReplyBytes: number;
  /** Milliseconds since the epoch; default the system's clock. */
  readonly now?: () => number;
}

/**
 * OpenAI's chat completions, and its legacy completions for models that cannot chat, as OpenAI and everybody who speaks
 * its dialect serve them.
 *
 * @throws TypeError when the base URL or the key cannot be used
 */
export function openAiCompatible(options: OpenAiCompatibleOptions): Provider {
  const { id, apiKey, quirks, ...limits } = options;
  const { baseUrl, pathOf } = addressesOf(options.baseUrl, quirks);
  const upstream = openUpstream({ ...limits, baseUrl, headers: keyHeader(apiKey, quirks) });
  const tokenLimits = new TokenLimits(quirks);

  async function sendOnce(call: ProviderCall, signal: AbortSignal): Promise<ProviderReply> {
    const body = requestBody(call, { quirks, tokenLimitField: tokenLimits.fieldFor(call) });
    const request = { body: JSON.stringify(body), signal };
    const reader = call.api === "chat" ? CHAT_CHOICES : TEXT_CHOICES;
    if (call.stream) {
      const events = await upstream.postForEvents(pathOf(call), request);
      const chunks = new ChunkReader({ quirks, reader, wanted: choicesWanted(call) });
      return { kind: "stream", batches: translatedStream(events, chunks) };
    }
    const { text } = await upstream.postJson(pathOf(call), request);
    const completion = readCompletion(text, reader);
    return { kind: "completion", completion, usage: usageOf(completion.usage, quirks) };
  }

  return {
    id,
    send: (call, { signal }) =>
      sendOnce(call, signal).catch((reason: unknown) => {
        if (tokenLimits.learnFrom(reason, call)) return sendOnce(call, signal);
        throw reason;
      }),
    close: async () => upstream.close(),
  };
}

function keyHeader(apiKey: string | undefined, quirks: Quirks): Readonly<Record<string, string>> {
  if (apiKey === undefined) return {};
  return quirks.keyHeader === "api-key" ? { "api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
}

function choicesWanted({ body: { n } }: ProviderCall): number {
  return typeof n === "number" && n > 1 ? n : 1;
}
