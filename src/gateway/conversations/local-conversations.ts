import { LRUCache } from "lru-cache";
import type { ConversationMemory, ConversationRecord } from "./conversation-memory.js";

/** Of the least recently used ones beyond that, nothing is remembered. About 400 bytes each. */
const MOST_CONVERSATIONS = 20_000;

export interface LocalConversationsOptions {
  /** How long an answer is remembered. */
  readonly ttlMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Default: `MOST_CONVERSATIONS`. */
  readonly most?: number;
}

/** Conversations in the memory of this process. */
export class LocalConversations implements ConversationMemory {
  readonly #records: LRUCache<string, ConversationRecord>;

  constructor(private readonly options: LocalConversationsOptions) {
    // With `max` it would take the memory of all of them at once.
    this.#records = new LRUCache({
      maxSize: options.most ?? MOST_CONVERSATIONS,
      sizeCalculation: () => 1,
    });
  }

  find(key: string): ConversationRecord | undefined {
    const record = this.#records.get(key);
    if (record === undefined) return undefined;
    const { now, ttlMs } = this.options;
    if (now() - record.answeredAtMs <= ttlMs) return record;
    this.#records.delete(key);
    return undefined;
  }

  remember(key: string, record: ConversationRecord): void {
    this.#records.set(key, record);
  }

  async close(): Promise<void> {}
}
