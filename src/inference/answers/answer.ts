import type { ChatChunk, ChatCompletion } from "../../providers/chat.js";
import type { EncodedVector } from "../../providers/embeddings.js";
import type { RoutingBody } from "../../router/routing-body.js";
import type { Attempt, Usage } from "../../traces/trace.js";

interface AnsweredBy {
  /** Model id as the client knows it. */
  readonly model: string;
  readonly provider: string;
  /**
   * Every upstream call made, the one that answered last, and between them the providers passed over with an open circuit.
   * The last one of a stream is as it stands at its first content.
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
  /** One for each input, in order, in the encoding that was asked for. */
  readonly vectors: readonly EncodedVector[];
  readonly usage: Usage;
}

/** A streamed answer whose first content has arrived: from here on no other model can take over. */
export interface AnswerStream extends AnsweredBy {
  readonly kind: "stream";
  /**
   * Chunks in order, those that arrived together in one batch; iterate once. Throws a `SextantError` when the answer breaks
   * off, `ClientDisconnected` when the client leaves. The trace is recorded when the iteration ends, breaks off, or is left early.
   */
  readonly batches: AsyncIterable<readonly ChatChunk[]>;
  /** The final count; call it after the iteration has ended. */
  usage(): Usage;
}
