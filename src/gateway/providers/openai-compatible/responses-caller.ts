import { isJsonObject, type JsonObject, parsedJson } from "../chat.js";
import { type FailedReplyOptions, invalidReply, readWhole } from "../http/read-reply.js";
import { NativeStream, translatedStream } from "../http/translated-stream.js";
import { type Upstream, withIdempotencyKey } from "../http/upstream.js";
import { wholeAnswer } from "../http/whole-answer.js";
import { readableInput } from "../openai-responses/input.js";
import { ResponsesStream, RunStream } from "../openai-responses/reply.js";
import { chatField, ENCRYPTED_REASONING, responsesBody } from "../openai-responses/request.js";
import {
  type CallOptions,
  type KeptCall,
  type ProviderCall,
  ProviderFault,
  type ProviderReply,
  type StreamBatches,
} from "../provider.js";
import { publicHost, type Quirks, TOOLS_NEED_RESPONSES, UNREASONING_MODEL } from "./quirks.js";

export interface ResponsesCallerOptions {
  /** Of the provider. */
  readonly id: string;
  readonly upstream: Upstream;
  readonly failures: FailedReplyOptions;
  /** Resolved, so that Azure's v1 can be told from what came before it, which has no Responses. */
  readonly baseUrl: string;
  readonly quirks: Pick<Quirks, "responses">;
}

const PATH = "/responses";

type Send = (call: ProviderCall, options: CallOptions) => Promise<ProviderReply>;

/** Calls of OpenAI's Responses API, with what is learned about the server behind an address. */
export class ResponsesCaller {
  /** Whether the server is the vendor's own, which has the API whatever it answers. */
  readonly #isVendor: boolean;
  /** False once the server has turned out to lack the API. */
  exists: boolean;
  /** Models that refused to give their reasoning away. */
  readonly #unreasoning = new Set<string>();

  constructor(private readonly options: ResponsesCallerOptions) {
    const { baseUrl, quirks } = options;
    this.#isVendor = publicHost(baseUrl);
    this.exists = quirks.responses && !baseUrl.includes("api-version=");
  }

  /**
   * Whether a call goes to Responses: one in its own form, and one of a model that is served there, unless it asks for
   * something that chat completions alone have, and they serve the model with all else that it asks for.
   */
  serves(call: ProviderCall): boolean {
    if (call.native !== undefined) return true;
    if (call.api !== "responses") return false;
    if (call.chatToo !== true) return true;
    return this.exists && (chatField(call.body) === null || needsResponses(call));
  }

  /**
   * Sends a call. Where an address has no such API, which is often so with servers that pose as OpenAI, the call goes to
   * chat completions instead, and so do all later ones.
   */
  async send(call: ProviderCall, options: CallOptions, chat: Send): Promise<ProviderReply> {
    try {
      return await this.#sendRepaired(call, options);
    } catch (reason) {
      const replaceable = call.native?.replaceable ?? true;
      if (this.#isVendor || call.chatToo !== true || !replaceable || !isNoRoute(reason)) throw reason;
      const { native: _native, ...translated } = call;
      const reply = await chat(translated, options);
      this.exists = false;
      return reply;
    }
  }

  /** Reasoning that cannot be had costs one more call and not the answer. */
  async #sendRepaired(call: ProviderCall, options: CallOptions): Promise<ProviderReply> {
    try {
      return await this.#sendOnce(call, options);
    } catch (reason) {
      if (!isUnreasoning(reason) || call.native?.body.include !== undefined) throw reason;
      this.#unreasoning.add(call.upstreamModel);
      return this.#sendOnce(call, options);
    }
  }

  #bodyOf(call: ProviderCall): JsonObject {
    const { upstreamModel: model, native, stream } = call;
    const { id: provider } = this.options;
    const reasons = !UNREASONING_MODEL.test(model) && !this.#unreasoning.has(model);
    if (native === undefined) return responsesBody(call, { provider, reasons });
    const { store, include } = native.body;
    // A client that does not say where its conversation is kept sends back what it got.
    const carried =
      reasons && (store ?? null) === null ? { include: withEncryptedReasoning(include) } : undefined;
    const body = readableInput({ ...native.body, store: store === true }, { provider });
    return { ...body, ...carried, model, stream };
  }

  async #sendOnce(call: ProviderCall, { signal, headers, seen }: CallOptions): Promise<ProviderReply> {
    const body = this.#bodyOf(call);
    const { upstream, failures, id: provider } = this.options;
    const request = { body: JSON.stringify(body), headers: withIdempotencyKey(headers, call), signal, seen };
    const stream = new ResponsesStream({ provider });
    if (call.stream) {
      const events = await upstream.postForEvents(PATH, request);
      const read =
        body.background === true
          ? new RunStream({ provider })
          : call.native === undefined
            ? stream
            : new NativeStream(stream);
      return { kind: "stream", batches: translatedStream(events, read, failures) };
    }
    const { text } = await upstream.postJson(PATH, request);
    const { completion, usage, reply } = await readWhole(text, (one) => wholeAnswer(one, stream));
    if (call.native === undefined || reply === null) return { kind: "completion", completion, usage };
    return { kind: "completion", completion: { ...completion, native: reply }, usage };
  }

  /** Asks for a response that the server keeps. */
  async kept(call: KeptCall, { signal, headers }: CallOptions): Promise<JsonObject> {
    const { upstream } = this.options;
    const { text } = await upstream.postJson(keptPath(call), { method: call.method, headers, signal });
    const body = parsedJson(text);
    if (!isJsonObject(body)) throw invalidReply("something other than a JSON object");
    return body;
  }

  /** Asks for the events of a response that the server keeps. */
  async keptEvents(call: KeptCall, { signal, headers }: CallOptions): Promise<StreamBatches> {
    const { upstream, id: provider, failures } = this.options;
    const events = await upstream.postForEvents(keptPath(call), { method: call.method, headers, signal });
    return translatedStream(events, new RunStream({ provider }), failures);
  }
}

const keptPath = ({ id, action, query }: KeptCall): string =>
  `${PATH}/${encodeURIComponent(id)}${action === undefined ? "" : `/${action}`}${query}`;

function withEncryptedReasoning(include: unknown): readonly unknown[] {
  const asked: readonly unknown[] = Array.isArray(include) ? include : [];
  return asked.includes(ENCRYPTED_REASONING) ? asked : [...asked, ENCRYPTED_REASONING];
}

/** Whether the model would be refused its tools in chat completions. */
function needsResponses({ upstreamModel, body }: ProviderCall): boolean {
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
  return hasTools && body.reasoning_effort !== "none" && TOOLS_NEED_RESPONSES.test(upstreamModel);
}

/** A 404 or 405 that is not about the model, nor about what the request names. */
function isNoRoute(reason: unknown): boolean {
  if (!(reason instanceof ProviderFault) || (reason.status !== 404 && reason.status !== 405)) return false;
  if (reason.status === 404 && reason.code === "request_refused") return false;
  return reason.upstreamCode !== "model_not_found" && reason.upstreamParam !== "model";
}

/** "Encrypted content is not supported with this model." github.com/pydantic/pydantic-ai/issues/2865, 2025-09-11 */
function isUnreasoning(reason: unknown): boolean {
  return (
    reason instanceof ProviderFault &&
    reason.code === "request_refused" &&
    /^Encrypted content is not supported/.test(reason.upstreamMessage ?? "")
  );
}
