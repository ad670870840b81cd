/** What the providers of these tests may take of the process. */
export const LIMITS = {
  connectTimeoutMs: 5_000,
  maxConnections: 4,
  maxReplyBytes: 1_000_000,
  maxStreamBytes: 10_000_000,
  maxEmbeddingsBytes: 10_000_000,
};
