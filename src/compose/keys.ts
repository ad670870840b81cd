/** The keys of a data folder, with what a server or a command needs of them. */
import { randomBytes } from "node:crypto";
import type { Log } from "../foundation/log.js";
import { createUlidGenerator } from "../foundation/request-id.js";
import { removeLeftovers } from "../foundation/shared-file.js";
import { KeyFile } from "../gateway/access/keys/key-file.js";
import { KeyRing } from "../gateway/access/keys/key-ring.js";
import type { PrincipalLimits } from "../gateway/access/principal.js";
import type { Settings } from "../gateway/settings/settings.js";

type LimitSettings = Pick<Settings, "requestsPerMinute" | "tokensPerMinute" | "usdPerMonth">;

/** Of keys and tokens that have none of their own. */
export const defaultLimitsOf = (settings: LimitSettings): PrincipalLimits => ({
  requestsPerMinute: settings.requestsPerMinute ?? null,
  tokensPerMinute: settings.tokensPerMinute ?? null,
  usdPerMonth: settings.usdPerMonth ?? null,
});

/** Removes what servers that were killed left beside the files of keys, spending and sessions. Never waited for, never rejects. */
export async function tidyDataFolder(
  { dataDir }: Pick<Settings, "dataDir">,
  { log }: { readonly log: Log },
): Promise<void> {
  await removeLeftovers(dataDir).catch((fault) =>
    log.warn({ fault: String(fault) }, "files that a killed server left cannot be removed"),
  );
}

/** The keys of a data folder. @throws StorageError */
export function openKeyRing(
  settings: Pick<Settings, "dataDir" | "bootstrapApiKey"> & LimitSettings,
): Promise<KeyRing> {
  return KeyRing.open(new KeyFile(settings.dataDir), {
    bootstrapApiKey: settings.bootstrapApiKey,
    defaultLimits: defaultLimitsOf(settings),
    now: Date.now,
    randomBytes,
    newId: createUlidGenerator({ now: Date.now, randomBytes }),
  });
}
