import type OpenAI from "openai";
import type { APIPromise } from "openai";
import { APIResource } from "openai/core/resource";
import type { Pause, PauseParams } from "./wire/replies.js";

type Options = OpenAI.RequestOptions;

/** The pauses in force, the newest first. */
export interface ListedPauses {
  object: "list";
  data: Pause[];
}

/** `client.pauses`: what is out of use for a while. Its key needs the scope `admin`. */
export class Pauses extends APIResource {
  list(options?: Options): APIPromise<ListedPauses> {
    return this._client.get(this.#address(), options);
  }

  /**
   * Pauses a model, a provider or a key at once, for an hour unless `ends_at` says otherwise; with `redirect_to` another model
   * answers requests for a paused one. A pause of the same thing gives way to this one.
   *
   * @throws NotFoundError for a model, provider or key that is not known, BadRequestError for a redirect that cannot work
   */
  create(params: PauseParams, options?: Options): APIPromise<Pause> {
    return this._client.post(this.#address(), { body: params, ...options });
  }

  /** Ends a pause before its time. @throws NotFoundError when it is not in force */
  end(id: string, options?: Options): APIPromise<Pause> {
    return this._client.delete(`${this.#address()}/${encodeURIComponent(id)}`, options);
  }

  /** Beside `/v1`, which the client's own address ends with. */
  #address(): string {
    return `${this._client.baseURL.replace(/\/v1\/?$/, "")}/admin/pauses`;
  }
}
