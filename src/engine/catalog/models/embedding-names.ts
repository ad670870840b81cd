/**
 * Names of embedding models: with "embed" (`text-embedding-3-small`, `nomic-embed-text`), or of one of the widespread
 * families of open weights.
 */
const EMBEDDING_NAME = /embed|(?:^|[/-])(?:bge|e5|gte|all-minilm|voyage)(?:-|$)/i;

/** Rerankers, which have the same families' names. */
const RERANKER_NAME = /rerank/i;

/** Whether a name is that of an embedding model. */
export const isEmbeddingName = (name: string): boolean =>
  EMBEDDING_NAME.test(name) && !RERANKER_NAME.test(name);
