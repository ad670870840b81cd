import { SqliteStore } from "./sqlite-store.js";
import type { Store } from "./store.js";

export interface Stores {
  /** Of this machine: keys, spending, sessions. */
  readonly local: SqliteStore;
  /** Of all instances of a fleet, when the settings name a Redis; else the same. */
  readonly shared: Store;
  close(): Promise<void>;
}

export interface StoreSettings {
  readonly dataDir: string;
  readonly redisUrl?: string | undefined;
}

/** Opens nothing yet that is not asked for: a folder or a Redis that is not there is reported by what needs it. */
export async function openStores({ dataDir, redisUrl }: StoreSettings): Promise<Stores> {
  const local = new SqliteStore(dataDir);
  // The client is loaded only when there is a Redis: a start without need not wait for it.
  const shared = redisUrl === undefined ? local : new (await import("./redis-store.js")).RedisStore(redisUrl);
  return {
    local,
    shared,
    async close() {
      await shared.close();
      await local.close();
    },
  };
}
