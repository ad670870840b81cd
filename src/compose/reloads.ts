/** Settings and profile sets are loaded again when somebody asks for it, and when their files have changed. */
import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import type { SavedLengths } from "../engine/lengths/saved-lengths.js";
import type { OpenedRouter } from "../engine/open-router.js";
import { ProfileSetError } from "../engine/profiles/load.js";
import { SetChanges } from "../engine/profiles/set-changes.js";
import { SextantError } from "../foundation/errors.js";
import type { FileChanges } from "../foundation/file-changes.js";
import { SerialQueue } from "../foundation/serial-queue.js";
import { type Cancel, systemTimers } from "../foundation/timers.js";
import { SERVER } from "../gateway/features/events/event.js";
import type { EventLog } from "../gateway/features/events/event-log.js";
import {
  profilesAct,
  type Reloaded,
  refusedAct,
  settingsActs,
} from "../gateway/features/events/reload-acts.js";
import type { Metrics } from "../gateway/features/operations/metrics/metrics.js";
import type { OperatorValues } from "../gateway/features/settings/operator-settings.js";
import type { SettingsSource } from "../gateway/settings/settings-source.js";
import type { Settings } from "../gateway/settings.js";
import type { ComposedConfiguration } from "./configuration.js";

/** Keys of the settings file that profile sets are not loaded by. */
const ASIDE: readonly string[] = ["budgets", "alerts", "auto_cost_weight", "presets"];

export interface ComposedReloads {
  /** Loads both again. @throws SextantError `settings_rejected`, `profiles_rejected`; what is in use then stays */
  reload(): Promise<Reloaded>;
  /**
   * Takes over what operators set. What else has changed in the settings is taken over too, as an event of the server's.
   *
   * @throws SextantError as `reload`, and what `next` and `keep` reject with; what is in use then stays
   */
  takeOver(change: OperatorChange): Promise<void>;
  /** The same as `reload` without a caller: a failure is logged. Either outcome is an event. */
  unasked(): Promise<void>;
  /** Changes of the files are no longer looked for. */
  stopWatching(): void;
}

interface OperatorChange {
  /** Asked when no other reload runs. @returns all that operators have set from now on */
  next(): Promise<OperatorValues>;
  /** Keeps it, once it is known that it can be used, and before it is. */
  keep?(): Promise<void>;
}

interface ReloadedParts {
  readonly opened: Pick<OpenedRouter, "router" | "reloadProfiles" | "profileFilesVersion">;
  readonly settings: Pick<ComposedConfiguration, "prepare">;
  readonly source: SettingsSource | undefined;
  readonly lengths: SavedLengths | undefined;
  readonly metrics: Pick<Metrics, "profilesReloaded">;
  readonly changes: WatchedFiles;
  readonly log: Logger;
  readonly events: Pick<EventLog, "record">;
}

/** One reload at a time. */
export function composeReloads({ watchMs }: WatchSettings, parts: ReloadedParts): ComposedReloads {
  const { opened, settings, source, lengths, metrics, changes, log, events } = parts;
  const queue = new SerialQueue();
  const path = source?.path ?? "";
  let isRefused = false;
  const load = async (what: "all" | "settings", change?: OperatorChange): Promise<Reloaded> => {
    const laid = await change?.next();
    const recovered = isRefused;
    isRefused ||= change === undefined;
    const { changed, notes, next } = await settings.prepare(laid);
    isRefused = false;
    const taken = { path, changed, recovered };
    const kept = next && {
      catalog: next.catalog,
      async use() {
        await change?.keep?.();
        await next.use();
      },
    };
    if (what === "settings" && changed.every((key) => ASIDE.includes(key))) {
      await kept?.use().catch((fault) => {
        next?.discard();
        throw fault;
      });
      const { profileVersion: version } = opened.router;
      return { version, count: opened.router.profiles().length, notes, settings: taken };
    }
    const loaded = await opened.reloadProfiles(kept).catch((fault) => {
      next?.discard();
      if (!(fault instanceof ProfileSetError)) throw fault;
      metrics.profilesReloaded("refused");
      throw new SextantError("profiles_rejected", `${fault.message} The profiles in use stay.`, {
        cause: fault,
      });
    });
    metrics.profilesReloaded("loaded");
    lengths?.useProfiles(opened.profileFilesVersion());
    log.info({ version: loaded.version, models: loaded.count }, "the profile sets were loaded again");
    return {
      ...loaded,
      notes: [...notes, ...loaded.notes],
      settings: taken,
    };
  };
  /** As an event of the server's, which nobody asked for. */
  const record = async (
    { settings: taken, version, count }: Reloaded,
    { versionBefore }: { readonly versionBefore: string },
  ): Promise<void> => {
    const profiles = version === versionBefore ? [] : [profilesAct(version, count)];
    for (const act of [...settingsActs(taken), ...profiles]) await events.record({ ...act, actor: SERVER });
  };
  const reload = () => queue.run(() => load("all"));
  const reloadSettings = () => queue.run(() => load("settings"));
  const unasked = async (reloadAgain = reload): Promise<void> => {
    const { profileVersion: versionBefore } = opened.router;
    try {
      await record(await reloadAgain(), { versionBefore });
    } catch (fault) {
      const act = refusedAct(fault, { version: opened.router.profileVersion, path });
      const what = act.kind === "settings.refused" ? "the settings" : "the profile sets";
      log.error(
        { reason: fault instanceof Error ? fault.message : String(fault) },
        `${what} cannot be loaded again`,
      );
      await events.record({ ...act, actor: SERVER });
    }
  };
  const takeOver = (change: OperatorChange): Promise<void> =>
    queue.run(async () => {
      const { profileVersion: versionBefore } = opened.router;
      const laidBefore = source?.current.laid;
      const edited = source?.edited() ?? [];
      const loaded = await load("settings", change);
      const isEdited = (key: string) =>
        edited.includes(key) || isDeepStrictEqual(laidBefore?.[key], source?.current.laid[key]);
      const changed = loaded.settings.changed.filter(isEdited);
      await record({ ...loaded, settings: { ...loaded.settings, changed } }, { versionBefore });
    });
  const unaskedIfEdited = async (): Promise<void> => {
    const edited = source?.edited();
    if (isRefused || edited === undefined || edited.length > 0) await unasked(reloadSettings);
  };
  const stops = [
    whenChanged(changes.profiles, { everyMs: watchMs, task: unasked }),
    whenChanged(changes.settings, { everyMs: watchMs, task: unaskedIfEdited }),
  ];
  return {
    reload,
    takeOver,
    unasked: () => unasked(),
    stopWatching() {
      for (const stop of stops) stop();
    },
  };
}

type WatchSettings = Pick<Settings, "profiles" | "watchMs">;

/** Files as they were when the server read them; undefined for those that are not watched. */
export interface WatchedFiles {
  readonly profiles: FileChanges | undefined;
  readonly settings: FileChanges | undefined;
}

/** The files as they are now: called before they are loaded, so that no change is missed that comes while they are. */
export async function watchedFiles(
  { profiles, watchMs }: WatchSettings,
  source: SettingsSource | undefined,
): Promise<WatchedFiles> {
  if (watchMs === 0) return { profiles: undefined, settings: undefined };
  const sets = new SetChanges(profiles);
  const settings = source?.changes();
  await Promise.all([sets.look(), settings?.look()]);
  return { profiles: sets, settings };
}

interface WhenChanged {
  readonly everyMs: number;
  readonly task: () => Promise<void>;
}

/** Looks at the files again and again, but not while the task runs. @returns stops it */
export function whenChanged(files: FileChanges | undefined, { everyMs, task }: WhenChanged): Cancel {
  if (files === undefined) return () => {};
  let isBusy = false;
  const look = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    if (await files.look()) await task();
    isBusy = false;
  };
  return systemTimers.every(everyMs, () => void look());
}
