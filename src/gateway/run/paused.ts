/** What operators' pauses change in how a request is planned. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { RouteRequest } from "../../engine/router/decision.js";
import { SextantError } from "../../foundation/errors.js";
import type { Attempt } from "../traces/trace.js";
import type { ModelCatalog } from "./model-catalog.js";
import { type Pause, type PausesInForce, untilText } from "./pause.js";
import { type PlannedModel, planOf } from "./planned-models.js";
import type { InferenceRequest, NamedChoice, RoutedChoice } from "./request.js";

interface PauseSources {
  readonly catalog: Pick<ModelCatalog, "deployments" | "factsAt" | "providerId">;
  readonly pauses: PausesInForce;
}

interface Redirected<Request> {
  readonly request: Request;
  /** One for each model on the way that was paused: what was asked for, first. */
  readonly passed: readonly Attempt[];
}

/** The request to what answers in place of a named model that is paused: where redirects lead to, one after the other. */
export function redirected<Request extends Pick<InferenceRequest, "choice">>(
  request: Request,
  { catalog, pauses }: PauseSources,
): Redirected<Request> {
  const passed: Attempt[] = [];
  let choice: NamedChoice | RoutedChoice = request.choice;
  while (pauses.any && choice.type === "named") {
    const found = pausedEverywhere(choice, { catalog, pauses });
    const target = found?.pause.redirect_to ?? null;
    if (found === undefined || target === null || passed.some(({ model }) => model === target)) break;
    passed.push(passedAttempt(found.deployment, found.pause));
    choice = { ...choice, model: target, provider: undefined };
  }
  return { request: passed.length === 0 ? request : { ...request, choice }, passed };
}

/** A deployment of a model that is paused at all of its providers, with its pause. */
function pausedEverywhere({ model, provider }: NamedChoice, { catalog, pauses }: PauseSources) {
  const enabled = enabledAt(catalog, provider)(model);
  const paused = enabled.flatMap((deployment) => {
    const pause = pauses.ofDeployment(deployment);
    return pause === undefined ? [] : [{ deployment, pause }];
  });
  return paused.length < enabled.length ? undefined : paused[0];
}

/** The enabled deployments of a model, or those at one provider, by its id or another name of it. */
function enabledAt(catalog: PauseSources["catalog"], provider: string | undefined) {
  const id = provider === undefined ? undefined : catalog.providerId(provider);
  return (model: string): readonly Deployment[] =>
    catalog
      .deployments(model)
      .filter((one) => one.enabled && (provider === undefined || one.provider === id));
}

const passedAttempt = ({ model, provider }: Deployment, pause: Pause): Attempt => ({
  provider,
  model,
  status: null,
  code: "paused",
  message: `not called: paused ${untilText(pause)}`,
  latency_ms: 0,
});

interface UnpausedOptions {
  readonly pauses: PausesInForce;
  /** Receives an attempt for each model that is left out. */
  readonly record: { called(attempt: Attempt): void };
}

/**
 * The plan without what is paused.
 *
 * @returns at least one model
 * @throws SextantError `model_paused` when none is left
 */
export function unpausedPlan(
  plan: readonly PlannedModel[],
  { pauses, record }: UnpausedOptions,
): readonly PlannedModel[] {
  const left = planOf(plan, (deployment) => pauses.ofDeployment(deployment) === undefined);
  const names = new Set(left.map(({ name }) => name));
  const gone = plan.filter(({ name }) => !names.has(name));
  for (const { deployments } of gone) {
    const [deployment] = deployments;
    const pause = deployment && pauses.ofDeployment(deployment);
    if (deployment !== undefined && pause !== undefined) record.called(passedAttempt(deployment, pause));
  }
  const [first] = gone;
  if (left.length > 0 || first === undefined) return left;
  throw modelPaused(first, pauses);
}

function modelPaused({ name, deployments }: PlannedModel, pauses: PausesInForce): SextantError {
  const pause = deployments.map((one) => pauses.ofDeployment(one)).find((one) => one !== undefined);
  const what =
    pause?.kind === "provider"
      ? `is served by the provider ${JSON.stringify(pause.target)}, which is paused`
      : "is paused";
  return new SextantError(
    "model_paused",
    `The model ${JSON.stringify(name.slice(0, 80))} ${what} ${pause === undefined ? "" : untilText(pause)}. Name another ` +
      'model, send `fallbacks`, or ask for "auto", which leaves paused models out. An operator can end the pause.',
    { param: "model" },
  );
}

/** For the router: which models are paused, and what is known of the others at providers that are not. */
export function pausedModels(
  { catalog, pauses }: PauseSources,
  provider?: string,
): Pick<RouteRequest, "isPaused" | "factsOf"> {
  const enabledOf = enabledAt(catalog, provider);
  const isOpen = (deployment: Deployment) => pauses.ofDeployment(deployment) === undefined;
  return {
    isPaused: (model) => {
      const enabled = enabledOf(model);
      return enabled.length > 0 && !enabled.some(isOpen);
    },
    ...(provider === undefined && {
      factsOf: (model) => catalog.factsAt(model, enabledOf(model).find(isOpen)?.provider ?? ""),
    }),
  };
}
