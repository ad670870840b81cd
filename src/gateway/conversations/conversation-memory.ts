import { RecentValues, type RecentValuesOptions } from "./recent-values.js";

/** The last answer of a conversation: what the next decision in it needs. */
export interface ConversationRecord {
  /** As decisions name it. */
  readonly model: string;
  /** The provider that answered; of a decision that was not executed, the one that it names. */
  readonly provider: string | null;
  /** Of the messages that were answered. */
  readonly digest: string;
  /** Their tokens, estimated as for decisions, ≥ 0. */
  readonly promptTokens: number;
  /** The same as the provider counted them; the estimate where it did not. */
  readonly billedTokens: number;
  /** Of these, read from or written to the provider's prompt cache. */
  readonly reportedTokens: number;
  /** Milliseconds since the epoch. */
  readonly answeredAtMs: number;
  /** Who answered at a provider that has providers of its own, as its reply named it. */
  readonly upstream?: string | undefined;
  /** Name of the key that was used, at a provider with several. */
  readonly key?: string | undefined;
}

/**
 * Remembers the last answer of conversations for a while, as far as there is room. Forgetting one costs no more than its
 * prompt cache: a decision without a record is made as for a new conversation.
 */
export type ConversationMemory = Pick<RecentValues<ConversationRecord>, "find" | "remember">;

/** For which the model of a conversation is remembered after its last answer: as long as the longest prompt cache of a vendor. */
const CONVERSATION_TTL_MS = 3_600_000;
/** Some 20,000 conversations. */
const CONVERSATION_BYTES = 10_000_000;

/** @param sources with the store of a fleet, if there is one */
export const openConversations = (
  sources: Pick<RecentValuesOptions, "store" | "now" | "timers">,
): ConversationMemory =>
  new RecentValues({
    kind: "conversation",
    ttlMs: CONVERSATION_TTL_MS,
    maxBytes: CONVERSATION_BYTES,
    ...sources,
  });
