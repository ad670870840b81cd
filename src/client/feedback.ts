import type OpenAI from "openai";
import type { APIPromise } from "openai";
import { APIResource } from "openai/core/resource";
import type { Feedback, FeedbackParams } from "./wire/replies.js";

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
