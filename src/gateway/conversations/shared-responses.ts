import type { Timers } from "../../foundation/timers.js";
import type { KeptKinds, KeptValue, ResponseMemory } from "./response-memory.js";

/** A store outside the process, which other instances share and which may be unavailable. Its methods may reject. */
export interface ResponseStore {
  get(name: string): Promise<unknown>;
  set(name: string, value: object, options: { readonly ttlMs: number }): Promise<void>;
  close(): Promise<void>;
}

/** Longest wait of a request for the store: far above what a healthy one takes. */
const FIND_WAIT_MS = 50;

export interface SharedResponsesOptions {
  readonly store: ResponseStore;
  /** Answers for the store while that cannot be asked. It alone knows of open runs: each instance ends its own. */
  readonly local: ResponseMemory;
  /** How long a kind is kept; null: never here, because it is content that must not be stored. */
  readonly ttlMs: Readonly<Record<keyof KeptKinds, number | null>>;
  readonly timers: Timers;
}

/** Responses that several instances share. While the store cannot be asked, each remembers its own. */
export class SharedResponses implements ResponseMemory {
  readonly #options: SharedResponsesOptions;

  constructor(options: SharedResponsesOptions) {
    this.#options = options;
  }

  find<Kind extends keyof KeptKinds>(kind: Kind, key: string): Promise<KeptKinds[Kind] | undefined> {
    const { store, local, timers, ttlMs } = this.#options;
    if (ttlMs[kind] === null) return local.find(kind, key);
    return new Promise((resolve) => {
      const withoutStore = (): void => resolve(local.find(kind, key));
      const cancel = timers.after(FIND_WAIT_MS, withoutStore);
      // Written by this code alone, a version of which may have kept more or less in it.
      const found = (value: unknown): void =>
        isGone(value) ? resolve(undefined) : resolve((value ?? local.find(kind, key)) as KeptKinds[Kind]);
      store.get(`${kind}:${key}`).finally(cancel).then(found, withoutStore);
    });
  }

  keep(kept: KeptValue): void {
    const { store, local, ttlMs } = this.#options;
    local.keep(kept);
    const ttl = ttlMs[kept.kind];
    if (ttl !== null) store.set(`${kept.kind}:${kept.key}`, kept.value, { ttlMs: ttl }).catch(() => {});
  }

  claimRuns() {
    return this.#options.local.claimRuns();
  }

  async close(): Promise<void> {
    await Promise.all([this.#options.store.close(), this.#options.local.close()]);
  }
}

const isGone = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "deleted" in value && value.deleted === true;
