/**
 * Summary of the configuration: configured providers, models for decisions, and what would add more; for the start and
 * for refusals. No secrets.
 */
import type { CatalogProvider } from "../../engine/catalog/deployments/deployment.js";
import type { ModelCounts } from "../../engine/router/live-models.js";
import type { Router } from "../../engine/router/router.js";
import { enablingSandbox } from "./enabling.js";
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
