import OpenAI, { type APIPromise } from "openai";
import type { EmbeddingList, EmbeddingParams } from "./wire/completions.js";

/**
 * `client.embeddings`: OpenAI's, with the gateway's fields and costs. Fallbacks of a call are the gateway's to try; those of the
 * client are for answers, and do not apply.
 */
export class Embeddings extends OpenAI.Embeddings {
  override create(body: EmbeddingParams, options?: OpenAI.RequestOptions): APIPromise<EmbeddingList> {
    return super.create(body as OpenAI.EmbeddingCreateParams, options) as APIPromise<EmbeddingList>;
  }
}
