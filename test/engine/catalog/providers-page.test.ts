import { findProvider } from "@pydantic/genai-prices";
import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../../src/engine/catalog/deployments/provider-entries.js";
import { PUBLIC_PROVIDERS } from "../../../src/engine/catalog/providers/public-providers.js";
import { settingsSchema } from "../../../src/gateway/settings/settings.js";
import { EXAMPLES, HOURLY_MODELS, providersPage } from "./providers-page.js";

const KEYS = Object.fromEntries(
  [
    "AZURE_EU_KEY",
    "AZURE_US_KEY",
    "HOUSE_KEY",
    "PROXY_KEY",
    "OPENAI_KEY_SPARE",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "ANTHROPIC_API_KEY",
  ].map((name) => [name, "key"]),
);

function catalogOf(example: unknown) {
  const settings = settingsSchema.parse(example);
  return createCatalog(settings, {
    at: new Date("2026-11-01"),
    providers: resolveProviders(settings, KEYS),
  });
}

describe("docs/providers.md", () => {
  it("is generated from the table of providers (`npx vitest run test/engine/catalog/providers-page.test.ts -u` writes it)", async () => {
    await expect(providersPage()).toMatchFileSnapshot("../../../docs/providers.md");
  });

  it.each([
    ["vllm", "llama-3.1-8b-instruct", "gpu", "meta-llama/Llama-3.1-8B-Instruct", 0.02],
    ["azure", "gpt-5.4-mini", "azure-eu", "mini-eu", 0.825],
    ["llamaCpp", "mistral-nemo", "desk", "nemo-q6", 0],
    ["proxies", "house-writer", "house", "house-writer", undefined],
    ["proxies", "gpt-5.5", "openai", "gpt-5.5", 5],
    ["keys", "gpt-5.5", "openai", "gpt-5.5", 5],
    ["deployments", "support-bot", "openai", "gpt-5.4-mini", 0.75],
    ["deployments", "careful", "openrouter", "qwen/qwen3-235b-a22b", 0.455],
    ["prices", "gpt-5.4-mini", "openai", "gpt-5.4-mini", 0.6],
    ["prices", "anthropic/claude-opus-5", "anthropic", "claude-opus-5", 4],
  ] as const)("has working examples: %s, %s", (example, model, provider, upstreamModel, inputUsdPerMtok) => {
    const [deployment] = catalogOf(EXAMPLES[example]).deployments(model);
    expect(deployment).toMatchObject({ provider, upstreamModel, enabled: true });
    expect(deployment?.price?.inputUsdPerMtok).toBe(inputUsdPerMtok);
  });

  it("names the models whose price depends on the hour", () => {
    const hourly = PUBLIC_PROVIDERS.flatMap(({ priceList }) => {
      const models = findProvider({ providerId: priceList ?? "" })?.models ?? [];
      return models.filter(
        ({ prices }) =>
          Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === "time_of_date"),
      );
    });
    expect(hourly.map(({ id }) => id)).toEqual(HOURLY_MODELS);
  });
});
