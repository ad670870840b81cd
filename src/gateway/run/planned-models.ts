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

/**
 * The models of a request that names one: that model, then its fallbacks. A known model without a configured provider
 * is skipped; an unknown one is an error of the request.
 *
 * @returns at least one model
 * @throws SextantError `model_not_found`, `provider_not_found`, `invalid_request` when `provider` contradicts the
 * model, `no_provider_available` when nothing is left
 */
export function planNamed(
  choice: NamedChoice,
  fallbacks: readonly string[],
  catalog: ModelCatalog,
): readonly PlannedModel[] {
  const { model, provider } = choice;
  const deployments =
    provider === undefined ? catalog.deployments(model) : deploymentsAt(model, provider, catalog);
  if (deployments.length === 0) throw unknownModel(model, { param: "model", catalog });
  const plan = [...plannedModel(model, deployments), ...planFallbacks(fallbacks, catalog)];
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
  catalog: ModelCatalog,
): readonly PlannedModel[] {
  const id = provider === undefined ? undefined : catalog.providerId(provider);
  const own = ranked.flatMap((name) => plannedModel(name, catalog.deployments(name)));
  const chosen = id === undefined ? own : planOf(own, (one) => one.provider === id);
  const plan = [...chosen, ...planFallbacks(fallbacks, catalog)];
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

function planFallbacks(fallbacks: readonly string[], catalog: ModelCatalog): readonly PlannedModel[] {
  return fallbacks.flatMap((name, index) => {
    const deployments = catalog.deployments(name);
    if (deployments.length === 0) throw unknownModel(name, { param: `fallbacks[${index}]`, catalog });
    return plannedModel(name, deployments);
  });
}

/** The model, or nothing when none of its deployments is enabled. */
function plannedModel(name: string, deployments: readonly Deployment[]): readonly PlannedModel[] {
  const enabled = deployments.every((deployment) => deployment.enabled)
    ? deployments
    : deployments.filter((deployment) => deployment.enabled);
  return enabled.length === 0 ? [] : [{ name, deployments: enabled }];
}

/**
 * Deployments of one provider. A model that the catalog does not list there is requested anyway, as with
 * `provider/model`, since the provider's own list may be newer.
 */
function deploymentsAt(model: string, provider: string, catalog: ModelCatalog): readonly Deployment[] {
  const id = catalog.providerId(provider);
  if (id === undefined) throw unknownProvider(provider, catalog);
  const named = providerNamedIn(model, catalog);
  if (named !== undefined && named !== id) throw contradiction(named, provider);
  const own = catalog.deployments(model).filter((deployment) => deployment.provider === id);
  return own.length > 0 || named !== undefined ? own : catalog.deployments(`${id}/${model}`);
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

type Purpose = "answers" | "embeddings";

export interface ServingOptions {
  readonly purpose: Purpose;
  /** Fallbacks of the request, for naming the field with a model of the other kind. */
  readonly fallbacks: readonly string[];
}

/**
 * The catalog restricted to a purpose; for embeddings it includes the local embedder. Its `deployments` throw
 * `invalid_request` for a model that only serves the other purpose.
 */
export function catalogServing(catalog: ModelCatalog, { purpose, fallbacks }: ServingOptions): ModelCatalog {
  const isLocal = (name: string): boolean => name === LOCAL_EMBEDDER;
  const makesEmbeddings = purpose === "embeddings";
  const serves = ({ api }: Deployment): boolean => (api === "embeddings") === makesEmbeddings;
  return {
    deployments(name) {
      const all = makesEmbeddings && isLocal(name) ? [LOCAL_DEPLOYMENT] : catalog.deployments(name);
      if (all.every(serves) && (all.length > 0 || !isLocal(name))) return all;
      const serving = all.filter(serves);
      if (serving.length > 0) return serving;
      const at = fallbacks.indexOf(name);
      throw otherKind(name, { purpose, param: at < 0 ? "model" : `fallbacks[${at}]` });
    },
    factsAt: (model, provider) => catalog.factsAt(model, provider),
    providers: () => catalog.providers(),
    providerId: (name) => (makesEmbeddings && isLocal(name) ? LOCAL_EMBEDDER : catalog.providerId(name)),
    isRunnable: (model) => catalog.isRunnable(model),
    runnableModels: () => catalog.runnableModels(),
  };
}

const REMEDIES = {
  answers: "makes embeddings and cannot answer. Use POST /v1/embeddings, or name a model that answers.",
  embeddings:
    `makes no embeddings. Name a model that does, such as "text-embedding-3-small" or, for the local embedder, "${LOCAL_EMBEDDER}". ` +
    'A model of your own that does needs `"api": "embeddings"` in the settings.',
} as const;

interface OtherKind {
  readonly purpose: Purpose;
  readonly param: string;
}

function otherKind(name: string, { purpose, param }: OtherKind): SextantError {
  return new SextantError("invalid_request", `\`${param}\`: ${JSON.stringify(name)} ${REMEDIES[purpose]}`, {
    param,
  });
}
