/**
 * Summary of the configuration: configured providers, models for decisions, and what would add more; for the start and
 * for refusals. No secrets.
 */
import type { CatalogProvider, Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { ModelCounts } from "../../engine/router/live-models.js";
import type { Router } from "../../engine/router/router.js";
import type { ModelCatalog } from "./model-catalog.js";

/** Providers suggested in messages: those with models of every price. */
const SUGGESTED = ["openai", "anthropic", "google", "openrouter", "together"];

type Providers = Pick<ModelCatalog, "providers">;

/** The configured providers, and what would add more. Sentences for a message. */
export function configuredSummary(catalog: Providers): string {
  const more = suggestions(catalog);
  return more === ""
    ? configuredProviders(catalog)
    : `${configuredProviders(catalog)} To add models, ${more}.`;
}

/** The same with the number of models for decisions, as lines for the terminal. */
export function startSummary(
  router: Pick<Router, "liveModels" | "modelCounts">,
  catalog: ModelCatalog,
): string {
  const models = decidable(router, catalog);
  const ends = cheapestAndMostExpensive(models, catalog);
  const range = ends === null ? "" : `, from ${ends.cheapest} to ${ends.mostExpensive}`;
  const isOn = catalog.providers().some(({ enabled }) => enabled);
  const more = suggestions(catalog);
  const { profiled, live, runnable, candidates } = modelCounts(router, catalog);
  return [
    configuredProviders(catalog),
    `${isOn ? "Requests can run on" : "Decisions only, without execution:"} ${runnable} of ${profiled} profiled models and efforts${range} by price` +
      ` (${profiled - live} are retired or no one serves them${isOn ? `, ${live - runnable} are not served by these providers` : ""}).`,
    `A choice among all has ${candidates} candidates: efforts that another effort of their model dominates are left out.`,
    ...(isOn && runnable < 2 ? ["`auto` needs two models or more with a profile: it is not offered."] : []),
    ...(more === "" ? [] : [`To add models, ${more}.`]),
  ].join("\n");
}

/** Models that routing can choose from: available ones, restricted to configured providers as soon as there is one. */
export function decidable(router: Pick<Router, "liveModels">, catalog: ModelCatalog): readonly string[] {
  const live = router.liveModels();
  const isOn = catalog.providers().some(({ enabled }) => enabled);
  return isOn ? live.filter((model) => catalog.isRunnable(model)) : live;
}

/** How many models a choice among all has, and which filter takes the others away. */
export const modelCounts = (
  router: Pick<Router, "modelCounts">,
  catalog: Pick<ModelCatalog, "providers" | "isRunnable">,
): ModelCounts =>
  router.modelCounts(
    catalog.providers().some(({ enabled }) => enabled) ? (model) => catalog.isRunnable(model) : () => true,
  );

/** The configured providers with the variables that enable them. A sentence. */
export function configuredProviders(catalog: Providers): string {
  const on = catalog.providers().filter(({ enabled }) => enabled);
  if (on.length === 0) return "No provider is configured.";
  const named = on.map(({ id, enabledBy }) => (enabledBy === undefined ? id : `${id} (${enabledBy})`));
  return `Configured providers: ${named.join(", ")}.`;
}

/** `set OPENAI_API_KEY (openai), or …`; empty when all of them are enabled. */
function suggestions(catalog: Providers): string {
  const all = catalog.providers();
  const off = all.filter(({ id, enabled }) => !enabled && SUGGESTED.includes(id));
  const keys = off.map(({ id, remedy }: CatalogProvider) => `${remedy} (${id})`);
  return [...keys, ...enablingSandbox(all)].join(", or ");
}

/** By the output price; null when no price is known. */
function cheapestAndMostExpensive(
  models: readonly string[],
  catalog: Pick<ModelCatalog, "deployments">,
): { readonly cheapest: string; readonly mostExpensive: string } | null {
  const priced = models.flatMap((model) => {
    const price = catalog
      .deployments(model)
      .find((deployment) => (deployment.price?.outputUsdPerMtok ?? 0) > 0)?.price;
    return price === null || price === undefined ? [] : [{ model, usd: price.outputUsdPerMtok }];
  });
  priced.sort((left, right) => left.usd - right.usd || (left.model < right.model ? -1 : 1));
  const [cheapest, mostExpensive] = [priced[0], priced.at(-1)];
  return cheapest === undefined || mostExpensive === undefined
    ? null
    : { cheapest: cheapest.model, mostExpensive: mostExpensive.model };
}

/** What would enable models that no configured provider serves, for messages. No secrets. */

/** Maximum number of providers named in a message. */
const MOST_PROVIDERS = 4;

/** Maximum number of models named for one provider. */
const MOST_MODELS = 3;

/** `set ANTHROPIC_API_KEY (anthropic), or set …`: what enables one of these deployments; empty when nothing would. */
export function enabling(
  deployments: readonly Deployment[],
  catalog: Pick<ModelCatalog, "providers">,
): string {
  const serving = new Set(deployments.map(({ provider }) => provider));
  const all = catalog.providers();
  const remedies = all.filter(({ id }) => serving.has(id)).map(({ id, remedy }) => `${remedy} (${id})`);
  if (remedies.length === 0) return "";
  return [...remedies.slice(0, MOST_PROVIDERS), ...enablingSandbox(all)].join(", or ");
}

/** What enables the sandbox; suggested only while no provider is configured. */
const enablingSandbox = (providers: readonly CatalogProvider[]): readonly string[] =>
  providers.some(({ enabled }) => enabled) ? [] : ["set SEXTANT_SANDBOX=true to try it without a key"];

/** A sentence with the first provider of each model and what enables it. */
export function enablingEach(
  models: readonly string[],
  catalog: Pick<ModelCatalog, "deployments" | "providers">,
): string {
  const modelsOf = new Map<string, string[]>();
  for (const model of models) {
    const provider = catalog.deployments(model)[0]?.provider;
    if (provider !== undefined) modelsOf.set(provider, [...(modelsOf.get(provider) ?? []), model]);
  }
  const clauses = catalog.providers().flatMap(({ id, remedy }) => {
    const served = modelsOf.get(id);
    return served === undefined ? [] : [`${remedy} for ${named(served)}`];
  });
  return clauses.length === 0
    ? "Name models that a configured provider serves."
    : `To use the others, ${clauses.slice(0, MOST_PROVIDERS).join(", or ")}.`;
}

function named(models: readonly string[]): string {
  const more = models.length - MOST_MODELS;
  return more > 0 ? `${models.slice(0, MOST_MODELS).join(", ")} and ${more} more` : models.join(", ");
}
