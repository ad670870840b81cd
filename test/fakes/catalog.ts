import type { CatalogProvider, Deployment } from "../../src/engine/catalog/deployments/deployment.js";
import type { ServerDependencies } from "../../src/gateway/dependencies.js";
import { deploymentOf, priceOf } from "./deployments.js";

const price = priceOf(0.15, 0.6, { cachedInputUsdPerMtok: 0.075 });

const deployment = (model: string, provider: string, changes: Partial<Deployment> = {}): Deployment =>
  deploymentOf(provider, model, { price, contextTokens: 128_000, ...changes });

/** A catalog that can be read in one glance. */
export const FAKE_DEPLOYMENTS: readonly Deployment[] = [
  deployment("gpt-4o-mini", "openai", {
    upstreamModel: "gpt-4o-mini-2024-07-18",
    parameters: { secret: "x" },
    priceSource: "price_list",
    retirement: { from: "2027-02-28", successor: "gpt-6-luna", isNear: false },
  }),
  deployment("gpt-4o-mini", "azure", { enabled: false }),
  deployment("lab/own model", "lab", { price: null, contextTokens: null }),
  deployment("claude-sonnet-4", "anthropic", { enabled: false }),
];

const FAKE_PROVIDERS: readonly CatalogProvider[] = [
  { id: "openai", type: "openai-compatible", enabled: true, remedy: "set OPENAI_API_KEY" },
  { id: "azure", type: "openai-compatible", enabled: false, remedy: "set AZURE_API_KEY" },
  { id: "lab", type: "openai-compatible", enabled: true, remedy: "set LAB_KEY" },
  { id: "anthropic", type: "anthropic", enabled: false, remedy: "set ANTHROPIC_API_KEY" },
];

export const fakeCatalog: ServerDependencies["catalog"] = {
  deployments: (name) =>
    FAKE_DEPLOYMENTS.filter(({ model, provider }) => model === name || `${provider}/${model}` === name),
  providers: () => FAKE_PROVIDERS,
  providerId: (name) => FAKE_PROVIDERS.find(({ id }) => id === name)?.id,
  factsAt: () => ({
    provider: null,
    price: null,
    contextTokens: null,
    capabilities: { images: null, tools: null },
  }),
  isRunnable: (name) => ["gpt-4o-mini", "lab/own model"].includes(name),
  runnableModels: () => ["gpt-4o-mini", "lab/own model"],
};
