import type { CatalogProvider, Offer } from "../../src/catalog/offer.js";
import type { ServedModels } from "../../src/server/parts.js";

const rates = { cacheWriteUsdPerMtok: null, cacheWriteHourUsdPerMtok: null, tiers: [] };

function offer(model: string, provider: string, changes: Partial<Offer> = {}): Offer {
  return {
    model,
    provider,
    enabled: true,
    upstreamModel: model,
    api: "chat",
    price: { inputUsdPerMtok: 0.15, cachedInputUsdPerMtok: 0.075, outputUsdPerMtok: 0.6, ...rates },
    contextTokens: 128_000,
    parameters: {},
    refuses: [],
    ...changes,
  };
}

/** A catalog that can be read in one glance. */
export const FAKE_OFFERS: readonly Offer[] = [
  offer("gpt-4o-mini", "openai", { upstreamModel: "gpt-4o-mini-2024-07-18", parameters: { secret: "x" } }),
  offer("gpt-4o-mini", "azure", { enabled: false }),
  offer("lab/own model", "lab", { price: null, contextTokens: null }),
  offer("claude-sonnet-4", "anthropic", { enabled: false }),
];

const FAKE_PROVIDERS: readonly CatalogProvider[] = [
  { id: "openai", type: "openai-compatible", enabled: true, remedy: "set OPENAI_API_KEY" },
  { id: "azure", type: "openai-compatible", enabled: false, remedy: "set AZURE_API_KEY" },
  { id: "lab", type: "openai-compatible", enabled: true, remedy: "set LAB_KEY" },
  { id: "anthropic", type: "anthropic", enabled: false, remedy: "set ANTHROPIC_API_KEY" },
];

export const fakeCatalog: ServedModels = {
  offers: (name) =>
    FAKE_OFFERS.filter(({ model, provider }) => model === name || `${provider}/${model}` === name),
  providers: () => FAKE_PROVIDERS,
  isRunnable: (name) => ["gpt-4o-mini", "lab/own model"].includes(name),
  runnableModels: () => ["gpt-4o-mini", "lab/own model"],
};
