/** Profile sets are loaded again when somebody asks for it, and when their files have changed. */
import type { Logger } from "pino";
import type { LengthCorrections } from "../engine/lengths/length-corrections.js";
import { ProfileSetError } from "../engine/profiles/load.js";
import { SetChanges } from "../engine/profiles/set-changes.js";
import type { LoadedProfiles } from "../engine/router/router.js";
import { SextantError } from "../foundation/errors.js";
import { SerialQueue } from "../foundation/serial-queue.js";
import { type Cancel, systemTimers } from "../foundation/timers.js";
import { SERVER } from "../gateway/audit/event.js";
import type { EventLog } from "../gateway/audit/event-log.js";
import type { SupervisorConnection } from "../gateway/cluster/supervisor-connection.js";
import type { Metrics } from "../gateway/server/operations/metrics/metrics.js";
import type { Settings } from "../gateway/settings/settings.js";
import type { OpenedRouter } from "./open-router.js";
import type { ComposedShadow } from "./shadow.js";
import { reloadEverywhere } from "./shared-parts.js";

export interface ComposedReloads {
  /** Loads the sets again in this process. @throws SextantError `profiles_rejected`; those in use then stay */
  here(): Promise<LoadedProfiles>;
  /** In every process, in this one first. @throws SextantError `profiles_rejected` */
  everywhere(): Promise<LoadedProfiles>;
  /** Changes of the files are no longer looked for. */
  stopWatching(): void;
}

interface ReloadedParts {
  readonly opened: Pick<OpenedRouter, "reloadProfiles" | "profileFilesVersion">;
  readonly shadow: Pick<ComposedShadow, "reload">;
  readonly lengths: LengthCorrections | undefined;
  readonly metrics: Pick<Metrics, "profilesReloaded">;
  /** Undefined when they are not watched here: of several processes the supervisor watches, for all of them. */
  readonly changes: SetChanges | undefined;
  readonly supervisor: SupervisorConnection | undefined;
  readonly log: Logger;
  readonly events: Pick<EventLog, "record">;
}

/** One reload at a time. */
export function composeReloads(
  settings: WatchSettings,
  { opened, shadow, lengths, metrics, changes, supervisor, log, events }: ReloadedParts,
): ComposedReloads {
  const queue = new SerialQueue();
  const reload = async (): Promise<LoadedProfiles> => {
    const loaded = await opened.reloadProfiles().catch((fault) => {
      metrics.profilesReloaded("refused");
      return rejectProfiles(fault);
    });
    metrics.profilesReloaded("loaded");
    await lengths?.useProfiles(opened.profileFilesVersion());
    log.info({ version: loaded.version, models: loaded.count }, "the profile sets were loaded again");
    return { ...loaded, notes: [...loaded.notes, ...(await shadow.reload())] };
  };
  const here = () => queue.run(reload);
  return {
    here,
    everywhere: reloadEverywhere(here, supervisor),
    stopWatching: reloadOnChange(changes, settings, { reload: here, log, events }),
  };
}

function rejectProfiles(fault: unknown): never {
  if (!(fault instanceof ProfileSetError)) throw fault;
  throw new SextantError("profiles_rejected", `${fault.message} The profiles in use stay.`, { cause: fault });
}

interface ReloadOptions {
  /** Loads the sets again, in every process. Rejects when they cannot be used; those in use then stay. */
  readonly reload: () => Promise<LoadedProfiles | undefined>;
  readonly log: Logger;
  readonly events: Pick<EventLog, "record">;
}

/** Reloads without a caller: a failure is logged. Either outcome is an event. */
export async function reloadUnasked({ reload, log, events }: ReloadOptions): Promise<void> {
  try {
    const loaded = await reload();
    const target = { type: "profiles", id: loaded?.version ?? "", name: null } as const;
    await events.record({ kind: "profiles.reloaded", actor: SERVER, target, details: {} });
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    log.error({ reason }, "the profile sets cannot be loaded again");
    const target = { type: "profiles", id: "", name: null } as const;
    await events.record({ kind: "profiles.refused", actor: SERVER, target, details: { reason } });
  }
}

type WatchSettings = Pick<Settings, "profiles" | "shadowProfiles" | "profilesWatchMs">;

/**
 * The files of the sets as they are now: called before the sets are loaded, so that no change is missed that comes while they are.
 *
 * @returns undefined when changes are not looked for
 */
export async function watchedSets({
  profiles,
  shadowProfiles = [],
  profilesWatchMs,
}: WatchSettings): Promise<SetChanges | undefined> {
  if (profilesWatchMs === 0) return undefined;
  const changes = new SetChanges([...profiles, ...shadowProfiles]);
  await changes.look();
  return changes;
}

/** Reloads whenever the files of the sets have changed. @returns stops it */
export function reloadOnChange(
  changes: SetChanges | undefined,
  { profilesWatchMs }: Pick<WatchSettings, "profilesWatchMs">,
  options: ReloadOptions,
): Cancel {
  if (changes === undefined) return () => {};
  let isBusy = false;
  const look = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    if (await changes.look()) await reloadUnasked(options);
    isBusy = false;
  };
  return systemTimers.every(profilesWatchMs, () => void look());
}
