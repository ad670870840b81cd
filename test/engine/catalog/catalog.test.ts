/** The facts of models that decisions are made by. */
import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../src/engine/catalog/catalog.js";
import type { CatalogSettings } from "../../../src/engine/catalog/entries.js";
import { listModels } from "../../../src/engine/catalog/model-list.js";
import { catalogOf, lab } from "./catalog-of.js";

const catalog = (settings: Partial<CatalogSettings> = {}, at = "2026-01-15T12:00:00Z") =>
  createCatalog({ providers: [], deployments: [], prices: {}, ...settings }, { at: new Date(at) });
const lookup = (model: string) => catalog().lookup(model);
const usd = (input_usd_per_mtok: number, output_usd_per_mtok: number) => ({
  input_usd_per_mtok,
  output_usd_per_mtok,
});

describe("A well-known model in the catalog", () => {
  it("has a provider, a price, a context window and capabilities", () => {
    expect(lookup("gpt-4o-mini")).toEqual({
      provider: "openai",
      price: expect.objectContaining({
        inputUsdPerMtok: 0.15,
        cachedInputUsdPerMtok: 0.075,
        cacheWriteUsdPerMtok: null,
        outputUsdPerMtok: 0.6,
      }),
      promptCache: { mode: "automatic", minimumTokens: 1024, stepTokens: 128, lifetimeMs: 300_000 },
      contextTokens: 128_000,
      capabilities: { images: true, tools: true },
    });
    expect(lookup("llama-3.1-70b-instruct")).toMatchObject({
      provider: "openrouter",
      contextTokens: 131_072,
    });
  });

  it.each([
    ["openai/gpt-4o-mini", "gpt-4o-mini", "gpt-4o-mini"],
    ["claude-3-7-sonnet-20250219", "claude-3-7-sonnet", "claude-3-7-sonnet"],
    ["gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-2024-08-06"],
    ["claude-3-opus-latest", "claude-3-opus-20240229", "claude-3-opus-20240229"],
  ])("is found as %s too, with the price of %s and its profile", (name, model, profile) => {
    expect(lookup(name)).toMatchObject({ profile, price: lookup(model).price });
  });

  it("is never confused with a similar one", () => {
    const inputOf = (model: string) => lookup(model).price?.inputUsdPerMtok;
    expect(inputOf("deepseek-r1-distill-llama-70b")).not.toBe(inputOf("deepseek-r1"));
    expect([inputOf("gpt-4o-2024-05-13"), inputOf("gpt-4o-2024-08-06")]).toEqual([5, 2.5]);
  });

  it("costs the same at each effort, under an id of its own", () => {
    const withoutEfforts = ({ efforts: _, ...facts }: ReturnType<typeof lookup>) => facts;
    expect(lookup("claude-3-7-sonnet:thinking-4k")).toEqual(withoutEfforts(lookup("claude-3-7-sonnet")));
    expect(lookup("o4-mini:high")).toEqual(withoutEfforts(lookup("o4-mini")));
  });
});

it("An unknown model in the catalog has only null facts", () => {
  const capabilities = { images: null, tools: null };
  expect(lookup("my-private-model")).toEqual({
    provider: null,
    price: null,
    contextTokens: null,
    capabilities,
  });
});

describe("A model at a named provider", () => {
  const environment = { OPENAI_API_KEY: "key", OPENROUTER_API_KEY: "key" };

  it("has that provider's price and context window, whichever provider would be called first", () => {
    const providers = [lab([{ id: "gpt-4o", price: usd(7, 9), context_tokens: 7000 }])];
    const { lookup: first, factsAt } = catalogOf({ providers, environment });
    const atLab = { provider: "lab", price: { inputUsdPerMtok: 7 }, contextTokens: 7000 };
    const atOpenAi = { provider: "openai", price: { inputUsdPerMtok: 2.5 }, contextTokens: 128_000 };
    expect(first("gpt-4o")).toMatchObject(atLab);
    expect(factsAt("gpt-4o", "lab")).toMatchObject(atLab);
    expect(factsAt("gpt-4o", "openai")).toMatchObject(atOpenAi);
    expect(factsAt("gpt-4o", "openai")).toBe(factsAt("gpt-4o", "openai"));
  });

  it("has the price that the settings give the model there", () => {
    const prices = { "openrouter/gpt-4o": usd(4, 5) };
    const { lookup: first, factsAt } = catalogOf({ prices, environment });
    expect(factsAt("gpt-4o", "openrouter").price).toMatchObject({ inputUsdPerMtok: 4, outputUsdPerMtok: 5 });
    expect(first("gpt-4o").price?.inputUsdPerMtok).toBe(2.5);
  });
});

it("A price that changes at midnight changes for decisions and for charges, and with it the epoch", () => {
  let now = Date.parse("2026-11-30T23:59:59.999Z");
  const { lookup, factsAt, deployments, epoch } = catalogOf({
    environment: { GEMINI_API_KEY: "k" },
    now: () => now,
  });
  const model = "gemini-4-argon";
  const of = () => [
    lookup(model).price?.inputUsdPerMtok,
    factsAt(model, "google").price?.outputUsdPerMtok,
    deployments(model)[0]?.price?.cachedInputUsdPerMtok,
  ];
  const [before, facts] = [epoch(), lookup(model)];
  expect([of(), lookup(model) === facts, epoch()]).toEqual([[2, 10, 0.1], true, before]);
  now++;
  expect([of(), epoch()]).toEqual([[4, 20, 0.2], before + 1]);
});

describe("Configured providers in the catalog", () => {
  const providers = [
    lab([{ id: "gpt-4o-mini", upstream_model: "x", context_tokens: 1000 }]),
    lab([{ id: "private", context_tokens: 5 }], { id: "other", type: "anthropic" }),
  ];
  const capabilities = { images: true, tools: true };

  it("have the capabilities of the public list, their own context, and the prompt cache of unknown rules", () => {
    const { lookup } = catalog({ providers });
    // What its replies report.
    const promptCache = { mode: "on_request", minimumTokens: 0, stepTokens: 1, lifetimeMs: 300_000 };
    const expected = { provider: "lab", contextTokens: 1000, capabilities, promptCache };
    expect(lookup("gpt-4o-mini")).toMatchObject(expected);
    expect(lookup("other/private")).toMatchObject({
      provider: "other",
      profile: "private",
      contextTokens: 5,
    });
  });

  it("share their profile's context and capabilities with a deployment, at its own provider and price", () => {
    const bot = { provider: "lab", profile: "gpt-4o-mini" };
    const { lookup } = catalog({
      providers,
      deployments: [
        { ...bot, name: "support-bot", upstream_model: "y", price: usd(1, 2) },
        { ...bot, name: "nowhere", provider: "unheard-of" },
        { name: "gpt-4o", provider: "azure" },
      ],
    });
    const price = { inputUsdPerMtok: 1, cachedInputUsdPerMtok: null, outputUsdPerMtok: 2 };
    expect(lookup("support-bot")).toMatchObject({ ...bot, price, contextTokens: 1000, capabilities });
    expect(lookup("nowhere").price).toBeNull();
    expect(lookup("gpt-4o")).toMatchObject({ provider: "azure", profile: "gpt-4o-2024-08-06" });
  });
});

it("The list of models says for each whence and of which day its facts are", () => {
  const rows = listModels(catalogOf(), [], new Map());
  const sourced = rows.filter(({ source }) => source !== null);
  expect(sourced.length).toBeGreaterThan(rows.length / 2);
  expect(sourced.find(({ id }) => id === "gpt-5.4-mini")?.asOf).toMatch(/^20\d\d-\d\d-\d\d$/);
});
