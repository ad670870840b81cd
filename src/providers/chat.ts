/**
 * The one form of requests and answers inside: OpenAI's chat completions, as far as anyone here reads them. Fields that
 * this code does not read pass through every layer unchanged, which is why the types are open.
 */

/** Any JSON object; never changed in place. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Body of a chat request without `model`, `stream` and the fields that are ours alone. */
export interface ChatBody extends JsonObject {
  readonly messages: readonly JsonObject[];
}

interface Choice extends JsonObject {
  readonly index: number;
  readonly finish_reason: string | null;
}

export interface ChatChoice extends Choice {
  readonly message: JsonObject;
}

/** `chat.completion` as a provider sent it, or as its adapter translated it. */
export interface ChatCompletion extends JsonObject {
  readonly choices: readonly ChatChoice[];
  /** The reply in the provider's own form, when the request was passed on in that form. */
  readonly native?: JsonObject;
}

export interface ChunkChoice extends Choice {
  readonly delta: JsonObject;
}

/** `chat.completion.chunk`. Choices may be empty. */
export interface ChatChunk extends JsonObject {
  readonly choices: readonly ChunkChoice[];
  /** The event in the provider's own form, when the request was passed on in that form. */
  readonly native?: JsonObject;
}
