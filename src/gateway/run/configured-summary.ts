/** The configured providers, models for decisions, and what would add more: for the start and for refusals. No secrets. */
import type { CatalogProvider, Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { ModelCounts } from "../../engine/router/live-models.js";
import type { Router } from "../../engine/router/router.js";
import type { ModelCatalog } from "./model-catalog.js";

/** Providers suggested in messages: those with models of every price. */
const SUGGESTED = ["openai", "anthropic", "google", "openrouter", "together"];

const VARIABLE = /[A-Z][A-Z_]+/;

type Providers = Pick<ModelCatalog, "providers">;

/** The configured providers, and what would add more. Sentences for a message. */
export function configuredSummary(catalog: Providers): string {
  const more = suggestions(catalog);
  return more === ""
    ? configuredProviders(catalog)
    : `${configuredProviders(catalog)} To add models, ${more}.`;
}

/** The configured providers for the start of a server, or how to configure one. A sentence. */
export function providersSentence(catalog: Providers): string {
  const all = catalog.providers();
  const on = all.filter(({ enabled }) => enabled);
  if (on.length > 0) return `${namedProviders(on)}.`;
  const variables = all
    .filter(({ id }) => SUGGESTED.includes(id))
    .flatMap(({ remedy }) => VARIABLE.exec(remedy) ?? []);
  return (
    `none yet: requests are routed, not answered. Put ${variables.join(", ")} or another key into .env (no restart; ` +
    "docs/providers.md lists all), or start with SEXTANT_SANDBOX=true for placeholder answers."
  );
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
  return `Configured providers: ${namedProviders(on)}.`;
}

const namedProviders = (providers: readonly CatalogProvider[]): string =>
  providers.map(({ id, enabledBy }) => (enabledBy === undefined ? id : `${id} (${enabledBy})`)).join(", ");

/** `set OPENAI_API_KEY (openai), or …`; empty when all of them are enabled. */
function suggestions(catalog: Providers): string {
  const all = catalog.providers();
  const off = all.filter(({ id, enabled }) => !enabled && SUGGESTED.includes(id));
  const keys = off.map(({ id, remedy }: CatalogProvider) => `${remedy} (${id})`);
  return [...keys, ...enablingSandbox(all)].join(", or ");
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
