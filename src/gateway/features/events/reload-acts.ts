import type { LoadedProfiles } from "../../../engine/router/router.js";
import { SextantError } from "../../../foundation/errors.js";
import type { NewEvent } from "./event.js";

/** What a reload of settings and profile sets came to. */
export interface Reloaded extends LoadedProfiles {
  readonly settings: {
    /** The settings file. */
    readonly path: string;
    /** Keys of the settings file that are now used with other values, `environment` for keys of providers, and `catalog` for models and prices. */
    readonly changed: readonly string[];
    /** The settings before these could not be used. */
    readonly recovered: boolean;
  };
}

type Act = Omit<NewEvent, "actor">;

/** Empty when the settings are the same as before. */
export function settingsActs({ path, changed, recovered }: Reloaded["settings"]): Act[] {
  if (changed.length === 0 && !recovered) return [];
  const target = { type: "settings", id: path, name: null } as const;
  return [{ kind: "settings.reloaded", target, details: { changed } }];
}

/** @param models how many have a profile */
export const profilesAct = (version: string, models: number): Act => ({
  kind: "profiles.reloaded",
  target: { type: "profiles", id: version, name: null },
  details: { models },
});

/** @param inUse the version of the profiles and the settings file that stay */
export function refusedAct(fault: unknown, inUse: { readonly version: string; readonly path: string }): Act {
  const reason = fault instanceof SextantError ? fault.message : "a bug; the log has it";
  return fault instanceof SextantError && fault.code === "settings_rejected"
    ? {
        kind: "settings.refused",
        target: { type: "settings", id: inUse.path, name: null },
        details: { reason },
      }
    : {
        kind: "profiles.refused",
        target: { type: "profiles", id: inUse.version, name: null },
        details: { reason },
      };
}
