import { z } from "zod";
import type { Timers } from "../../foundation/timers.js";
import type { ConversationMemory, ConversationRecord } from "./conversation-memory.js";
import { findShared, type SharedStore } from "./shared-store.js";

const recordSchema = z.object({
  model: z.string(),
  provider: z.string().nullable(),
  digest: z.string(),
  promptTokens: z.number(),
  billedTokens: z.number(),
  reportedTokens: z.number(),
  answeredAtMs: z.number(),
  upstream: z.string().optional(),
  key: z.string().optional(),
});

export interface SharedConversationsOptions {
  readonly store: SharedStore;
  /** The conversations of this process. */
  readonly local: ConversationMemory;
  readonly ttlMs: number;
  readonly timers: Timers;
}

/** Conversations that several instances share. While the store cannot be asked, each remembers its own. */
export class SharedConversations implements ConversationMemory {
  constructor(private readonly options: SharedConversationsOptions) {}

  find(key: string): Promise<ConversationRecord | undefined> {
    const { store, local, timers } = this.options;
    return findShared<ReturnType<ConversationMemory["find"]>>(store, key, {
      timers,
      read: (value) => recordSchema.safeParse(value).data,
      otherwise: () => local.find(key),
    });
  }

  remember(key: string, record: ConversationRecord): void {
    const { store, local, ttlMs } = this.options;
    local.remember(key, record);
    store.set(key, record, { ttlMs }).catch(() => {});
  }

  close(): Promise<void> {
    return this.options.store.close();
  }
}
