/** What the providers of these tests may take of the process. */
export const LIMITS = {
  maxConnections: 4,
  maxReplyBytes: 1_000_000,
};
