/** Facts of a model that the router's decisions use. */
import type { ModelFacts, PromptCache } from "../router/candidate.js";
import type { ModelEntry } from "./catalog-file.js";
import type { Deployment } from "./deployments/deployment.js";
import { SANDBOX } from "./deployments/provider-entries.js";
import { effortDialOf } from "./effort-dial.js";
import type { CatalogSettings, DeploymentEntry, PriceEntry } from "./entries.js";
import { canonicalId } from "./models/canonical-id.js";
import { modelEntries } from "./models/models.js";
import type { Price } from "./models/price.js";
import { variantOf } from "./models/reasoning.js";
import { findListed, findListedAt, findResold, type ListedModel } from "./prices/prices.js";
import { overridePrice, settingsPrice } from "./prices/settings-prices.js";
import { PUBLIC_PROVIDERS, publicProvider } from "./providers/public-providers.js";

export interface CatalogFacts extends ModelFacts {
  readonly price: Price | null;
}

export interface FactSources {
  readonly settings: CatalogSettings;
  /** Date of the prices; of those that depend on the hour, the most expensive one. */
  readonly at: Date;
  /** The deployment that would be called first; undefined when none is enabled. */
  readonly enabled: Deployment | undefined;
}

/**
 * A model is looked for among the deployments, then by its own id, which may be `provider/id` or a vendor's full name of
 * the same snapshot; `profile` then says whose profile stands for it. Its provider is the one that would run it, else the
 * first of the settings that lists it, else the one of the public list. Its price is what that provider bills by the settings, else that
 * of the settings' `prices`, else of the public list. Context window and capabilities come from the settings, the reviewed table,
 * and the public list, in that order.
 */
export function factsOf(model: string, sources: FactSources): CatalogFacts {
  const deployment = sources.settings.deployments.find(({ name }) => name === model);
  return deployment === undefined ? modelFacts(model, sources) : deploymentFacts(deployment, sources);
}

function modelFacts(model: string, sources: FactSources): CatalogFacts {
  const { settings, enabled } = sources;
  const id = canonicalId(model);
  const entry = modelEntries().get(id) ?? modelEntries().get(withoutProvider(id));
  const base = entry?.priced_as ?? (entry === undefined ? variantOf(id)?.base : undefined);
  if (base !== undefined) {
    const { profile: _basis, efforts: _ofBase, ...facts } = modelFacts(base, sources);
    return id === model ? facts : { ...facts, profile: id };
  }
  const listed = listedModel(id, entry, sources);
  const configured = configuredModel([model, id], settings, enabled?.provider);
  const atProvider =
    enabled === undefined ? [] : [`${enabled.provider}/${model}`, `${enabled.provider}/${id}`];
  const override = overridePrice([...atProvider, model, id], settings);
  const provider =
    enabled?.provider ?? configured?.provider ?? listed?.provider ?? firstServing(entry) ?? null;
  const efforts = effortDialOf(id);
  const profile = entry?.snapshot ?? enabled?.model ?? (belongsTo(id, provider) ? withoutProvider(id) : id);
  return {
    provider,
    ...(profile === model ? {} : { profile }),
    price: ownPrice(configured?.price ?? override) ?? listed?.price ?? null,
    ...(provider === null ? {} : { promptCache: promptCacheOf(provider) }),
    contextTokens: configured?.contextTokens ?? entry?.context ?? listed?.contextTokens ?? null,
    capabilities: { images: entry?.input?.includes("image") ?? null, tools: entry?.tools ?? null },
    ...(efforts === undefined ? {} : { efforts }),
  };
}

const belongsTo = (id: string, provider: string | null): boolean =>
  provider !== null && id.startsWith(`${provider}/`);

/** `openai/gpt-4o` → `gpt-4o`. */
const withoutProvider = (id: string): string => id.slice(id.indexOf("/") + 1);

/** A deployment has the facts of its profile's model, with its own provider and price, which is never guessed. */
function deploymentFacts(deployment: DeploymentEntry, sources: FactSources): CatalogFacts {
  const { settings } = sources;
  const model = deployment.profile ?? deployment.name;
  const base = modelFacts(model, { ...sources, enabled: undefined });
  const atProvider = settings.providers
    .find(({ id }) => id === deployment.provider)
    ?.models.find(({ id }) => id === model);
  const listed = listedAt(deployment.provider, model, sources.at);
  const override = overridePrice([deployment.name, `${deployment.provider}/${model}`, model], settings);
  return {
    provider: deployment.provider,
    ...withProfile(deployment, base),
    price: ownPrice(deployment.price ?? atProvider?.price ?? override) ?? listed?.price ?? null,
    promptCache: promptCacheOf(deployment.provider),
    contextTokens: deployment.context_tokens ?? atProvider?.context_tokens ?? base.contextTokens,
    capabilities: base.capabilities,
  };
}

/** The model whose profile the deployment uses; empty when it is the deployment's own name. */
function withProfile({ name, profile }: DeploymentEntry, base: CatalogFacts): Pick<CatalogFacts, "profile"> {
  const standsFor = profile ?? base.profile ?? name;
  return standsFor === name ? {} : { profile: standsFor };
}

/** The list's entry of the model at the provider that would be called, else its general entry. */
function listedModel(
  id: string,
  entry: ModelEntry | undefined,
  { at, enabled }: FactSources,
): ListedModel | null {
  const there =
    enabled === undefined || enabled.provider === SANDBOX
      ? null
      : listedAt(enabled.provider, enabled.upstreamModel, at);
  if (there !== null) return there;
  if (entry?.listed === "none") return listedByName(entry, at);
  if (typeof entry?.listed === "object" && !id.includes("/")) {
    return findListedAt(entry.listed.provider, entry.listed.id, { at });
  }
  return findListed(id, { at }) ?? listedByName(entry, at);
}

/** The entry of the first of its names at providers of the list. */
function listedByName(entry: ModelEntry | undefined, at: Date): ListedModel | null {
  for (const provider of serving(entry)) {
    const listed = listedAt(provider, entry?.names?.[provider] ?? "", at);
    if (listed !== null) return listed;
  }
  return null;
}

/** Public providers that have the model by the catalog file, in order. */
const serving = (entry: ModelEntry | undefined): readonly string[] =>
  PUBLIC_PROVIDERS.map(({ id }) => id).filter((id) => typeof entry?.names?.[id] === "string");

const firstServing = (entry: ModelEntry | undefined): string | undefined => serving(entry)[0];

function listedAt(provider: string, name: string, at: Date): ListedModel | null {
  const list = publicProvider(provider)?.priceList ?? provider;
  return findListedAt(list, name, { at }) ?? findResold(list, name, { at });
}

interface ConfiguredModel {
  readonly provider: string;
  readonly price: PriceEntry | undefined;
  readonly contextTokens: number | undefined;
}

/** The first provider of the settings, or the one of that name, that lists the model under one of its names. */
function configuredModel(
  names: readonly string[],
  { providers }: CatalogSettings,
  only: string | undefined,
): ConfiguredModel | undefined {
  for (const { id: provider, models } of providers) {
    if (only !== undefined && provider !== only) continue;
    const found = models.find(({ id }) => names.includes(id) || names.includes(`${provider}/${id}`));
    if (found !== undefined) return { provider, price: found.price, contextTokens: found.context_tokens };
  }
  return undefined;
}

const ownPrice = (entry: PriceEntry | undefined): Price | undefined =>
  entry === undefined ? undefined : settingsPrice(entry);

const MINUTE_MS = 60_000;

/** OpenAI's: cleared after 5 to 10 minutes without use. https://platform.openai.com/docs/guides/prompt-caching */
const OPENAI: PromptCache = {
  mode: "automatic",
  minimumTokens: 1024,
  stepTokens: 128,
  lifetimeMs: 5 * MINUTE_MS,
};

const BY_PROVIDER: ReadonlyMap<string, PromptCache> = new Map<string, PromptCache>([
  ["openai", OPENAI],
  // https://learn.microsoft.com/azure/ai-foundry/openai/how-to/prompt-caching
  ["azure", OPENAI],
  // The minimum differs by model, the lifetime is not documented: the larger minimum, and a guess.
  // https://ai.google.dev/gemini-api/docs/caching
  ["google", { mode: "automatic", minimumTokens: 4096, stepTokens: 1, lifetimeMs: 3 * MINUTE_MS }],
  // Kept for hours. https://api-docs.deepseek.com/guides/kv_cache
  ["deepseek", { mode: "automatic", minimumTokens: 64, stepTokens: 64, lifetimeMs: 60 * MINUTE_MS }],
  // Neither a minimum nor a lifetime is documented: guesses. https://docs.x.ai/docs/models
  ["x-ai", { mode: "automatic", minimumTokens: 1024, stepTokens: 1, lifetimeMs: 5 * MINUTE_MS }],
]);

/** Anthropic's default, and a guess for providers that are not in the table. */
const ON_REQUEST: PromptCache = {
  mode: "on_request",
  minimumTokens: 0,
  stepTokens: 1,
  lifetimeMs: 5 * MINUTE_MS,
};

/** @param provider its id; for one that is not known, only what its replies report counts */
const promptCacheOf = (provider: string): PromptCache => BY_PROVIDER.get(provider) ?? ON_REQUEST;
