/** Finds the deployments of a model. */

import { ofCatalog } from "../catalog-file.js";
import type { CatalogSettings, DeploymentEntry, PriceEntry, ProviderModelEntry } from "../entries.js";
import { isEmbeddingName, namePattern, spelling } from "../models/models.js";
import type { Price } from "../models/price.js";
import { FREE } from "../prices/charges.js";
import { findListed } from "../prices/prices.js";
import { tiersOf } from "../prices/service-tiers.js";
import { overridePrice, settingsPrice } from "../prices/settings-prices.js";
import { publicProvider, publicProviderAt } from "../providers/public-providers.js";
import type { Deployment, UpstreamApi } from "./deployment.js";
import type { DiscoveredModels } from "./discovered-models.js";
import { isName, type KnownModel, knownModel, splitName, withoutMark } from "./model-names.js";
import { type ProviderEntry, SANDBOX } from "./provider-entries.js";
import { refusedFields, THINKING_REFUSES } from "./refusals.js";
import { listedFor, modelAskedFor, type Served, servedBy, servedWhenAsked } from "./served.js";
import { effortParameters, variantParameters } from "./variant-parameters.js";

/** The data that the deployments of a model depend on. */
export interface DeploymentSources {
  readonly settings: Pick<CatalogSettings, "deployments" | "prices">;
  /** By id: those of the settings, the public ones, `sandbox`, in the order in which they are listed. */
  readonly providers: ReadonlyMap<string, ProviderEntry>;
  /** What self-hosted servers say that they have. */
  readonly discovered?: Pick<DiscoveredModels, "find"> | undefined;
  readonly at: Date;
}

/** A deployment whose retirement is known. */
export interface FoundDeployment extends Deployment {
  readonly retired: boolean;
}

/**
 * The deployments for a name in a request: enabled ones first, retired ones last, otherwise in the order of
 * `providers`. Empty for an unknown name. The name may be
 *
 * - the name of an entry of the settings' `deployments`: that entry's provider
 * - `provider/id`: that provider, even when no list has the id, which is then sent unchanged, without a price
 * - an id: the providers whose settings list it, then the public ones that are known to serve it, and the self-hosted ones
 *   that say so
 *
 * A mark of a client's at its end (`[1m]`) is no part of the name, unless the settings have it so.
 *
 * When the `sandbox` provider is enabled, it serves the settings' deployments and all known models too: last, and free
 * of charge.
 */
export function findDeployments(name: string, sources: DeploymentSources): readonly FoundDeployment[] {
  if (!isName(name)) return [];
  const rank = ({ enabled, retired }: FoundDeployment): number => (enabled ? 0 : 2) + (retired ? 1 : 0);
  return [...deploymentsFor(name, sources)].sort((left, right) => rank(left) - rank(right));
}

/** Whether the router and fallbacks may choose it without the request naming it. */
export const isLive = ({ enabled, retired }: FoundDeployment): boolean => enabled && !retired;

function deploymentsFor(asked: string, sources: DeploymentSources): readonly FoundDeployment[] {
  const { settings, providers, at } = sources;
  const entry = settings.deployments.find((deployment) => deployment.name === asked);
  if (entry !== undefined) return namedDeployments(entry, sources);
  const isOwn = [...providers.values()].some(({ models }) => models.some(({ id }) => asked.endsWith(id)));
  const name = isOwn ? asked : withoutMark(asked);
  const split = splitName(name, providers);
  if (split !== undefined) return [requestedDeployment(split.provider, split.id, sources)];
  const model = knownModel(name);
  const deployments = modelDeployments(model, sources);
  const known = deployments.length > 0 || model.entry !== undefined || findListed(model.id, { at }) !== null;
  if (!known) return [];
  // Where every deployment is retired, so is the sandbox's.
  const retired = deployments.length > 0 && deployments.every((deployment) => deployment.retired);
  return [
    ...deployments,
    ...sandboxDeployments(model, { name: model.id, api: deployments[0]?.api, sources }).map((deployment) => ({
      ...deployment,
      retired,
    })),
  ];
}

/** Providers whose settings list the model precede those of the public list. */
function modelDeployments(model: KnownModel, sources: DeploymentSources): readonly FoundDeployment[] {
  const configured: FoundDeployment[] = [];
  const others: FoundDeployment[] = [];
  for (const provider of sources.providers.values()) {
    const own = settingsModel(provider, model);
    const found = sources.discovered?.find(provider.id, model.asked);
    if (own !== undefined) configured.push(configuredDeployment(provider, own, { model, sources }));
    else if (found !== undefined) others.push(configuredDeployment(provider, found, { model, sources }));
    else others.push(...publicDeployments(provider, model, sources));
  }
  return [...configured, ...others];
}

function publicDeployments(
  provider: ProviderEntry,
  model: KnownModel,
  sources: DeploymentSources,
): readonly FoundDeployment[] {
  const served = servedPublicly(provider, model, sources.at);
  return served === null ? [] : [servedDeployment(provider, model, { served, sources })];
}

/** The deployment by the public list; null if the provider does not serve the model or cannot be asked for the variant. */
export const servedPublicly = (provider: ProviderEntry, model: KnownModel, at: Date): Served | null =>
  parametersOf(model, provider) === null ? null : servedBy(provider, model, at);

function requestedDeployment(
  provider: ProviderEntry,
  id: string,
  sources: DeploymentSources,
): FoundDeployment {
  const known = modelAskedFor(provider, id, sources.at);
  // A variant that cannot be requested from this provider is taken as a plain model name.
  const model =
    parametersOf(known, provider) === null ? { ...known, weights: id, variant: undefined } : known;
  const own = settingsModel(provider, model) ?? sources.discovered?.find(provider.id, id);
  if (own !== undefined) return configuredDeployment(provider, own, { model, sources });
  if (provider.id === SANDBOX) return sandboxDeployment(provider, { model, name: model.id, api: undefined });
  const served = servedWhenAsked(provider, model, sources.at);
  return servedDeployment(provider, model, { served, sources });
}

interface ServedOptions {
  readonly served: Served;
  readonly sources: DeploymentSources;
}

function servedDeployment(
  provider: ProviderEntry,
  model: KnownModel,
  { served, sources }: ServedOptions,
): FoundDeployment {
  const { upstreamModel, retired, retirement } = served;
  const deployment = deploymentAt(provider, model, { upstreamModel, own: {}, listed: served, sources });
  return { ...deployment, retired, ...(retirement && { retirement }) };
}

interface ModelOptions {
  readonly model: KnownModel;
  readonly sources: DeploymentSources;
}

function configuredDeployment(
  provider: ProviderEntry,
  own: ProviderModelEntry,
  { model, sources }: ModelOptions,
): FoundDeployment {
  const upstreamModel = own.upstream_model ?? own.id;
  const listed = listedFor(provider, upstreamModel, sources.at);
  return deploymentAt(provider, model, { upstreamModel, own, listed, sources });
}

/** An entry of the settings' `deployments`: its profile's model at its provider, under its own name. */
function namedDeployments(entry: DeploymentEntry, sources: DeploymentSources): readonly FoundDeployment[] {
  const { name, upstream_model: upstreamModel = name } = entry;
  const provider = sources.providers.get(entry.provider);
  if (provider === undefined) return [];
  const model = knownModel(entry.profile ?? name);
  const atProvider = settingsModel(provider, model);
  const listed =
    listedFor(provider, upstreamModel, sources.at) ?? listedFor(provider, model.weights, sources.at);
  const own = {
    price: entry.price ?? atProvider?.price ?? overridePrice([name], sources.settings),
    api: entry.api ?? atProvider?.api,
    context_tokens: entry.context_tokens ?? atProvider?.context_tokens,
  };
  const deployment = {
    ...deploymentAt(provider, model, { upstreamModel, own, listed, sources }),
    model: name,
  };
  return [deployment, ...sandboxDeployments(model, { name, api: deployment.api, sources })];
}

interface Terms {
  readonly upstreamModel: string;
  /** By the settings. */
  readonly own: {
    readonly [Field in "price" | "api" | "context_tokens"]?: DeploymentEntry[Field] | undefined;
  };
  /** By the public list. */
  readonly listed: Pick<Served, "price" | "contextTokens"> | null;
  readonly sources: DeploymentSources;
}

function deploymentAt(
  provider: ProviderEntry,
  model: KnownModel,
  { upstreamModel, own, listed, sources }: Terms,
): FoundDeployment {
  const price = own.price ?? overridePrice(priceNames(provider, model), sources.settings);
  return {
    ...commonFields(provider, model, upstreamModel),
    upstreamModel,
    ...apiOf(provider, model, { upstreamModel, own: own.api }),
    ...priceFrom(price, listed?.price ?? null),
    serviceTiers: tiersOf(provider.id, upstreamModel, sources),
    contextTokens: own.context_tokens ?? model.entry?.context ?? listed?.contextTokens ?? null,
  };
}

/** The model that the sandbox simulates. */
interface StandIn {
  readonly name: string;
  /** Endpoint of the real deployment; undefined when there is none. */
  readonly api: UpstreamApi | undefined;
}

function sandboxDeployments(
  model: KnownModel,
  { name, api, sources }: StandIn & { readonly sources: DeploymentSources },
): readonly FoundDeployment[] {
  const sandbox = sources.providers.get(SANDBOX);
  return sandbox === undefined ? [] : [sandboxDeployment(sandbox, { model, name, api })];
}

/** The sandbox generates its answers locally: free of charge, and no field is refused. */
function sandboxDeployment(
  sandbox: ProviderEntry,
  { model, name, api }: StandIn & { readonly model: KnownModel },
): FoundDeployment {
  return {
    ...commonFields(sandbox, model, name),
    model: name,
    upstreamModel: name,
    api: api === "embeddings" || (api === undefined && isEmbedding(model, name)) ? "embeddings" : "chat",
    price: FREE,
    contextTokens: model.entry?.context ?? null,
    refuses: [],
  };
}

/** The price of the settings, else that of the public list. */
function priceFrom(
  own: PriceEntry | undefined,
  listed: Price | null,
): Pick<Deployment, "price" | "priceSource"> {
  if (own !== undefined) return { price: settingsPrice(own), priceSource: "settings" };
  return listed === null ? { price: null } : { price: listed, priceSource: "price_list" };
}

/** The catalog file has no embedding models. */
const isEmbedding = ({ entry }: KnownModel, upstreamModel: string): boolean =>
  entry === undefined && isEmbeddingName(upstreamModel);

interface ApiOptions {
  readonly upstreamModel: string;
  /** By the settings, which are not doubted. */
  readonly own?: UpstreamApi | undefined;
}

/** The endpoint that the provider serves a model best by. */
function apiOf(
  { like, baseUrl }: ProviderEntry,
  model: KnownModel,
  { upstreamModel, own }: ApiOptions,
): Pick<Deployment, "api" | "chatToo"> {
  if (own !== undefined) return { api: own };
  if (isEmbedding(model, upstreamModel)) return { api: "embeddings" };
  if (model.entry?.api !== undefined) return { api: model.entry.api };
  const vendor = publicProvider(like ?? "") ?? publicProviderAt(baseUrl ?? "");
  if (vendor?.api !== "responses") return { api: "chat" };
  // Names of Azure's deployments may be anything; the model that one stands for is OpenAI's.
  const only = onlyApi(OPENAI, upstreamModel) ?? onlyApi(OPENAI, model.weights);
  return only === undefined ? { api: "responses", chatToo: true } : { api: only };
}

/** Who makes the models of providers that have Responses. */
const OPENAI = "openai";

function commonFields(
  provider: ProviderEntry,
  model: KnownModel,
  upstreamModel: string,
): Omit<FoundDeployment, "upstreamModel" | "api" | "price" | "contextTokens"> {
  const variant = model.variant?.variant;
  const thinks = typeof variant === "object" && "thinking_tokens" in variant;
  const refused = [model.weights, upstreamModel].flatMap(refusedFields);
  return {
    model: model.id,
    provider: provider.id,
    enabled: provider.enabled,
    retired: false,
    parameters: parametersOf(model, provider) ?? {},
    ...effortsOf(model, provider),
    refuses: [...new Set([...refused, ...(thinks ? THINKING_REFUSES : [])])],
  };
}

/** Asked for only when a request is sent there. */
function effortsOf({ weights }: KnownModel, provider: ProviderEntry): Pick<Deployment, "effortParameters"> {
  const parameters = provider.enabled ? effortParameters(weights, provider) : {};
  return Object.keys(parameters).length === 0 ? {} : { effortParameters: parameters };
}

/** Fields that request the variant; null when this provider does not support it. */
const parametersOf = (model: KnownModel, provider: ProviderEntry) =>
  model.variant === undefined ? {} : variantParameters(model.variant.variant, provider);

/** The provider's settings entry for the model, or for the weights it is a variant of. */
function settingsModel({ models }: ProviderEntry, model: KnownModel): ProviderModelEntry | undefined {
  for (const name of [model.asked, model.id, model.weights]) {
    const found = models.find(({ id }) => id === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Names under which the settings may override the price, most specific first. */
const priceNames = (provider: ProviderEntry, { asked, id, weights }: KnownModel): readonly string[] => [
  `${provider.id}/${asked}`,
  asked,
  id,
  weights,
];

const apiRules = ofCatalog(
  (file) =>
    new Map(
      Object.entries(file.apis).map(([id, rules]) => [
        id,
        rules.map(({ api, models }) => ({ api, patterns: models.map(namePattern) })),
      ]),
    ),
);

/** The only endpoint of a provider that serves a model, by the provider's name of it; undefined when all of them do. */
function onlyApi(provider: string, upstreamModel: string): "chat" | "responses" | undefined {
  const name = spelling(upstreamModel);
  return apiRules()
    .get(provider)
    ?.find(({ patterns }) => patterns.some((pattern) => pattern.test(name)))?.api;
}
