import type { JsonObject } from "../chat.js";
import { invalidReply, readReplyObject, readWhole, reportedFault } from "../http/read-reply.js";
import { NativeStream, translatedStream } from "../http/translated-stream.js";
import { openUpstream, type UpstreamOptions, withIdempotencyKey } from "../http/upstream.js";
import type {
  CallOptions,
  NativeApi,
  NativeRequest,
  Provider,
  ProviderCall,
  ProviderReply,
} from "../provider.js";
import { withoutAttribution } from "./attribution.js";
import { betaHeaders } from "./fields.js";
import { type MessagesHost, messagesHost } from "./messages-host.js";
import { OrderedMessage, toChatCompletion } from "./ordered-message.js";
import { toTokenUsage } from "./reply.js";
import { type MessagesRequest, toMessagesRequest } from "./request.js";
import { MessagesStream } from "./stream.js";

/** The base URL is `https://api.anthropic.com`, with or without `/v1`, or that of another host. */
export interface AnthropicOptions extends UpstreamOptions {
  readonly id: string;
  /** Undefined for servers that require none. */
  readonly apiKey: string | undefined;
  /** Default: by the address. */
  readonly host?: MessagesHost;
  /** The `anthropic-version` where no client asks for one; by default that which this adapter is written for. */
  readonly apiVersion?: string;
}

const NATIVES: ReadonlySet<NativeApi> = new Set(["messages"]);
const API_VERSION = "2023-06-01";
const ANTHROPICS_ADDRESS = /^https:\/\/api\.anthropic\.com(?:[/:]|$)/;

type Headers = Readonly<Record<string, string>>;

/**
 * A provider that speaks Anthropic's Messages API. Models have no other endpoint, so a call for `completions` is sent
 * as a chat: its prompt is a user message already.
 *
 * @throws TypeError when the base URL or the key is invalid
 */
export function anthropic(options: AnthropicOptions): Provider {
  const { id, apiKey, apiVersion = API_VERSION, now = Date.now, ...limits } = options;
  const host = options.host ?? messagesHost(options);
  const upstream = openUpstream({
    ...limits,
    baseUrl: host.addressOf(options.baseUrl),
    headers: { ...options.headers, ...(apiKey === undefined ? {} : { "x-api-key": apiKey }) },
    now,
  });
  const isAnthropics = id === "anthropic" || ANTHROPICS_ADDRESS.test(options.baseUrl);
  const failures = { secret: apiKey, readUsage: toTokenUsage };

  const accepted = (body: JsonObject): JsonObject =>
    taken(isAnthropics ? body : withoutAttribution(body), host);
  function versioned({ "anthropic-version": asked = apiVersion, ...headers }: Headers): Headers {
    if (host.versionHeader === "none") return headers;
    return { ...headers, "anthropic-version": host.versionHeader === "asked" ? asked : apiVersion };
  }

  async function send(
    call: ProviderCall,
    { signal, headers: added, seen }: CallOptions,
  ): Promise<ProviderReply> {
    const isNative = call.native !== undefined;
    const { body, headers, answerTool } = isNative
      ? nativeRequest(call, call.native)
      : toMessagesRequest(call, host);
    const { path, body: posted } = host.post(accepted(body));
    const request = {
      body: JSON.stringify(posted),
      headers: withIdempotencyKey({ ...versioned(headers), ...added }, call),
      signal,
      seen,
    };
    const options = { answerTool, created: Math.floor(now() / 1000) };
    if (call.stream) {
      const events = await upstream.postForEvents(path, request);
      const stream = new MessagesStream(options);
      const translator = new OrderedMessage(isNative ? new NativeStream(stream) : stream);
      return { kind: "stream", batches: translatedStream(events, translator, failures) };
    }
    const { text } = await upstream.postJson(path, request);
    const { completion, usage, reply } = await readWhole(text, (one) => toChatCompletion(one, options));
    const native = isNative && reply !== null ? { native: reply } : {};
    return { kind: "completion", completion: { ...completion, ...native }, usage };
  }

  const { count } = host;
  return {
    id,
    natives: NATIVES,
    send: (call, options) =>
      send(call, options).catch((reason: unknown) => {
        throw reportedFault(reason, failures);
      }),
    ...(count !== null && {
      async countTokens({ upstreamModel, native }, { signal }) {
        const { body: asked, headers } = withBetaHeader(native);
        const { path, body } = count({ ...accepted(asked), model: upstreamModel });
        const request = { body: JSON.stringify(body), headers: versioned(headers), signal };
        const { text } = await upstream.postJson(path, request);
        const { input_tokens: tokens } = readReplyObject(text);
        if (typeof tokens !== "number") throw invalidReply("a count without tokens");
        return tokens;
      },
    }),
    close: async () => upstream.close(),
  };
}

/** A request that is in Anthropic's format already. */
function nativeRequest({ upstreamModel, stream }: ProviderCall, native: NativeRequest): MessagesRequest {
  const { body, headers } = withBetaHeader(native);
  return { body: { ...body, model: upstreamModel, stream }, headers, answerTool: null };
}

function withBetaHeader({ body: { anthropic_beta: betas, ...body }, headers }: NativeRequest) {
  return { body, headers: { ...headers, ...betaHeaders(betas) } };
}

/** A body without what the host refuses. */
function taken(body: JsonObject, { droppedFields }: MessagesHost): JsonObject {
  if (!droppedFields.some((name) => name in body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !droppedFields.includes(name)));
}
