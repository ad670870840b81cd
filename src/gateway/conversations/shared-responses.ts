import type { Timers } from "../../foundation/timers.js";
import type { KeptKinds, KeptValue, ResponseMemory } from "./response-memory.js";
import { findShared, type SharedStore } from "./shared-store.js";

export interface SharedResponsesOptions {
  readonly store: SharedStore;
  /** Answers for the store while that cannot be asked. It alone knows of open runs: each instance ends its own. */
  readonly local: ResponseMemory;
  /** How long a kind is kept; null: never here, because it is content that must not be stored. */
  readonly ttlMs: Readonly<Record<keyof KeptKinds, number | null>>;
  readonly timers: Timers;
}

/** Responses that several instances share. While the store cannot be asked, each remembers its own. */
export class SharedResponses implements ResponseMemory {
  constructor(private readonly options: SharedResponsesOptions) {}

  find<Kind extends keyof KeptKinds>(kind: Kind, key: string): Promise<KeptKinds[Kind] | undefined> {
    const { store, local, timers, ttlMs } = this.options;
    const otherwise = () => local.find(kind, key);
    if (ttlMs[kind] === null) return otherwise();
    // Written by this code alone, a version of which may have kept more or less in it.
    const read = async (value: unknown) =>
      isGone(value) ? undefined : ((value ?? (await otherwise())) as KeptKinds[Kind] | undefined);
    return findShared(store, `${kind}:${key}`, { timers, read, otherwise });
  }

  keep(kept: KeptValue): void {
    const { store, local, ttlMs } = this.options;
    local.keep(kept);
    const ttl = ttlMs[kept.kind];
    if (ttl !== null) store.set(`${kept.kind}:${kept.key}`, kept.value, { ttlMs: ttl }).catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.all([this.options.store.close(), this.options.local.close()]);
  }
}

const isGone = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "deleted" in value && value.deleted === true;
