import OpenAI, { type APIPromise } from "openai";
import type { Stream } from "openai/streaming";
import { type Ask, askInTurn } from "./fallback.js";
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatParams,
  ChatParamsStreamed,
  ChatParamsWhole,
  EmbeddingList,
  EmbeddingParams,
  TextCompletion,
  TextCompletionChunk,
  TextParams,
  TextParamsStreamed,
  TextParamsWhole,
} from "./wire/completions.js";

type Options = OpenAI.RequestOptions;

/** `client.chat`, whose completions know fallbacks, routing and costs. */
export class Chat extends OpenAI.Chat {
  declare completions: ChatCompletions;

  constructor(client: OpenAI, fallbacks: readonly string[]) {
    super(client);
    this.completions = new ChatCompletions(client, fallbacks);
  }
}

/** `client.chat.completions`; its helpers (`stream`, `parse`, `runTools`) use the client's own fallbacks. */
export class ChatCompletions extends OpenAI.Chat.Completions {
  readonly #fallbacks: readonly string[];

  constructor(client: OpenAI, fallbacks: readonly string[]) {
    super(client);
    this.#fallbacks = fallbacks;
  }

  override create(body: ChatParamsWhole, options?: Options): APIPromise<ChatCompletion>;
  override create(body: ChatParamsStreamed, options?: Options): APIPromise<Stream<ChatCompletionChunk>>;
  override create(
    body: ChatParams,
    options?: Options,
  ): APIPromise<ChatCompletion | Stream<ChatCompletionChunk>>;
  override create(body: ChatParams, options: Options = {}): APIPromise<never> {
    const send: Ask = (model, how) =>
      super.create({ ...withoutFallbacks(body), model } as OpenAI.Chat.ChatCompletionCreateParams, how);
    return createInTurn(this._client, body, { fallbacks: this.#fallbacks, options, send });
  }
}

/** `client.completions`. */
export class TextCompletions extends OpenAI.Completions {
  readonly #fallbacks: readonly string[];

  constructor(client: OpenAI, fallbacks: readonly string[]) {
    super(client);
    this.#fallbacks = fallbacks;
  }

  override create(body: TextParamsWhole, options?: Options): APIPromise<TextCompletion>;
  override create(body: TextParamsStreamed, options?: Options): APIPromise<Stream<TextCompletionChunk>>;
  override create(
    body: TextParams,
    options?: Options,
  ): APIPromise<TextCompletion | Stream<TextCompletionChunk>>;
  override create(body: TextParams, options: Options = {}): APIPromise<never> {
    const send: Ask = (model, how) =>
      super.create({ ...withoutFallbacks(body), model } as OpenAI.CompletionCreateParams, how);
    return createInTurn(this._client, body, { fallbacks: this.#fallbacks, options, send });
  }
}

interface InTurn {
  readonly fallbacks: readonly string[];
  readonly options: Options;
  readonly send: Ask;
}

function createInTurn(
  client: OpenAI,
  { model, fallbacks }: ChatParams | TextParams,
  how: InTurn,
): APIPromise<never> {
  const models = [...new Set([model, ...(fallbacks ?? how.fallbacks)])];
  if (models.length === 1) return how.send(model, how.options) as APIPromise<never>;
  return askInTurn(client, models, { ask: how.send, options: how.options });
}

/** The client goes through the fallbacks itself; a gateway that did so as well would try each of them many times. */
function withoutFallbacks<Body extends ChatParams | TextParams>(body: Body): Omit<Body, "fallbacks"> {
  const { fallbacks: _, ...rest } = body;
  return rest;
}

/**
 * `client.embeddings`: OpenAI's, with the gateway's fields and costs. Fallbacks of a call are the gateway's to try; those of the
 * client are for answers, and do not apply.
 */
export class Embeddings extends OpenAI.Embeddings {
  override create(body: EmbeddingParams, options?: OpenAI.RequestOptions): APIPromise<EmbeddingList> {
    return super.create(body as OpenAI.EmbeddingCreateParams, options) as APIPromise<EmbeddingList>;
  }
}
