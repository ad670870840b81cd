/** Selects the models a routed request may be sent to, and the error when there are none. */

import type { RouteRequest } from "../../engine/router/decision.js";
import { SextantError } from "../../foundation/errors.js";
import type { HostRules } from "./allowed-hosts.js";
import { configuredSummary, enablingEach } from "./configured-summary.js";
import type { ModelCatalog } from "./model-catalog.js";
import { unknownProvider } from "./planned-models.js";

type Runnable = Required<Pick<RouteRequest, "canRun" | "whatCanRun" | "howToRun">> &
  Pick<RouteRequest, "factsOf">;

/**
 * Only what a configured provider serves, or only what the one that is named does, with its prices and context windows.
 *
 * @param provider id, or another name of it
 * @throws SextantError `provider_not_found`, `no_provider_available` when it is not configured
 */
export function runnable(catalog: ModelCatalog, provider?: string): Runnable {
  if (provider === undefined) {
    return {
      canRun: (model) => catalog.isRunnable(model),
      whatCanRun: () => configuredSummary(catalog),
      howToRun: (models) => enablingEach(models, catalog),
    };
  }
  const id = catalog.providerId(provider);
  const known = catalog.providers().find((one) => one.id === id);
  if (id === undefined || known === undefined) throw unknownProvider(provider, catalog);
  if (!known.enabled) {
    throw new SextantError(
      "no_provider_available",
      `The provider ${JSON.stringify(id)} is not configured. To enable it: ${known.remedy}.`,
      { param: "provider" },
    );
  }
  return {
    canRun: (model) =>
      catalog.isRunnable(model) && catalog.deployments(model).some((one) => one.provider === id),
    factsOf: (model) => catalog.factsAt(model, id),
    whatCanRun: () => `Only models of the provider ${id} were asked for.`,
    howToRun: () => `Name models that the provider ${id} serves, or leave \`provider\` out.`,
  };
}

/**
 * What the preferences of a request leave of that: models that an allowed provider serves, with what is known of them
 * there.
 */
export function allowedOnly(catalog: ModelCatalog, rules: HostRules): Partial<Runnable> {
  const firstOf = (model: string) =>
    catalog.deployments(model).find((one) => one.enabled && rules.refusal(one) === undefined);
  return {
    canRun: (model) => catalog.isRunnable(model) && firstOf(model) !== undefined,
    factsOf: (model) => catalog.factsAt(model, firstOf(model)?.provider ?? ""),
    whatCanRun: () => "`provider` allows no provider that serves a candidate.",
    howToRun: () => "Allow more providers in `provider`, or leave it out.",
  };
}

/** The same when any provider is configured; otherwise every model that somebody serves. */
export const runnableOnly = (catalog: ModelCatalog, provider?: string): Partial<Runnable> =>
  provider !== undefined || catalog.providers().some(({ enabled }) => enabled)
    ? runnable(catalog, provider)
    : {};
