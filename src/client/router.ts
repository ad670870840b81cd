import type OpenAI from "openai";
import type { APIPromise } from "openai";
import { APIResource } from "openai/core/resource";
import type { Stream } from "openai/streaming";
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatParamsWhole,
  Metadata,
  RouterOptions,
} from "./wire/completions.js";
import type { CostWeightList, ProfileList, RouterDecision } from "./wire/replies.js";

type Options = OpenAI.RequestOptions;

interface RouterParams extends RouterOptions {
  messages: ChatParamsWhole["messages"];
  max_tokens?: number | undefined;
  temperature?: number | undefined;
  metadata?: Metadata | undefined;
}

/** The decision alone. */
export interface DecideParams extends RouterParams {
  execute: false;
}

/** The decision, and the answer of the model it chose. */
export interface ExecuteParams extends RouterParams {
  execute?: true | undefined;
  stream?: false | undefined;
}

export interface ExecuteStreamedParams extends RouterParams {
  execute?: true | undefined;
  stream: true;
}

/** `client.router`: which model should answer, and why. */
export class Router extends APIResource {
  /** Picks a model and, unless `execute` is false, runs the request on it; the gateway goes on to the runner-up when it fails. */
  create(body: DecideParams, options?: Options): APIPromise<RouterDecision>;
  create(body: ExecuteParams, options?: Options): APIPromise<ChatCompletion>;
  create(body: ExecuteStreamedParams, options?: Options): APIPromise<Stream<ChatCompletionChunk>>;
  create(
    body: DecideParams | ExecuteParams | ExecuteStreamedParams,
    options?: Options,
  ): APIPromise<RouterDecision | ChatCompletion | Stream<ChatCompletionChunk>> {
    const stream = "stream" in body && body.stream === true;
    return this._client.post("/router", { body, ...options, stream });
  }

  /** What cost weights mean in dollars. */
  costWeights(options?: Options): APIPromise<CostWeightList> {
    return this._client.get("/router/cost-weights", options);
  }

  /** What each model is known to be good at. */
  profiles(options?: Options): APIPromise<ProfileList> {
    return this._client.get("/router/profiles", options);
  }
}
