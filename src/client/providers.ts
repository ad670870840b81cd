import type OpenAI from "openai";
import type { APIPromise } from "openai";
import { APIResource } from "openai/core/resource";
import type { ProviderList } from "./wire/replies.js";

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
