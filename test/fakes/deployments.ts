import type { CatalogProvider, Deployment } from "../../src/engine/catalog/deployments/deployment.js";
import type { Price } from "../../src/engine/catalog/models/price.js";
import type { ModelFacts } from "../../src/engine/router/candidate.js";
import type { ModelCatalog } from "../../src/gateway/run/model-catalog.js";

/** A catalog of exactly these deployments. */
export class ListedDeployments implements ModelCatalog {
  constructor(private readonly listed: readonly Deployment[]) {}

  deployments(name: string): readonly Deployment[] {
    return this.listed
      .filter(({ model, provider }) => name === model || name === `${provider}/${model}`)
      .sort((left, right) => Number(right.enabled) - Number(left.enabled));
  }

  factsAt(model: string, provider: string): ModelFacts {
    const found = this.deployments(model).find((one) => one.provider === provider);
    return {
      provider,
      price: found?.price ?? null,
      promptCache: { mode: "on_request", minimumTokens: 0, stepTokens: 1, lifetimeMs: 300_000 },
      contextTokens: found?.contextTokens ?? null,
      capabilities: { images: null, tools: null },
    };
  }

  providers(): readonly CatalogProvider[] {
    const ids = [...new Set(this.listed.map(({ provider }) => provider))];
    return ids.map((id) => ({
      id,
      type: "openai-compatible",
      enabled: this.listed.some(({ provider, enabled }) => provider === id && enabled),
      remedy: `set ${id.toUpperCase()}_API_KEY`,
      enabledBy: `${id.toUpperCase()}_API_KEY`,
    }));
  }

  /** Every provider is also known by its id with `-ai` after it. */
  providerId(name: string): string | undefined {
    return this.providers().find(({ id }) => name === id || name === `${id}-ai`)?.id;
  }

  isRunnable(model: string): boolean {
    return this.deployments(model).some(({ enabled }) => enabled);
  }

  runnableModels(): readonly string[] {
    return [...new Set(this.listed.filter(({ enabled }) => enabled).map(({ model }) => model))];
  }
}

/** An enabled deployment of a chat model without a price; `changes` replace what a test is about. */
export function deploymentOf(provider: string, model: string, changes: Partial<Deployment> = {}): Deployment {
  return {
    provider,
    model,
    enabled: true,
    upstreamModel: model,
    api: "chat",
    price: null,
    contextTokens: null,
    parameters: {},
    refuses: [],
    ...changes,
  };
}

/** Dollars per million tokens; further rates in `changes`. */
export function priceOf(
  inputUsdPerMtok: number,
  outputUsdPerMtok: number,
  changes: Partial<Price> = {},
): Price {
  return {
    inputUsdPerMtok,
    outputUsdPerMtok,
    cachedInputUsdPerMtok: null,
    cacheWriteUsdPerMtok: null,
    cacheWriteHourUsdPerMtok: null,
    tiers: [],
    ...changes,
  };
}
