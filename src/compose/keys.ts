/** The keys of a data folder, with what a command or a process without requests needs of them. */
import { randomBytes } from "node:crypto";
import { KeyFile } from "../access/keys/key-file.js";
import { KeyRing } from "../access/keys/key-ring.js";
import type { PrincipalLimits } from "../access/principal.js";
import { createUlidGenerator } from "../foundation/request-id.js";
import type { Settings } from "../settings/settings.js";

type LimitSettings = Pick<Settings, "requestsPerMinute" | "tokensPerMinute" | "usdPerMonth">;

/** Of keys and tokens that have none of their own. */
export const defaultLimitsOf = (settings: LimitSettings): PrincipalLimits => ({
  requestsPerMinute: settings.requestsPerMinute ?? null,
  tokensPerMinute: settings.tokensPerMinute ?? null,
  usdPerMonth: settings.usdPerMonth ?? null,
});

/** The keys of a data folder. @throws AccessFileError */
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
