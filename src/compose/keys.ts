/** The keys of a data folder, with what a server or a command needs of them. */
import { randomBytes } from "node:crypto";
import { createUlidGenerator } from "../foundation/request-id.js";
import { KeyRing } from "../gateway/access/keys/key-ring.js";
import type { PrincipalLimits } from "../gateway/access/principal.js";
import type { Settings } from "../gateway/settings.js";
import { SqliteStore } from "../gateway/storage/sqlite-store.js";

type LimitSettings = Pick<Settings, "requestsPerMinute" | "tokensPerMinute" | "usdPerMonth">;
type KeySettings = Pick<Settings, "bootstrapApiKey"> & LimitSettings;

/** Of keys and tokens that have none of their own. */
export const defaultLimitsOf = (settings: LimitSettings): PrincipalLimits => ({
  requestsPerMinute: settings.requestsPerMinute ?? null,
  tokensPerMinute: settings.tokensPerMinute ?? null,
  usdPerMonth: settings.usdPerMonth ?? null,
});

/** @throws StorageError */
export const openKeyRing = (store: SqliteStore, settings: KeySettings): Promise<KeyRing> =>
  KeyRing.open(store, {
    bootstrapApiKey: settings.bootstrapApiKey,
    defaultLimits: defaultLimitsOf(settings),
    now: Date.now,
    randomBytes,
    newId: createUlidGenerator({ now: Date.now, randomBytes }),
  });

/** Does something with the keys of a data folder, beside any running server. @throws StorageError */
export async function withKeys<Result>(
  settings: Pick<Settings, "dataDir"> & KeySettings,
  work: (keys: KeyRing) => Result | Promise<Result>,
): Promise<Result> {
  const store = new SqliteStore(settings.dataDir);
  try {
    return await work(await openKeyRing(store, settings));
  } finally {
    await store.close();
  }
}
