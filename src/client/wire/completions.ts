import type OpenAI from "openai";
import type { HostPreferencesBody } from "../../gateway/api/host-preferences.js";
import type { ExecutedRouting, Usage } from "./replies.js";

/** Tags that are kept on the request's trace: at most 16, keys up to 64 characters, texts up to 512. */
export type Metadata = Record<string, string | number | boolean>;

/** What a request may say beyond OpenAI's fields. */
export interface GatewayParams {
  /** A model id, `provider/id`, a deployment's name, or `auto`: the gateway picks. */
  model: string;
  /** Models to try in order when `model` fails: with 408, 429, 5xx, no connection or no answer in time. */
  fallbacks?: readonly string[] | undefined;
  /** How `auto` picks. */
  router?: RouterOptions | undefined;
  /** Ask this provider alone, or those that an object in OpenRouter's form allows, in its order. */
  provider?: string | HostPreferencesBody | undefined;
  metadata?: Metadata | null | undefined;
}

export interface RouterOptions {
  /** At least two; all live models with a profile otherwise. */
  models?: readonly string[] | undefined;
  /** 0 (default): the best model, whatever it costs; 1: the cheapest one. */
  cost_weight?: number | undefined;
  /** Milliseconds that nine of ten answers may take; an object says of what (`whole`, `first_token`) and with which `confidence`. */
  max_latency_ms?:
    | number
    | {
        ms: number;
        of?: "whole" | "first_token" | undefined;
        confidence?: number | undefined;
      }
    | undefined;
  /** Points of quality that a second of an answer's expected time is worth. */
  latency_weight?: number | undefined;
  /** Whether the model of the conversation is kept while switching would cost more than it gains. Default: as the gateway is set. */
  sticky?: boolean | undefined;
  /** Name of the conversation: any text that its requests have in common. */
  conversation?: string | undefined;
}

type Ours<Body> = Omit<Body, keyof GatewayParams> & GatewayParams;

export type ChatParams = ChatParamsWhole | ChatParamsStreamed;
export type ChatParamsWhole = Ours<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming>;
export type ChatParamsStreamed = Ours<OpenAI.Chat.ChatCompletionCreateParamsStreaming>;

export type TextParams = TextParamsWhole | TextParamsStreamed;
export type TextParamsWhole = Ours<OpenAI.CompletionCreateParamsNonStreaming>;
export type TextParamsStreamed = Ours<OpenAI.CompletionCreateParamsStreaming>;

/** What every answer says beyond OpenAI's members. */
interface Envelope {
  /** The provider that answered. */
  provider: string;
  usage: Usage;
  request_id: string;
  /** How the model was chosen, when it was. */
  routing?: ExecutedRouting;
}

export interface ChatCompletion extends Omit<OpenAI.Chat.ChatCompletion, "usage">, Envelope {}

export type EmbeddingParams = Omit<Ours<OpenAI.EmbeddingCreateParams>, "router" | "provider"> & {
  /** Ask this provider alone. */
  provider?: string | undefined;
};

export interface EmbeddingList
  extends Omit<OpenAI.CreateEmbeddingResponse, "usage">,
    Omit<Envelope, "routing"> {}

export interface TextCompletion extends Omit<OpenAI.Completion, "usage">, Envelope {}

export interface ChatCompletionChunk extends Omit<OpenAI.Chat.ChatCompletionChunk, "usage"> {
  /** On the last chunk, which has no choices. */
  usage?: Usage | null;
  /** On the first chunk, when the model was chosen. */
  routing?: ExecutedRouting;
}

export interface TextCompletionChunk extends Omit<OpenAI.Completion, "usage"> {
  /** On the last chunk, which has no choices. */
  usage?: Usage;
  /** On the first chunk, when the model was chosen. */
  routing?: ExecutedRouting;
}
