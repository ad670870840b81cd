import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { LOCAL_DEPLOYMENT, LOCAL_EMBEDDER } from "../../engine/index.js";
import { SextantError } from "../../foundation/errors.js";
import { nearestName } from "../../foundation/nearest-name.js";
import { configuredProviders, configuredSummary, enabling } from "./configured-summary.js";
import type { ModelCatalog } from "./model-catalog.js";
import type { InferenceRequest, NamedChoice, RoutedChoice } from "./request.js";

/** A model to try, with its deployments. */
export interface PlannedModel {
  /** Name in the request. */
  readonly name: string;
  /** Enabled deployments, at least one, in the configured order. */
  readonly deployments: readonly Deployment[];
}

export interface PlanSources {
  readonly catalog: ModelCatalog;
  /** Absent: any. */
  readonly purpose?: "answers" | "embeddings";
}

/**
 * The models of a request that names one: that model, then its fallbacks. A known model without a configured provider
 * is skipped; an unknown one is an error of the request.
 *
 * @returns at least one model
 * @throws SextantError `model_not_found`, `provider_not_found`, `invalid_request` when `provider` contradicts the
 * model, `no_provider_available` when nothing is left
 */
export function planNamed(
  { model, provider }: NamedChoice,
  fallbacks: readonly string[],
  sources: PlanSources,
): readonly PlannedModel[] {
  const { catalog } = sources;
  const deployments =
    provider === undefined
      ? deploymentsFor(model, "model", sources)
      : deploymentsAt(model, provider, sources);
  if (deployments.length === 0) throw unknownModel(model, { param: "model", catalog });
  const plan = [...plannedModel(model, deployments), ...planFallbacks(fallbacks, sources)];
  if (plan.length === 0) throw noProvider(model, deployments, catalog);
  return plan;
}

/**
 * The models of a routed request: those ranked by the router, best first, then the request's fallbacks.
 *
 * @throws SextantError `model_not_found` for an unknown fallback, `no_provider_available` when nothing is left
 */
export function planRanked(
  ranked: readonly string[],
  { fallbacks, provider }: Pick<InferenceRequest, "fallbacks"> & Pick<RoutedChoice, "provider">,
  sources: PlanSources,
): readonly PlannedModel[] {
  const { catalog } = sources;
  const id = provider === undefined ? undefined : catalog.providerId(provider);
  const own = ranked.flatMap((name) => plannedModel(name, deploymentsFor(name, "model", sources)));
  const chosen = id === undefined ? own : planOf(own, (one) => one.provider === id);
  const plan = [...chosen, ...planFallbacks(fallbacks, sources)];
  const [selected = ""] = ranked;
  if (plan.length === 0) throw noProvider(selected, catalog.deployments(selected), catalog);
  return plan;
}

/** Name in the request of the model that a deployment of the plan is for. */
export const plannedName = (deployment: Deployment, plan: readonly PlannedModel[]): string =>
  plan.find(({ deployments }) => deployments.includes(deployment))?.name ?? deployment.model;

/** The plan with those deployments alone: a model that has none of them is left out. */
export const planOf = (
  plan: readonly PlannedModel[],
  serves: (deployment: Deployment) => boolean,
): readonly PlannedModel[] =>
  plan
    .map(({ name, deployments }) => ({ name, deployments: deployments.filter(serves) }))
    .filter(({ deployments }) => deployments.length > 0);

function planFallbacks(fallbacks: readonly string[], sources: PlanSources): readonly PlannedModel[] {
  return fallbacks.flatMap((name, index) => {
    const param = `fallbacks[${index}]`;
    const deployments = deploymentsFor(name, param, sources);
    if (deployments.length === 0) throw unknownModel(name, { param, catalog: sources.catalog });
    return plannedModel(name, deployments);
  });
}

/** The model, or nothing when none of its deployments is enabled. */
function plannedModel(name: string, deployments: readonly Deployment[]): readonly PlannedModel[] {
  const enabled = deployments.filter((deployment) => deployment.enabled);
  return enabled.length === 0 ? [] : [{ name, deployments: enabled }];
}

/**
 * Deployments of one provider. A model that the catalog does not list there is requested anyway, as with
 * `provider/model`, since the provider's own list may be newer.
 */
function deploymentsAt(model: string, provider: string, sources: PlanSources): readonly Deployment[] {
  const { catalog, purpose } = sources;
  const isLocal = purpose === "embeddings" && provider === LOCAL_EMBEDDER;
  const id = isLocal ? LOCAL_EMBEDDER : catalog.providerId(provider);
  if (id === undefined) throw unknownProvider(provider, catalog);
  const named = providerNamedIn(model, catalog);
  if (named !== undefined && named !== id) throw contradiction(named, provider);
  const all = deploymentsFor(model, "model", sources);
  const own = all.filter((deployment) => deployment.provider === id);
  return own.length > 0 || named !== undefined ? own : deploymentsFor(`${id}/${model}`, "model", sources);
}

/** The provider of `provider/model`; undefined when the first part is not a provider and belongs to the model. */
function providerNamedIn(model: string, catalog: ModelCatalog): string | undefined {
  const slash = model.indexOf("/");
  return slash < 0 ? undefined : catalog.providerId(model.slice(0, slash));
}

function contradiction(named: string, provider: string): SextantError {
  return new SextantError(
    "invalid_request",
    `\`model\` asks for the provider ${quoted(named)} and \`provider\` for ${quoted(provider)}. Send one of them.`,
    { param: "provider" },
  );
}

export function unknownProvider(provider: string, catalog: ModelCatalog): SextantError {
  const known = catalog.providers().map(({ id }) => id);
  return new SextantError(
    "provider_not_found",
    `There is no provider ${quoted(provider)}.${didYouMean(provider, known)} ${configuredProviders(catalog)}`,
    { param: "provider" },
  );
}

interface UnknownModelOptions {
  readonly param: string;
  readonly catalog: ModelCatalog;
}

function unknownModel(name: string, { param, catalog }: UnknownModelOptions): SextantError {
  return new SextantError(
    "model_not_found",
    `\`${param}\` names ${quoted(name)}, which the catalog does not know.` +
      `${didYouMean(name, catalog.runnableModels())} The list of models (GET /v1/models, \`sextant models\`) has those that can be used; a newer one is called with its provider, as provider/model.`,
    { param },
  );
}

function noProvider(name: string, deployments: readonly Deployment[], catalog: ModelCatalog): SextantError {
  const remedy = enabling(deployments, catalog);
  return new SextantError(
    "no_provider_available",
    `No configured provider serves the model ${quoted(name)}. ` +
      (remedy === ""
        ? configuredSummary(catalog)
        : `To enable one: ${remedy}. ${configuredProviders(catalog)}`),
    { param: "model" },
  );
}

/** Names in messages are cut to this length, because clients choose them. */
const MOST_NAME_CHARACTERS = 80;
const quoted = (name: string): string => JSON.stringify(name.slice(0, MOST_NAME_CHARACTERS));

function didYouMean(typed: string, known: readonly string[]): string {
  const nearest = nearestName(typed.slice(0, MOST_NAME_CHARACTERS), known);
  return nearest === undefined ? "" : ` Did you mean ${quoted(nearest)}?`;
}

/**
 * The deployments of a model that serve the purpose; for embeddings the local embedder is a model too.
 *
 * @throws SextantError `invalid_request` for a model that only serves the other purpose
 */
function deploymentsFor(
  name: string,
  param: string,
  { catalog, purpose }: PlanSources,
): readonly Deployment[] {
  const isLocal = name === LOCAL_EMBEDDER;
  const embeds = purpose === "embeddings";
  const all = embeds && isLocal ? [LOCAL_DEPLOYMENT] : catalog.deployments(name);
  if (purpose === undefined) return all;
  const serving = all.filter(({ api }) => (api === "embeddings") === embeds);
  if (serving.length === all.length && (all.length > 0 || !isLocal)) return all;
  if (serving.length > 0) return serving;
  throw new SextantError("invalid_request", `\`${param}\`: ${JSON.stringify(name)} ${REMEDIES[purpose]}`, {
    param,
  });
}

const REMEDIES = {
  answers: "makes embeddings and cannot answer. Use POST /v1/embeddings, or name a model that answers.",
  embeddings:
    `makes no embeddings. Name a model that does, such as "text-embedding-3-small" or, for the local embedder, "${LOCAL_EMBEDDER}". ` +
    'A model of your own that does needs `"api": "embeddings"` in the settings.',
} as const;
