/** Providers, deployments, prices, fallbacks, presets, budgets and alerts of a server that runs, by its settings as they are read again. */
import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import { createCatalog } from "../engine/catalog/catalog.js";
import { catalogFileInUse, useCatalogFile } from "../engine/catalog/catalog-file.js";
import type { DiscoveredModels } from "../engine/catalog/deployments/discovered-models.js";
import { type ProviderEntry, resolveProviders } from "../engine/catalog/deployments/provider-entries.js";
import { unpricedNotes } from "../engine/catalog/deployments/unpriced.js";
import type { ReplaceableCatalog } from "../engine/catalog/replaceable-catalog.js";
import { newestCatalogFile, storedCatalogPath } from "../engine/catalog/stored-catalog.js";
import type { NextCatalog } from "../engine/open-router.js";
import { systemTimers } from "../foundation/timers.js";
import { useCloudVariables } from "../gateway/providers/auth/cloud-variables.js";
import {
  type ChangedSettings,
  type ReadSettings,
  reloadableOf,
  type SettingsSource,
} from "../gateway/settings/settings-source.js";
import type { Settings } from "../gateway/settings.js";
import { type Discovery, startDiscovery } from "./discovery.js";
import type { ComposedInference } from "./inference.js";

/** Which settings a reload found changed, and what a person should know of them. */
type SettingsChange = Pick<ChangedSettings, "changed" | "atNextStart"> & {
  readonly notes: readonly string[];
};

/** Checked settings: end it with `next.use` or `discard`. */
interface PreparedSettings extends SettingsChange {
  /** Undefined where nothing changed that counts before the next start. */
  readonly next: NextCatalog | undefined;
  discard(): void;
}

export interface ComposedSettings {
  /**
   * Reads the settings, checks them, and opens what they need.
   *
   * @throws SextantError `settings_rejected`; those in use then stay
   */
  prepare(): Promise<PreparedSettings>;
  /** The settings in use, as far as they change without a restart. */
  readonly current: () => Settings;
  /** Resolves when every server of one's own has said which models it has, or not in time. */
  readonly discovered: Promise<void>;
  stop(): void;
}

interface SettingsParts {
  /** Undefined: settings are not read again. */
  readonly source: SettingsSource | undefined;
  readonly entries: readonly ProviderEntry[];
  readonly catalog: ReplaceableCatalog;
  readonly discovered: DiscoveredModels;
  /** Not called before it is there. */
  readonly running: () => Pick<ComposedInference, "prepare">;
  /** Takes over what needs no preparation: budgets and alerts. */
  readonly useOthers: (read: ReadSettings) => void;
  readonly log: Logger;
}

export function composeSettings(
  settings: Settings,
  { source, entries, catalog, discovered, running, useOthers, log }: SettingsParts,
): ComposedSettings {
  const discover = (from: Settings, found: readonly ProviderEntry[]): Discovery =>
    startDiscovery(from, { entries: found, discovered, timers: systemTimers, log });
  let discovery = discover(settings, entries);
  let inUse = settings;
  const prepare = async (from: SettingsSource): Promise<PreparedSettings> => {
    const read = from.read();
    const [{ atNextStart }, { dataDir }] = [read, settings];
    const file = from.checked(() => newestCatalogFile(dataDir), storedCatalogPath(dataDir));
    const before = catalogFileInUse();
    const changed = isDeepStrictEqual(file, before) ? read.changed : [...read.changed, "catalog"];
    if (atNextStart.length > 0) log.warn({ settings: atNextStart }, "settings count from the next start on");
    if (changed.length === 0) {
      return { changed, atNextStart, notes: notesOf(read), next: undefined, discard() {} };
    }
    const check = () => {
      const others = resolveProviders(read.settings, read.environment);
      useCloudVariables(others, read.environment);
      const other = createCatalog(read.settings, {
        at: new Date(),
        providers: others,
        discovered,
        now: Date.now,
      });
      const providers = running().prepare(read.settings, { entries: others, catalog: other });
      return { others, other, providers };
    };
    if (changed.includes("catalog")) useCatalogFile(file);
    let checked: ReturnType<typeof check>;
    try {
      checked = from.checked(check);
    } catch (fault) {
      useCatalogFile(before);
      throw fault;
    }
    const { others, other, providers } = checked;
    const nextDiscovery = discover(read.settings, others);
    await nextDiscovery.first;
    return {
      changed,
      atNextStart,
      notes: [...notesOf(read), ...unpricedNotes(read.settings, other)],
      next: {
        catalog: other,
        use() {
          catalog.replace(other);
          providers.use();
          inUse = { ...settings, ...reloadableOf(read.settings) };
          useOthers(read);
          discovery.stop();
          discovery = nextDiscovery;
          discovered.keepOnly(others.map(({ id }) => id));
          from.accept(read);
          log.info({ changed }, "changed settings are in use");
        },
      },
      discard() {
        useCatalogFile(before);
        nextDiscovery.stop();
        providers.discard();
      },
    };
  };
  return {
    prepare: async () =>
      source === undefined
        ? { changed: [], atNextStart: [], notes: [], next: undefined, discard() {} }
        : prepare(source),
    current: () => inUse,
    discovered: discovery.first,
    stop: () => discovery.stop(),
  };
}

const notesOf = ({ atNextStart }: ChangedSettings): string[] =>
  atNextStart.length === 0
    ? []
    : [`Changed settings that count from the next start on: ${atNextStart.join(", ")}.`];
