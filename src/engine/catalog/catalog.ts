import { LRUCache } from "lru-cache";
import { once } from "../../foundation/once.js";
import type { ModelAvailability, Unavailable } from "../router/candidate.js";
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
import { nextRetirement, retirementOf } from "./models/retirements.js";
import { nextPriceChange } from "./prices/prices.js";
import { PUBLIC_PROVIDERS } from "./providers/public-providers.js";
import { wellKnownModels } from "./well-known.js";

/** Models, their providers and their prices. */
export interface Catalog extends ModelAvailability {
  /**
   * Facts for decisions, at the catalog's date: later price changes do not affect them. Returns facts for any name;
   * those of an unknown model are all null. Always the same for the same model.
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
  /** The day from which a deployment's provider does not serve it, past or to come; null when none is known. */
  retirementOf(deployment: Pick<Deployment, "provider" | "upstreamModel">): Date | null;
  /** Whether somebody is known to serve the model today, configured or not; false for unknown names. */
  isServed(model: string): boolean;
  /** Models that lend their profile to a deployment of the settings, whether or not anybody serves them. */
  profilesLent(): ReadonlySet<string>;
  /** Deployments and well-known models that are runnable, by name. */
  runnableModels(): readonly string[];
}

export interface CatalogOptions {
  /** Date of the prices for decisions. */
  readonly at: Date;
  /** Default none: then there are no deployments. */
  readonly providers?: readonly ProviderEntry[];
  /** Models that self-hosted servers say they have; they may change. Default none. */
  readonly discovered?: DiscoveredModels;
  /** Milliseconds since the epoch, for the prices of deployments; default: always `at`. */
  readonly now?: () => number;
}

/** Cached names with their deployments: several times the models of a large installation. */
const REMEMBERED_NAMES = 4096;

/** Caches the results of a function by name, least recently used first out. */
const memoByName = <Value extends {}>(compute: (name: string) => Value): LRUCache<string, Value> =>
  new LRUCache({ max: REMEMBERED_NAMES, memoMethod: compute });

/**
 * The catalog for some settings. Immutable except for time: deployments follow the public list's prices and the
 * vendors' retirements by day and hour; facts for decisions do not change.
 */
export function createCatalog(
  settings: CatalogSettings,
  { at, providers = [], discovered, now = () => at.getTime() }: CatalogOptions,
): Catalog {
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  const deployments = new CurrentDeployments({ settings, providers: byId, discovered }, now);
  const enabledById = enabledOf(byId);
  const factsAmong = (model: string, among: ReadonlyMap<string, ProviderEntry>) => {
    const enabled = findDeployments(model, { settings, providers: among, at }).find(isLive);
    return factsOf(model, { settings, at, enabled });
  };
  const facts = memoByName((model) => {
    // A plain id needs only those that could run it: a server asks for every profiled model when it starts.
    return factsAmong(model, isPlainId(model, settings) ? enabledById : byId);
  });
  // Made when a provider is first named: a cache has its room from the start, 90 kB.
  const factsByProvider = new Map(
    [...byId].map(([id, provider]) => {
      const alone = new Map([[id, provider]]);
      return [id, once(() => memoByName((model) => factsAmong(model, alone)))] as const;
    }),
  );
  let names: readonly string[] | undefined;
  const lookup = (model: string) => facts.memo(isName(model) ? model : "");
  return {
    lookup,
    factsAt: (model, provider) =>
      (factsByProvider.get(provider)?.() ?? facts).memo(isName(model) ? model : ""),
    deployments: (name) => deployments.of(name),
    providers: () => providers,
    providerId: (name) => providerNamed(name, byId)?.id,
    isRunnable: (model) => deployments.isRunnable(model),
    unavailability: (model) => deployments.unavailability(model),
    availabilityEpoch: () => deployments.epoch(),
    retirementOf: ({ provider, upstreamModel }) => retirementOf(provider, upstreamModel),
    isServed: (model) => deployments.isServed(model),
    profilesLent: () => profilesOfDeployments(settings, lookup),
    runnableModels() {
      names ??= wellKnownModels(settings);
      const all = discovered === undefined ? names : [...new Set([...names, ...discovered.names()])].sort();
      return all.filter((name) => deployments.isRunnable(name));
    },
  };
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

/** Deployments, cached until the next price change, and availability, cached until the next retirement. */
interface CurrentSources extends Omit<DeploymentSources, "at" | "discovered"> {
  readonly discovered: DiscoveredModels | undefined;
}

class CurrentDeployments {
  readonly #sources: CurrentSources;
  readonly #every: DeploymentSources["providers"];
  readonly #enabled: DeploymentSources["providers"];
  readonly #now: () => number;
  #at = new Date(0);
  #pricesHoldUntil = Number.NEGATIVE_INFINITY;
  #modelsHoldUntil = Number.NEGATIVE_INFINITY;
  readonly #deployments = memoByName((name) => this.#find(name));
  readonly #runnable = memoByName((name) => this.#isRunnable(name));
  readonly #availability = memoByName((name) =>
    availabilityOf(name, { ...this.#sources, providers: this.#every, at: this.#at }),
  );
  #epoch = 0;
  #discoveredVersion = 0;

  constructor(sources: CurrentSources, now: () => number) {
    this.#sources = sources;
    this.#every = everyProvider(sources.providers);
    this.#enabled = enabledOf(sources.providers);
    this.#now = now;
  }

  of(name: string): readonly Deployment[] {
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

  /** Number of retirements so far. */
  epoch(): number {
    this.#refresh();
    return this.#epoch;
  }

  #find(name: string): readonly FoundDeployment[] {
    return findDeployments(name, { ...this.#sources, at: this.#at });
  }

  /** Looks for a plain id among the enabled providers only: a server asks for every model that it loads when it starts. */
  #isRunnable(name: string): boolean {
    // The sandbox serves a model unless every provider, enabled or not, has retired it.
    const needsEvery = this.#enabled.has(SANDBOX) || !isPlainId(name, this.#sources.settings);
    const providers = needsEvery ? this.#sources.providers : this.#enabled;
    return findDeployments(name, { ...this.#sources, providers, at: this.#at }).some(isLive);
  }

  #refresh(): void {
    const { version = 0 } = this.#sources.discovered ?? {};
    if (version !== this.#discoveredVersion) {
      this.#discoveredVersion = version;
      this.#deployments.clear();
      this.#runnable.clear();
    }
    const now = this.#now();
    if (now < this.#pricesHoldUntil) return;
    this.#at = new Date(now);
    this.#deployments.clear();
    if (now >= this.#modelsHoldUntil) {
      this.#modelsHoldUntil = timeOf(nextRetirement(this.#at));
      this.#runnable.clear();
      this.#availability.clear();
      this.#epoch++;
    }
    this.#pricesHoldUntil = Math.min(this.#modelsHoldUntil, nextPriceChange(PRICE_LISTS, this.#at));
  }
}

const PRICE_LISTS = PUBLIC_PROVIDERS.flatMap(({ priceList }) => priceList ?? []);

/** Infinity for a moment that does not exist. */
const timeOf = (moment: Date | null): number => moment?.getTime() ?? Number.POSITIVE_INFINITY;

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
