/** What would enable models that no configured provider serves, for messages. No secrets. */
import type { CatalogProvider, Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { ModelCatalog } from "./model-catalog.js";

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
export const enablingSandbox = (providers: readonly CatalogProvider[]): readonly string[] =>
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
