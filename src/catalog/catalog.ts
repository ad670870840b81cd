import type { ModelFacts, ModelLookup } from "../router/candidate.js";
import type { DeploymentEntry, PriceEntry, Settings } from "../settings.js";
import { canonicalId } from "./dataset-names.js";
import type { ModelEntry } from "./models/model-entry.js";
import { MODEL_ENTRIES } from "./models.js";
import { findListed, type ListedModel, type Price } from "./prices.js";

/** Facts with the whole price. */
interface CatalogFacts extends ModelFacts {
  readonly price: Price | null;
}

export interface Catalog {
  /** Total: an unknown model gets facts that are all null. The same model always gets the same facts. */
  readonly lookup: (model: string) => CatalogFacts;
}

export type CatalogSettings = Pick<Settings, "providers" | "deployments" | "prices">;

/**
 * What is known of every model, at one moment: prices that change later do not change a catalog.
 *
 * A model is looked for among the deployments, then by its own id, which may be `provider/id` or a vendor's full name of
 * the same snapshot; `profile` then says whose profile stands for it. Its price is that of the settings' `prices`, else of
 * the first configured provider that lists it, else of the public list. Context window and capabilities come from the
 * configured provider, the reviewed table, and the public list, in that order.
 */
export function createCatalog(settings: CatalogSettings, { at }: { readonly at: Date }): Catalog {
  const known = new Map<string, CatalogFacts>();
  const compute = (model: string): CatalogFacts => {
    const deployment = settings.deployments.find(({ name }) => name === model);
    return deployment === undefined
      ? modelFacts(model, settings, at)
      : deploymentFacts(deployment, settings, at);
  };
  return {
    lookup(model) {
      const facts = known.get(model) ?? compute(model);
      known.set(model, facts);
      return facts;
    },
  } satisfies { lookup: ModelLookup };
}

function modelFacts(model: string, settings: CatalogSettings, at: Date): CatalogFacts {
  const id = canonicalId(model);
  const entry = MODEL_ENTRIES.get(id) ?? MODEL_ENTRIES.get(withoutProvider(id));
  if (entry?.priced_as !== undefined) {
    const { profile: _basis, ...facts } = modelFacts(entry.priced_as, settings, at);
    return facts;
  }
  const listed = listedModel(id, entry, at);
  const configured = configuredModel(model, settings) ?? configuredModel(id, settings);
  const override = overridePrice(model, settings) ?? overridePrice(id, settings);
  const provider = configured?.provider ?? listed?.provider ?? null;
  const profile = provider !== null && id.startsWith(`${provider}/`) ? withoutProvider(id) : id;
  return {
    provider,
    ...(profile === model ? {} : { profile }),
    price: priceOf(override ?? configured?.price) ?? listed?.price ?? null,
    contextTokens: configured?.contextTokens ?? entry?.contextTokens ?? listed?.contextTokens ?? null,
    capabilities: { images: entry?.images ?? null, tools: entry?.tools ?? null },
  };
}

/** Own keys only: model ids come from outside, and `constructor` is no price. */
function overridePrice(id: string, { prices }: CatalogSettings): PriceEntry | undefined {
  return Object.hasOwn(prices, id) ? prices[id] : undefined;
}

/** `openai/gpt-4o` → `gpt-4o`. */
const withoutProvider = (id: string): string => id.slice(id.indexOf("/") + 1);

/** A deployment is its profile's model at a provider of its own; only the price may differ, and it is never guessed. */
function deploymentFacts(deployment: DeploymentEntry, settings: CatalogSettings, at: Date): CatalogFacts {
  const model = deployment.profile ?? deployment.name;
  const base = modelFacts(model, settings, at);
  const profile = base.profile ?? model;
  const atProvider = settings.providers
    .find(({ id }) => id === deployment.provider)
    ?.models.find(({ id }) => id === model);
  const listed = findListed(model, { at, provider: deployment.provider });
  return {
    provider: deployment.provider,
    ...(profile === deployment.name ? {} : { profile }),
    price: priceOf(deployment.price ?? atProvider?.price) ?? listed?.price ?? null,
    contextTokens: deployment.context_tokens ?? atProvider?.context_tokens ?? base.contextTokens,
    capabilities: base.capabilities,
  };
}

function listedModel(id: string, entry: ModelEntry | undefined, at: Date): ListedModel | null {
  if (entry?.listed === "none") return null;
  if (entry?.listed === undefined || id.includes("/")) return findListed(id, { at });
  return findListed(entry.listed.id, { at, provider: entry.listed.provider });
}

interface ConfiguredModel {
  readonly provider: string;
  readonly price: PriceEntry | undefined;
  readonly contextTokens: number | undefined;
}

/** The first configured provider that serves the model; `provider/id` asks for that provider. */
function configuredModel(model: string, { providers }: CatalogSettings): ConfiguredModel | undefined {
  for (const provider of providers) {
    const found = provider.models.find(({ id }) => id === model || `${provider.id}/${id}` === model);
    if (found === undefined) continue;
    return { provider: provider.id, price: found.price, contextTokens: found.context_tokens };
  }
  return undefined;
}

function priceOf(entry: PriceEntry | undefined): Price | null {
  if (entry === undefined) return null;
  return {
    inputUsdPerMtok: entry.input_usd_per_mtok,
    cachedInputUsdPerMtok: entry.cached_input_usd_per_mtok ?? null,
    outputUsdPerMtok: entry.output_usd_per_mtok,
  };
}
