import type { RoutingBody } from "../../../engine/router/routing-body.js";
import type { ChatChunk, ChatCompletion } from "../../providers/chat.js";
import type { EncodedVector } from "../../providers/embeddings.js";
import type { Attempt, Usage } from "../../traces/trace.js";

interface AnsweredBy {
  /** Model id as in the request. */
  readonly model: string;
  readonly provider: string;
  /**
   * Every upstream call, ending with the one that answered, and skipped providers with an open circuit. The last one of
   * a stream has its state at the first content.
   */
  readonly attempts: readonly Attempt[];
  /** The decision, for routed requests. */
  readonly routing: RoutingBody | null;
  /** `x-ratelimit-…` headers for the reply. */
  readonly limitHeaders: Readonly<Record<string, string>>;
}

/** A whole answer. Its trace is recorded and its reservation settled. */
export interface Answer extends AnsweredBy {
  readonly kind: "completion";
  readonly completion: ChatCompletion;
  readonly usage: Usage;
}

/** Embeddings. Their trace is recorded and their reservation settled. */
export interface EmbeddingAnswer extends Pick<AnsweredBy, "model" | "provider" | "limitHeaders"> {
  /** One for each input, in order, in the requested encoding. */
  readonly vectors: readonly EncodedVector[];
  readonly usage: Usage;
}

/** A streamed answer whose first content has arrived, after which there is no fallback. */
export interface AnswerStream extends AnsweredBy {
  readonly kind: "stream";
  /**
   * Chunks in order, those that arrived together in one batch; iterate once. Throws a `SextantError` when the answer
   * breaks off, `ClientDisconnected` when the client disconnects. The trace is recorded when the iteration ends, fails,
   * or is stopped early.
   */
  readonly batches: AsyncIterable<readonly ChatChunk[]>;
  /** The final count; call it after the iteration has ended. */
  usage(): Usage;
}
