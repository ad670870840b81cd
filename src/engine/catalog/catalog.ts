import { LRUCache } from "lru-cache";
import type { ModelAvailability, Unavailable } from "../router/candidate.js";
import { useCatalogFile } from "./catalog-file.js";
import { availabilityOf, everyProvider } from "./deployments/availability.js";
import type { CatalogProvider, Deployment } from "./deployments/deployment.js";
import type { DiscoveredModels } from "./deployments/discovered-models.js";
import {
  type DeploymentSources,
  type FoundDeployment,
  findDeployments,
  isLive,
} from "./deployments/find-deployments.js";
import { isName, providerNamed } from "./deployments/model-names.js";
import { type ProviderEntry, SANDBOX } from "./deployments/provider-entries.js";
import type { CatalogSettings } from "./entries.js";
import { type CatalogFacts, factsOf } from "./facts.js";
import { modelEntries } from "./models/models.js";
import { NOTICE_MS, nextRetirement } from "./models/retirements.js";
import { nextPriceChange } from "./prices/prices.js";
import { nextTierChange } from "./prices/service-tiers.js";
import { PUBLIC_PROVIDERS } from "./providers/public-providers.js";
import { newestCatalogFile } from "./stored-catalog.js";
import { wellKnownModels } from "./well-known.js";

/** Models, their providers and their prices. */
export interface Catalog extends ModelAvailability {
  /**
   * Facts for decisions, of the day: the same object for the same model until the epoch changes. Returns facts for any
   * name; those of an unknown model are all null.
   */
  lookup(model: string): CatalogFacts;
  /** The same where only that provider may answer: with its price and its context window. */
  factsAt(model: string, provider: string): CatalogFacts;
  /**
   * The deployments of a model id, `provider/id` or configured name, enabled ones first; empty when the name is
   * unknown. Prices are the current ones, to the hour. A retired model is included when a request names it, last and
   * without a price.
   */
  deployments(name: string): readonly Deployment[];
  /** Every provider: those of the settings, the public ones, and `sandbox` when it is on. */
  providers(): readonly CatalogProvider[];
  /** Id of a provider by its id or another name for it, such as `gemini`; undefined when there is none. */
  providerId(name: string): string | undefined;
  /** Whether an enabled provider serves the model, and it is not retired. Cheap: called for every candidate of every request. */
  isRunnable(model: string): boolean;
  /** Whether somebody is known to serve the model today, configured or not; false for unknown names. */
  isServed(model: string): boolean;
  /** Models that lend their profile to a deployment of the settings, whether or not anybody serves them. */
  profilesLent(): ReadonlySet<string>;
  /** Deployments and well-known models that are runnable, by name. */
  runnableModels(): readonly string[];
}

export interface CatalogOptions {
  /** The time, where no clock is given. */
  readonly at: Date;
  /** Default none: then there are no deployments. */
  readonly providers?: readonly ProviderEntry[];
  /** Models that self-hosted servers say they have; they may change. Default none. */
  readonly discovered?: DiscoveredModels | undefined;
  /** Milliseconds since 1970; default: always `at`. */
  readonly now?: () => number;
}

/** Cached names with their deployments: several times the models of a large installation. */
const REMEMBERED_NAMES = 4096;

/** Caches the results of a function by name, least recently used first out. */
const memoByName = <Value extends {}>(compute: (name: string) => Value): LRUCache<string, Value> =>
  new LRUCache({ max: REMEMBERED_NAMES, memoMethod: compute });

/**
 * The catalog for some settings. Immutable except for time: deployments follow the public list's prices and the
 * vendors' retirements by day and hour, facts for decisions by day.
 */
export function createCatalog(
  settings: CatalogSettings,
  { at, providers = [], discovered, now = () => at.getTime() }: CatalogOptions,
): Catalog {
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  const current = new CurrentModels({ settings, providers: byId, discovered }, now);
  const lookup = (model: string) => current.facts(model);
  let names: readonly string[] | undefined;
  return {
    lookup,
    factsAt: (model, provider) => current.facts(model, provider),
    deployments: (name) => current.deployments(name),
    providers: () => providers,
    providerId: (name) => providerNamed(name, byId)?.id,
    isRunnable: (model) => current.isRunnable(model),
    unavailability: (model) => current.unavailability(model),
    epoch: () => current.epoch(),
    isServed: (model) => current.isServed(model),
    profilesLent: () => profilesOfDeployments(settings, lookup),
    runnableModels() {
      names ??= wellKnownModels(settings);
      const all = discovered === undefined ? names : [...new Set([...names, ...discovered.names()])].sort();
      return all.filter((name) => current.isRunnable(name));
    },
  };
}

/** The same by the newest catalog file, which is used from now on. @throws SettingsError as `newestCatalogFile` */
export function openCatalog(
  settings: CatalogSettings & { readonly dataDir: string },
  options: CatalogOptions,
): Catalog {
  useCatalogFile(newestCatalogFile(settings.dataDir));
  return createCatalog(settings, options);
}

const enabledOf = (providers: ReadonlyMap<string, ProviderEntry>): ReadonlyMap<string, ProviderEntry> =>
  new Map([...providers].filter(([, { enabled }]) => enabled));

/** Whether a name means the same model whichever providers there are: it names none, and no deployment of the settings. */
const isPlainId = (name: string, { deployments }: Pick<CatalogSettings, "deployments">): boolean =>
  !name.includes("/") && !deployments.some((deployment) => deployment.name === name);

function profilesOfDeployments(
  { deployments }: Pick<CatalogSettings, "deployments">,
  lookup: Catalog["lookup"],
): Set<string> {
  const found = new Set<string>();
  for (const { name, profile } of deployments) {
    for (let next = profile ?? lookup(name).profile; next !== undefined && !found.has(next); ) {
      found.add(next);
      next = lookup(next).profile;
    }
  }
  return found;
}

interface CurrentSources extends Omit<DeploymentSources, "at" | "discovered" | "settings"> {
  readonly settings: CatalogSettings;
  readonly discovered: DiscoveredModels | undefined;
}

let epochs = 0;

/** Deployments, cached until a price may change, with the hour too; facts and availability, cached until a day on which one may. */
class CurrentModels {
  readonly #sources: CurrentSources;
  readonly #every: DeploymentSources["providers"];
  readonly #enabled: DeploymentSources["providers"];
  readonly #now: () => number;
  #at = new Date(0);
  #hourHoldsUntil = Number.NEGATIVE_INFINITY;
  #dayHoldsUntil = Number.NEGATIVE_INFINITY;
  readonly #deployments = memoByName((name) => this.#find(name, this.#sources.providers));
  readonly #runnable = memoByName((name) => this.#isRunnable(name));
  readonly #availability = memoByName((name) =>
    availabilityOf(name, { ...this.#sources, providers: this.#every, at: this.#at }),
  );
  readonly #facts = memoByName((name) => {
    // A plain id needs only those that could run it: a server asks for every profiled model when it starts.
    return this.#factsAmong(
      name,
      isPlainId(name, this.#sources.settings) ? this.#enabled : this.#sources.providers,
    );
  });
  /** By provider. Made when it is first named: a cache has its room from the start, 90 kB. */
  readonly #factsAt = new Map<string, LRUCache<string, CatalogFacts>>();
  #epoch = 0;
  #discoveredVersion = 0;

  constructor(sources: CurrentSources, now: () => number) {
    this.#sources = sources;
    this.#every = everyProvider(sources.providers);
    this.#enabled = enabledOf(sources.providers);
    this.#now = now;
  }

  /** @param provider the only one that may answer */
  facts(model: string, provider?: string): CatalogFacts {
    this.#refresh();
    const name = isName(model) ? model : "";
    const only = provider === undefined ? undefined : this.#sources.providers.get(provider);
    if (only === undefined) return this.#facts.memo(name);
    const alone = new Map([[only.id, only]]);
    const known = this.#factsAt.get(only.id) ?? memoByName((one) => this.#factsAmong(one, alone));
    this.#factsAt.set(only.id, known);
    return known.memo(name);
  }

  deployments(name: string): readonly Deployment[] {
    this.#refresh();
    return isName(name) ? this.#deployments.memo(name) : [];
  }

  isRunnable(name: string): boolean {
    this.#refresh();
    return isName(name) && this.#runnable.memo(name);
  }

  isServed(name: string): boolean {
    this.#refresh();
    return this.#availability.memo(name).isServed;
  }

  unavailability(name: string): Unavailable | null {
    this.#refresh();
    return this.#availability.memo(name).unavailable;
  }

  /** Another number after each day on which something changed, and for each catalog of this process. */
  epoch(): number {
    this.#refresh();
    return this.#epoch;
  }

  #find(name: string, providers: DeploymentSources["providers"]): readonly FoundDeployment[] {
    return findDeployments(name, { ...this.#sources, providers, at: this.#at });
  }

  #factsAmong(model: string, providers: DeploymentSources["providers"]): CatalogFacts {
    const { settings } = this.#sources;
    const enabled = findDeployments(model, { settings, providers, at: this.#at }).find(isLive);
    return factsOf(model, { settings, at: this.#at, enabled });
  }

  /** Looks for a plain id among the enabled providers only: a server asks for every model that it loads when it starts. */
  #isRunnable(name: string): boolean {
    // The sandbox serves a model unless every provider, enabled or not, has retired it.
    const needsEvery = this.#enabled.has(SANDBOX) || !isPlainId(name, this.#sources.settings);
    const providers = needsEvery ? this.#sources.providers : this.#enabled;
    return this.#find(name, providers).some(isLive);
  }

  #refresh(): void {
    const { version = 0 } = this.#sources.discovered ?? {};
    if (version !== this.#discoveredVersion) {
      this.#discoveredVersion = version;
      this.#deployments.clear();
      this.#runnable.clear();
    }
    const now = this.#now();
    if (now < this.#hourHoldsUntil) return;
    const at = new Date(now);
    this.#at = at;
    this.#deployments.clear();
    if (now >= this.#dayHoldsUntil) {
      const nextDay = { at, hour: "most-expensive-hour" } as const;
      this.#dayHoldsUntil = Math.min(nextRetirement(at), nextPriceChange(PRICE_LISTS, nextDay));
      for (const known of [this.#runnable, this.#availability, this.#facts]) known.clear();
      this.#factsAt.clear();
      this.#epoch = ++epochs;
    }
    this.#hourHoldsUntil = Math.min(
      this.#dayHoldsUntil,
      nextRetirement(new Date(now + NOTICE_MS)) - NOTICE_MS,
      nextTierChange(at),
      nextPriceChange(PRICE_LISTS, { at, hour: "this-hour" }),
    );
  }
}

const PRICE_LISTS = PUBLIC_PROVIDERS.flatMap(({ priceList }) => priceList ?? []);

/** By id. */
export function servedModels(catalog: Pick<Catalog, "isServed">): readonly string[] {
  return [...modelEntries()]
    .filter(([, { api = "chat", snapshot, priced_as }]) => {
      return api === "chat" && snapshot === undefined && priced_as === undefined;
    })
    .map(([id]) => id)
    .filter((id) => catalog.isServed(id))
    .sort();
}
