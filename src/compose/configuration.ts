/** What of a server its settings make and a reload replaces: opened whole, swapped in, closed when no request uses it any more. */
import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import { type Catalog, createCatalog } from "../engine/catalog/catalog.js";
import { catalogFileInUse, useCatalogFile } from "../engine/catalog/catalog-file.js";
import { catalogInUse } from "../engine/catalog/catalog-in-use.js";
import { DiscoveredModels } from "../engine/catalog/deployments/discovered-models.js";
import { resolveProviders } from "../engine/catalog/deployments/provider-entries.js";
import { unpricedNotes } from "../engine/catalog/deployments/unpriced.js";
import { newestCatalogFile, storedCatalogPath } from "../engine/catalog/stored-catalog.js";
import type { NextCatalog } from "../engine/open-router.js";
import { SettingsError } from "../foundation/errors.js";
import { systemTimers } from "../foundation/timers.js";
import { budgetNotes } from "../gateway/access/limits/budget.js";
import type { AlertSetup } from "../gateway/features/alerts/alert-watch.js";
import type { OperatorValues } from "../gateway/features/settings/operator-settings.js";
import { useCloudVariables } from "../gateway/providers/auth/cloud-variables.js";
import { baselineOf } from "../gateway/run/savings.js";
import {
  type ChangedSettings,
  type ReadSettings,
  reloadableOf,
  type SettingsSource,
} from "../gateway/settings/settings-source.js";
import type { Settings } from "../gateway/settings.js";
import { alertSetup } from "./alerts.js";
import { type ComparisonSettings, checkComparisons } from "./comparisons.js";
import { startDiscovery } from "./discovery.js";
import { type OpenedProviders, openProviders } from "./providers.js";

export interface Configuration extends OpenedProviders {
  /** Those that count from the next start on are as they were at this one. */
  readonly settings: Settings;
  readonly catalog: Catalog;
  readonly alerts: AlertSetup;
}

interface ConfigurationSources {
  /** Models that self-hosted servers say they have. */
  readonly discovered?: DiscoveredModels;
  /** Its providers are used again where they would be the same. */
  readonly before?: Configuration;
}

/**
 * Opens what the settings need, by the catalog file in use. It connects to nothing.
 *
 * @throws SettingsError when a provider's address or key cannot be used
 */
export function openConfiguration(
  { settings, environment }: Pick<ReadSettings, "settings" | "environment">,
  { discovered, before }: ConfigurationSources = {},
): Configuration {
  const entries = resolveProviders(settings, environment);
  useCloudVariables(entries, environment);
  const catalog = createCatalog(settings, {
    at: new Date(),
    providers: entries,
    discovered,
    now: Date.now,
  });
  const providers = openProviders(entries, settings, before);
  return { settings, entries, catalog, providers, alerts: alertSetup(settings, environment) };
}

/** Which settings a reload found changed, and what a person should know of them. */
interface PreparedSettings extends Pick<ChangedSettings, "changed" | "atNextStart"> {
  readonly notes: readonly string[];
  /** To be used or discarded; undefined where nothing changed that counts before the next start. */
  readonly next: (NextCatalog & { discard(): void }) | undefined;
}

export interface ComposedConfiguration {
  readonly current: () => Configuration;
  /** Always that of the configuration in use. */
  readonly catalog: Catalog;
  /**
   * Reads the settings, checks them, and opens what they need.
   *
   * @param laid what operators have set; default: as it is in use
   * @throws SextantError `settings_rejected`; those in use then stay
   */
  prepare(laid?: OperatorValues): Promise<PreparedSettings>;
  /** Resolves when every server of one's own has said which models it has, or not in time. */
  readonly discovered: Promise<void>;
  stop(): void;
}

interface ConfigurationParts {
  /** Undefined: settings are not read again. */
  readonly source: SettingsSource | undefined;
  /** Has all parts use another configuration. @returns resolves when no request uses the one before */
  readonly use: (next: Configuration) => Promise<void>;
  readonly log: Logger;
}

/** @throws SettingsError as `openConfiguration`, and for a catalog file that cannot be used */
export function composeConfiguration(
  first: Pick<ReadSettings, "settings" | "environment">,
  { source, use, log }: ConfigurationParts,
): ComposedConfiguration {
  const { dataDir } = first.settings;
  const discovered = new DiscoveredModels();
  const discover = ({ settings, entries }: Configuration) =>
    startDiscovery(settings, { entries, discovered, timers: systemTimers, log });
  useCatalogFile(newestCatalogFile(dataDir));
  let inUse = openConfiguration(first, { discovered });
  let discovery = discover(inUse);
  const prepare = async (from: SettingsSource, laid?: OperatorValues): Promise<PreparedSettings> => {
    const read = from.read(laid);
    const { atNextStart } = read;
    const file = from.checked(() => newestCatalogFile(dataDir), storedCatalogPath(dataDir));
    const fileBefore = catalogFileInUse();
    const isSameFile = isDeepStrictEqual(file, fileBefore);
    const changed = isSameFile ? read.changed : [...read.changed, "catalog"];
    const notes = notesOf(read);
    if (atNextStart.length > 0) log.warn({ settings: atNextStart }, "settings count from the next start on");
    if (changed.length === 0 && read.laid === from.current.laid)
      return { changed, atNextStart, notes, next: undefined };
    if (!isSameFile) useCatalogFile(file);
    const settings = { ...inUse.settings, ...reloadableOf(read.settings) };
    let next: Configuration;
    try {
      next = from.checked(() => openConfiguration({ ...read, settings }, { discovered, before: inUse }));
    } catch (fault) {
      useCatalogFile(fileBefore);
      throw fault;
    }
    const nextDiscovery = discover(next);
    await nextDiscovery.first;
    const discard = (): void => {
      useCatalogFile(fileBefore);
      nextDiscovery.stop();
      closeProviders(next, inUse);
    };
    try {
      from.checked(() => checkModels(settings, next.catalog));
    } catch (fault) {
      discard();
      throw fault;
    }
    return {
      changed,
      atNextStart,
      notes: [...notes, ...unpricedNotes(settings, next.catalog), ...budgetNotes(settings.budgets)],
      next: {
        catalog: next.catalog,
        use() {
          const before = inUse;
          inUse = next;
          void use(next).then(() => closeProviders(before, next));
          discovery.stop();
          discovery = nextDiscovery;
          discovered.keepOnly(next.entries.map(({ id }) => id));
          from.accept(read);
          log.info({ changed }, "changed settings are in use");
        },
        discard,
      },
    };
  };
  return {
    current: () => inUse,
    catalog: catalogInUse(() => inUse.catalog),
    prepare: async (laid) =>
      source === undefined
        ? { changed: [], atNextStart: [], notes: [], next: undefined }
        : prepare(source, laid),
    discovered: discovery.first,
    stop: () => discovery.stop(),
  };
}

const notesOf = ({ atNextStart, unaddressed }: ChangedSettings): string[] => [
  ...(atNextStart.length === 0
    ? []
    : [`Changed settings that count from the next start on: ${atNextStart.join(", ")}.`]),
  ...unaddressedNotes(unaddressed),
];

export const unaddressedNotes = (webhooks: readonly string[]): string[] =>
  webhooks.map((name) => `The webhook "${name}" that was set in the console is left out: it has no address.`);

/** Those that the other configuration does not use. */
function closeProviders({ providers }: OpenedProviders, other: OpenedProviders): void {
  for (const [id, provider] of providers) if (other.providers.get(id) !== provider) void provider.close();
}

/**
 * To be asked once servers of one's own have said which models they have.
 *
 * @throws SettingsError when a name is none of a model or deployment, and for a baseline without a price
 */
export function checkModels(
  settings: ComparisonSettings & Pick<Settings, "fallbacks" | "baselineModel">,
  catalog: Parameters<typeof baselineOf>[1],
): void {
  const { fallbacks, baselineModel } = settings;
  checkComparisons(settings, catalog);
  if (baselineModel !== undefined && baselineOf(baselineModel, catalog) === undefined)
    throw new SettingsError(
      `\`baseline_model\` is ${JSON.stringify(baselineModel)}, for which no price is known. ` +
        "Name a model with a price of GET /v1/models, or give its price in `prices`.",
    );
  for (const [model, others] of Object.entries(fallbacks)) {
    const unknown = [model, ...others].find((name) => catalog.deployments(name).length === 0);
    if (unknown === undefined) continue;
    throw new SettingsError(
      `\`fallbacks\` has ${JSON.stringify(unknown)} for ${JSON.stringify(model)}, which no provider and no deployment serves. ` +
        "Name a model of GET /v1/models, or give the provider that serves it in `providers`.",
    );
  }
}
