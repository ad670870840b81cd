import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../../src/engine/catalog/deployments/provider-entries.js";
import type { CatalogSettings } from "../../../src/engine/catalog/entries.js";

const AT = new Date("2026-01-15T12:00:00Z");
const catalog = (settings: Partial<CatalogSettings> = {}, at = AT) =>
  createCatalog({ providers: [], deployments: [], prices: {}, ...settings }, { at });
/** Of a provider whose rules are not known: what its replies report. */
const REPORTED = { mode: "on_request", minimumTokens: 0, stepTokens: 1, lifetimeMs: 300_000 };
const lookup = (model: string) => catalog().lookup(model);

describe("A well-known model in the catalog", () => {
  it("has a provider, a price, a context window and capabilities", () => {
    expect(lookup("gpt-4o-mini")).toEqual({
      provider: "openai",
      price: {
        inputUsdPerMtok: 0.15,
        cachedInputUsdPerMtok: 0.075,
        cacheWriteUsdPerMtok: null,
        outputUsdPerMtok: 0.6,
      },
      promptCache: { mode: "automatic", minimumTokens: 1024, stepTokens: 128, lifetimeMs: 300_000 },
      contextTokens: 128_000,
      capabilities: { images: true, tools: true },
    });
    expect(lookup("claude-3-5-sonnet-20241022")).toMatchObject({
      provider: "anthropic",
      price: { outputUsdPerMtok: 15 },
    });
    expect(lookup("llama-3.1-70b-instruct")).toMatchObject({
      provider: "openrouter",
      contextTokens: 131_072,
    });
  });

  it("is found as provider/id and under the vendor's full name, with one shared profile", () => {
    const plain = lookup("gpt-4o-mini");
    expect(lookup("openai/gpt-4o-mini")).toEqual({ ...plain, profile: "gpt-4o-mini" });
    expect(lookup("claude-3-7-sonnet-20250219")).toEqual({
      ...lookup("claude-3-7-sonnet"),
      profile: "claude-3-7-sonnet",
    });
    expect(lookup("meta-llama/llama-3.1-8b-instruct")).toMatchObject({
      provider: "openrouter",
      capabilities: { tools: true },
    });
  });

  it("is never confused with a similar one", () => {
    expect(lookup("deepseek-r1-distill-llama-70b").price?.outputUsdPerMtok).not.toBe(
      lookup("deepseek-r1").price?.outputUsdPerMtok,
    );
    expect(lookup("gpt-4o-2024-05-13").price?.inputUsdPerMtok).toBe(5);
    expect(lookup("gpt-4o-2024-08-06").price?.inputUsdPerMtok).toBe(2.5);
    for (const unknown of [
      "gpt-4o-minii",
      "gpt-4o-20250129",
      "gpt",
      "claude",
      "claude-3-5-sonnet-mini",
      "deepseek-v2-chat",
      "deepseek-chat-2",
      "gemini-1.5-pro-exp-0801",
      "llama-3.1-70b",
      "mistral",
      "o1-mini-high",
      "openai/",
      "/",
      "",
      "__proto__",
      "constructor",
    ]) {
      expect(lookup(unknown).price, unknown).toBeNull();
    }
  });
});

it("An unknown model in the catalog has only null facts", () => {
  expect(lookup("my-private-model")).toEqual({
    provider: null,
    price: null,
    contextTokens: null,
    capabilities: { images: null, tools: null },
  });
});

it("Thinking and effort variants cost what the plain model costs, under their own ids", () => {
  const withoutEfforts = ({ efforts: _, ...facts }: ReturnType<typeof lookup>) => facts;
  expect(lookup("claude-3-7-sonnet:thinking-4k")).toEqual(withoutEfforts(lookup("claude-3-7-sonnet")));
  expect(lookup("o4-mini:high")).toEqual(withoutEfforts(lookup("o4-mini")));
});

describe("A model at a named provider", () => {
  const environment = { OPENAI_API_KEY: "key", OPENROUTER_API_KEY: "key" };
  const both = (settings: Partial<CatalogSettings> = {}) => {
    const whole = { providers: [], deployments: [], prices: {}, ...settings };
    return createCatalog(whole, {
      at: AT,
      providers: resolveProviders({ ...whole, sandbox: false }, environment),
    });
  };
  const models = (id: string, input_usd_per_mtok: number) => [
    { id, price: { input_usd_per_mtok, output_usd_per_mtok: 9 }, context_tokens: 7000 },
  ];

  it("has that provider's price and context window, whichever provider would be called first", () => {
    const lab = {
      id: "lab",
      type: "openai-compatible",
      base_url: "http://localhost:1/v1",
      models: models("gpt-4o", 7),
    } as const;
    const { lookup: first, factsAt } = both({ providers: [lab] });
    expect([first("gpt-4o").provider, first("gpt-4o").price?.inputUsdPerMtok]).toEqual(["lab", 7]);
    expect(factsAt("gpt-4o", "openai")).toMatchObject({
      provider: "openai",
      price: { inputUsdPerMtok: 2.5 },
      contextTokens: 128_000,
    });
    expect(factsAt("gpt-4o", "lab")).toMatchObject({
      provider: "lab",
      price: { inputUsdPerMtok: 7 },
      contextTokens: 7000,
    });
    expect(factsAt("gpt-4o", "openai")).toBe(factsAt("gpt-4o", "openai"));
  });

  it("have the price that the settings give the model there", () => {
    const price = { input_usd_per_mtok: 4, output_usd_per_mtok: 5 };
    const { lookup: first, factsAt } = both({ prices: { "openrouter/gpt-4o": price } });
    expect(factsAt("gpt-4o", "openrouter").price).toMatchObject({ inputUsdPerMtok: 4, outputUsdPerMtok: 5 });
    expect(first("gpt-4o").price?.inputUsdPerMtok).toBe(2.5);
  });
});
describe("Catalog prices", () => {
  it("are those of the smallest prompts where the list has tiers", () => {
    expect(lookup("gemini-2.5-pro").price?.inputUsdPerMtok).toBe(1.25);
  });

  it("are those of the most expensive hour where the list's depend on the hour", () => {
    const prices = [0, 6, 12, 18, 23].map(
      (hour) => catalog({}, new Date(Date.UTC(2026, 0, 15, hour))).lookup("deepseek-chat").price,
    );
    expect(new Set(prices.map((price) => JSON.stringify(price))).size).toBe(1);
    expect(prices[0]?.outputUsdPerMtok).toBe(1.1);
  });

  it("are those of the given day", () => {
    const before = catalog({}, new Date("2026-01-01")).lookup("mistral-medium-latest").price;
    const after = catalog({}, new Date("2026-09-01")).lookup("mistral-medium-latest").price;
    expect(before?.inputUsdPerMtok).toBe(0.4);
    expect(after).not.toEqual(before);
  });

  it("are replaced by those of the settings, including the cached rate", () => {
    const { lookup } = catalog({
      prices: { "gpt-4o-mini": { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } },
    });
    expect(lookup("gpt-4o-mini").price).toEqual({
      inputUsdPerMtok: 1,
      cachedInputUsdPerMtok: null,
      cacheWriteUsdPerMtok: null,
      outputUsdPerMtok: 2,
    });
    expect(lookup("gpt-4o-mini").provider).toBe("openai");
  });
});

describe("Configured providers in the catalog", () => {
  const providers: CatalogSettings["providers"] = [
    {
      id: "lab",
      type: "openai-compatible",
      base_url: "http://localhost:9/v1",
      models: [
        {
          id: "gpt-4o-mini",
          upstream_model: "x",
          price: { input_usd_per_mtok: 9, cached_input_usd_per_mtok: 3, output_usd_per_mtok: 8 },
          context_tokens: 1000,
        },
        { id: "private" },
      ],
    },
    {
      id: "other",
      type: "anthropic",
      base_url: "http://localhost:9",
      models: [{ id: "private", context_tokens: 5 }],
    },
  ];

  it("come before the public list, and the first one that serves a model is reported", () => {
    const { lookup } = catalog({ providers });
    expect(lookup("gpt-4o-mini")).toEqual({
      provider: "lab",
      price: {
        inputUsdPerMtok: 9,
        cachedInputUsdPerMtok: 3,
        cacheWriteUsdPerMtok: null,
        outputUsdPerMtok: 8,
      },
      promptCache: REPORTED,
      contextTokens: 1000,
      capabilities: { images: true, tools: true },
    });
    expect(lookup("private")).toMatchObject({ provider: "lab", price: null, contextTokens: null });
    expect(lookup("other/private")).toMatchObject({
      provider: "other",
      profile: "private",
      contextTokens: 5,
    });
  });

  it("share their profile's context and capabilities with a deployment, at its own provider and price", () => {
    const { lookup } = catalog({
      providers,
      deployments: [
        {
          name: "support-bot",
          provider: "lab",
          upstream_model: "y",
          price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 },
          profile: "gpt-4o-mini",
        },
        { name: "at-lab", provider: "lab", profile: "gpt-4o-mini" },
        { name: "nowhere", provider: "unheard-of", profile: "gpt-4o-mini" },
        { name: "gpt-4o", provider: "azure" },
      ],
    });
    expect(lookup("support-bot")).toEqual({
      provider: "lab",
      profile: "gpt-4o-mini",
      contextTokens: 1000,
      capabilities: { images: true, tools: true },
      price: {
        inputUsdPerMtok: 1,
        cachedInputUsdPerMtok: null,
        cacheWriteUsdPerMtok: null,
        outputUsdPerMtok: 2,
      },
      promptCache: REPORTED,
    });
    expect(lookup("at-lab").price?.inputUsdPerMtok).toBe(9);
    expect(lookup("nowhere").price).toBeNull();
    expect(lookup("gpt-4o")).toHaveProperty("profile", "gpt-4o-2024-08-06");
    expect(lookup("gpt-4o").provider).toBe("azure");
  });
});

describe("A vendor's undated model name", () => {
  it.each([
    ["gpt-4o", "gpt-4o-2024-08-06"],
    ["gpt-3.5-turbo", "gpt-3.5-turbo-0125"],
    ["claude-3-5-sonnet", "claude-3-5-sonnet-20241022"],
    ["claude-3-opus-latest", "claude-3-opus-20240229"],
  ])("resolves: %s to %s", (name, dated) => {
    expect(lookup(name).profile).toBe(dated);
  });
});
