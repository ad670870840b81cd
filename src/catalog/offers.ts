/** The ways to run a model: which providers serve it, under which name, for which price. */
import type { DeploymentEntry, ProviderModelEntry, Settings } from "../settings/settings.js";
import { isName, type KnownModel, knownModel, splitName } from "./model-names.js";
import type { Offer } from "./offer.js";
import { findListed } from "./prices.js";
import { type ProviderEntry, SANDBOX } from "./provider-entries.js";
import { FREE } from "./rates.js";
import { refusedFields, THINKING_REFUSES } from "./refusals.js";
import { listedFor, modelAskedFor, type Served, servedBy, servedWhenAsked } from "./served.js";
import { overridePrice, settingsPrice } from "./settings-prices.js";
import { variantParameters } from "./variant-parameters.js";

/** Everything that offers depend on, at one moment. */
export interface OfferSources {
  readonly settings: Pick<Settings, "deployments" | "prices">;
  /** By id: those of the settings, the public ones, `sandbox`, in the order in which they are offered. */
  readonly providers: ReadonlyMap<string, ProviderEntry>;
  readonly at: Date;
}

/** An offer, and whether it is worth a try unasked. */
export interface FoundOffer extends Offer {
  /** The vendor has stopped running the model: whoever names it may still ask, but nobody is sent there. */
  readonly retired: boolean;
}

/**
 * Every way to run what a request names; enabled ones first, retired ones last, else in the order of `providers`. Empty for
 * an unknown name.
 *
 * - a deployment: its provider
 * - `provider/id`: that provider, even when nobody lists the id: it is then sent as it is, without a price
 * - an id: the providers whose settings list it, then the public ones that are known to serve it
 *
 * Deployments and known models are offered by `sandbox` too, when there is one: last, and for nothing.
 */
export function findOffers(name: string, sources: OfferSources): readonly FoundOffer[] {
  if (!isName(name)) return [];
  const place = ({ enabled, retired }: FoundOffer): number => (enabled ? 0 : 2) + (retired ? 1 : 0);
  return [...offersFor(name, sources)].sort((left, right) => place(left) - place(right));
}

/** Whether a request that leaves the choice open may be sent there. */
export const isLive = ({ enabled, retired }: FoundOffer): boolean => enabled && !retired;

function offersFor(name: string, sources: OfferSources): readonly FoundOffer[] {
  const { settings, providers, at } = sources;
  const deployment = settings.deployments.find((each) => each.name === name);
  if (deployment !== undefined) return deploymentOffers(deployment, sources);
  const split = splitName(name, providers);
  if (split !== undefined) return [askedOffer(split.provider, split.id, sources)];
  const model = knownModel(name);
  const offers = modelOffers(model, sources);
  const known = offers.length > 0 || model.entry !== undefined || findListed(model.id, { at }) !== null;
  if (!known) return [];
  // What nobody runs any more is not made up unasked either.
  const retired = offers.length > 0 && offers.every((each) => each.retired);
  return [
    ...offers,
    ...sandboxOffer(model, { name: model.id, sources }).map((each) => ({ ...each, retired })),
  ];
}

/** Providers whose settings list the model come before those that merely have it. */
function modelOffers(model: KnownModel, sources: OfferSources): readonly FoundOffer[] {
  const configured: FoundOffer[] = [];
  const others: FoundOffer[] = [];
  for (const provider of sources.providers.values()) {
    const own = settingsModel(provider, model);
    if (own !== undefined) configured.push(configuredOffer(provider, own, { model, sources }));
    else others.push(...publicOffer(provider, model, sources));
  }
  return [...configured, ...others];
}

function publicOffer(
  provider: ProviderEntry,
  model: KnownModel,
  sources: OfferSources,
): readonly FoundOffer[] {
  const served = servedPublicly(provider, model, sources.at);
  return served === null ? [] : [servedOffer(provider, model, { served, sources })];
}

/** What a provider is known to serve; null also for a variant that cannot be asked for there. */
export const servedPublicly = (provider: ProviderEntry, model: KnownModel, at: Date): Served | null =>
  parametersOf(model, provider) === null ? null : servedBy(provider, model, at);

function askedOffer(provider: ProviderEntry, id: string, sources: OfferSources): FoundOffer {
  const known = modelAskedFor(provider, id, sources.at);
  // A variant that cannot be asked for there is just a name.
  const model =
    parametersOf(known, provider) === null ? { ...known, weights: id, variant: undefined } : known;
  const own = settingsModel(provider, model);
  if (own !== undefined) return configuredOffer(provider, own, { model, sources });
  if (provider.id === SANDBOX) return sandboxAnswer(provider, { model, name: model.id });
  const served = servedWhenAsked(provider, model, sources.at);
  return servedOffer(provider, model, { served, sources });
}

interface ServedOptions {
  readonly served: Served;
  readonly sources: OfferSources;
}

function servedOffer(
  provider: ProviderEntry,
  model: KnownModel,
  { served, sources }: ServedOptions,
): FoundOffer {
  const override = overridePrice(priceNames(provider, model), sources.settings);
  return {
    ...commonFields(provider, model, served.upstreamModel),
    upstreamModel: served.upstreamModel,
    api: model.entry?.api ?? "chat",
    price: override === undefined ? served.price : settingsPrice(override),
    contextTokens: model.entry?.contextTokens ?? served.contextTokens,
    retired: served.retired,
  };
}

interface ModelOptions {
  readonly model: KnownModel;
  readonly sources: OfferSources;
}

function configuredOffer(
  provider: ProviderEntry,
  own: ProviderModelEntry,
  { model, sources }: ModelOptions,
): FoundOffer {
  const upstreamModel = own.upstream_model ?? own.id;
  const listed = listedFor(provider, upstreamModel, sources.at);
  const price = own.price ?? overridePrice(priceNames(provider, model), sources.settings);
  return {
    ...commonFields(provider, model, upstreamModel),
    upstreamModel,
    api: own.api ?? model.entry?.api ?? "chat",
    price: price === undefined ? (listed?.price ?? null) : settingsPrice(price),
    contextTokens: own.context_tokens ?? model.entry?.contextTokens ?? listed?.contextTokens ?? null,
  };
}

/** A deployment is its profile's model at a provider of its own, under a name of its own. */
function deploymentOffers(deployment: DeploymentEntry, sources: OfferSources): readonly FoundOffer[] {
  const { name, upstream_model = name } = deployment;
  const provider = sources.providers.get(deployment.provider);
  if (provider === undefined) return [];
  const model = knownModel(deployment.profile ?? name);
  const own = settingsModel(provider, model);
  const listed =
    listedFor(provider, upstream_model, sources.at) ?? listedFor(provider, model.weights, sources.at);
  const price =
    deployment.price ?? own?.price ?? overridePrice([name, ...priceNames(provider, model)], sources.settings);
  const context = deployment.context_tokens ?? own?.context_tokens ?? model.entry?.contextTokens;
  const offer: FoundOffer = {
    ...commonFields(provider, model, upstream_model),
    model: name,
    upstreamModel: upstream_model,
    api: deployment.api ?? own?.api ?? model.entry?.api ?? "chat",
    price: price === undefined ? (listed?.price ?? null) : settingsPrice(price),
    contextTokens: context ?? listed?.contextTokens ?? null,
  };
  return [offer, ...sandboxOffer(model, { name, sources })];
}

function sandboxOffer(
  model: KnownModel,
  { name, sources }: { readonly name: string; readonly sources: OfferSources },
): readonly FoundOffer[] {
  const sandbox = sources.providers.get(SANDBOX);
  return sandbox === undefined ? [] : [sandboxAnswer(sandbox, { model, name })];
}

/** Made up on this machine, so that it costs nothing and refuses nothing. */
function sandboxAnswer(
  sandbox: ProviderEntry,
  { model, name }: { readonly model: KnownModel; readonly name: string },
): FoundOffer {
  return {
    ...commonFields(sandbox, model, name),
    model: name,
    upstreamModel: name,
    api: "chat",
    price: FREE,
    contextTokens: model.entry?.contextTokens ?? null,
    refuses: [],
  };
}

function commonFields(
  provider: ProviderEntry,
  model: KnownModel,
  upstreamModel: string,
): Pick<FoundOffer, "model" | "provider" | "enabled" | "parameters" | "refuses" | "retired"> {
  const variant = model.variant?.variant;
  const thinks = typeof variant === "object" && "thinkingTokens" in variant;
  const refused = [model.weights, upstreamModel].flatMap(refusedFields);
  return {
    model: model.id,
    provider: provider.id,
    enabled: provider.enabled,
    retired: false,
    parameters: parametersOf(model, provider) ?? {},
    refuses: [...new Set([...refused, ...(thinks ? THINKING_REFUSES : [])])],
  };
}

/** Fields that make the model the variant that was asked for; null when this provider has none for it. */
const parametersOf = (model: KnownModel, provider: ProviderEntry) =>
  model.variant === undefined ? {} : variantParameters(model.variant.variant, provider);

/** A variant is served where its weights are. */
function settingsModel({ models }: ProviderEntry, model: KnownModel): ProviderModelEntry | undefined {
  for (const name of [model.asked, model.id, model.weights]) {
    const found = models.find(({ id }) => id === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Names under which the settings may give a price of their own, the most exact first. */
const priceNames = (provider: ProviderEntry, { asked, id, weights }: KnownModel): readonly string[] => [
  `${provider.id}/${asked}`,
  asked,
  id,
  weights,
];
