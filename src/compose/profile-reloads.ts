/** Profile sets are loaded again when somebody asks for it, and when their files have changed. */
import type { Logger } from "pino";
import { type Cancel, systemTimers } from "../foundation/timers.js";
import { SetChanges } from "../profiles/set-changes.js";
import type { Settings } from "../settings/settings.js";

interface ReloadOptions {
  /** Loads the sets again, in every process. Rejects when they cannot be used; those in use then stay. */
  readonly reload: () => Promise<unknown>;
  readonly log: Logger;
}

/** Reloads, with nobody to answer: a failure is logged. */
export async function reloadUnasked({ reload, log }: ReloadOptions): Promise<void> {
  try {
    await reload();
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    log.error({ reason }, "the profile sets cannot be loaded again");
  }
}

type WatchSettings = Pick<Settings, "profiles" | "shadowProfiles" | "profilesWatchMs">;

/** Reloads whenever the files of the sets have changed. @returns stops it */
export function reloadOnChange(
  { profiles, shadowProfiles = [], profilesWatchMs }: WatchSettings,
  options: ReloadOptions,
): Cancel {
  if (profilesWatchMs === 0) return () => {};
  const changes = new SetChanges([...profiles, ...shadowProfiles]);
  let isBusy = false;
  const look = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    if (await changes.look()) await reloadUnasked(options);
    isBusy = false;
  };
  void look();
  return systemTimers.every(profilesWatchMs, () => void look());
}
