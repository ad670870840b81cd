import type { Timers } from "../../foundation/timers.js";
import type { ConversationMemory, ConversationRecord } from "./conversation-memory.js";

/** A store outside the process, which other instances share and which may be unavailable. Its methods may reject. */
export interface ConversationStore {
  get(key: string): Promise<ConversationRecord | undefined>;
  set(key: string, record: ConversationRecord, options: { readonly ttlMs: number }): Promise<void>;
  close(): Promise<void>;
}

/** Longest wait of a request for the store: far above what a healthy one takes. */
const FIND_WAIT_MS = 50;

export interface SharedConversationsOptions {
  readonly store: ConversationStore;
  /** Answers for the store while that cannot be asked: the conversations of this process. */
  readonly local: ConversationMemory;
  readonly ttlMs: number;
  readonly timers: Timers;
}

/** Conversations that several instances share. While the store cannot be asked, each remembers its own. */
export class SharedConversations implements ConversationMemory {
  readonly #options: SharedConversationsOptions;

  constructor(options: SharedConversationsOptions) {
    this.#options = options;
  }

  find(key: string): Promise<ConversationRecord | undefined> {
    const { store, local, timers } = this.#options;
    return new Promise((resolve) => {
      const withoutStore = (): void => resolve(local.find(key));
      const cancel = timers.after(FIND_WAIT_MS, withoutStore);
      store.get(key).finally(cancel).then(resolve, withoutStore);
    });
  }

  remember(key: string, record: ConversationRecord): void {
    const { store, local, ttlMs } = this.#options;
    local.remember(key, record);
    store.set(key, record, { ttlMs }).catch(() => {});
  }

  close(): Promise<void> {
    return this.#options.store.close();
  }
}
