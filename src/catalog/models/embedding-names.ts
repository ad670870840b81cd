/**
 * How models that make embeddings are called: by what they do (`text-embedding-3-small`, `nomic-embed-text`), or as one of
 * the widespread families of open weights.
 */
const EMBEDDING_NAME = /embed|(?:^|[/-])(?:bge|e5|gte|all-minilm|voyage)(?:-|$)/i;

/** Rerankers bear the families' names too. */
const RERANKER_NAME = /rerank/i;

/** Whether a model of this name makes embeddings, for all that the name says. */
export const isEmbeddingName = (name: string): boolean =>
  EMBEDDING_NAME.test(name) && !RERANKER_NAME.test(name);
