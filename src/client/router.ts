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
import type {
  CostWeightList,
  Feedback,
  FeedbackParams,
  ProfileList,
  ProviderList,
  RouterDecision,
} from "./wire/replies.js";

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

/** A decision whose answer is streamed. */
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

/** `client.feedback`: how good the outcome of a request was. */
export class Feedbacks extends APIResource {
  /**
   * Keeps a score, from 0 to 1, and a comment with the trace of the request, in the place of an earlier one.
   *
   * @throws NotFoundError `trace_not_found`, also for requests of a source that is not the key's own
   */
  create(params: FeedbackParams, options?: OpenAI.RequestOptions): APIPromise<Feedback> {
    return this._client.post("/feedback", { body: params, ...options });
  }
}

/** Whose providers to list: all by default. */
export interface ProviderQuery {
  /** A model id, `provider/id` or a deployment's name (`gpt-5.4-mini`). */
  model?: string | undefined;
}

/** `client.providers`: who serves a model, at which price, in which state. */
export class Providers extends APIResource {
  list(query: ProviderQuery = {}, options?: OpenAI.RequestOptions): APIPromise<ProviderList> {
    return this._client.get("/providers", { query: { ...query }, ...options });
  }
}
