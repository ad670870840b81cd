import type { CatalogProvider } from "../catalog/offer.js";
import type { ModelCatalog } from "./model-catalog.js";

/** Providers whose variables are worth naming: those that serve many models to whoever has a key. */
const SUGGESTED = ["openai", "anthropic", "google", "openrouter", "together"];

/** Which providers are configured, and what would add more; no secrets. Sentences for a message. */
export function configuredSummary({ providers }: Pick<ModelCatalog, "providers">): string {
  const all = providers();
  const on = all.filter(({ enabled }) => enabled);
  const configured =
    on.length === 0 ? "No provider is configured." : `Configured: ${on.map(({ id }) => id).join(", ")}.`;
  const more = suggestions(all);
  return more === "" ? configured : `${configured} To add models, ${more}.`;
}

/** `set OPENAI_API_KEY (openai), or …`; empty when all are on. */
export function suggestions(providers: readonly CatalogProvider[]): string {
  const off = providers.filter(({ id, enabled }) => !enabled && SUGGESTED.includes(id));
  const keys = off.map(({ id, remedy }) => `${remedy} (${id})`);
  const sandbox = providers.some(({ type }) => type === "sandbox")
    ? []
    : ["SEXTANT_SANDBOX=true to try it without one"];
  return [...keys, ...sandbox].join(", or ");
}
