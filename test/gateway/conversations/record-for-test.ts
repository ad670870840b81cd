import type { ConversationRecord } from "../../../src/gateway/conversations/conversation-memory.js";

/** An answer at that time, with changes. */
export const recordAt = (
  answeredAtMs: number,
  changes: Partial<ConversationRecord> = {},
): ConversationRecord => ({
  model: "large",
  provider: "openai",
  digest: "digest-1",
  promptTokens: 1200,
  billedTokens: 1300,
  reportedTokens: 0,
  answeredAtMs,
  ...changes,
});
