import { describe, expect, it } from "vitest";
import { type CatalogWorld, catalogOf as catalogAt, lab } from "../catalog-of.js";

const catalogOf = (world: CatalogWorld = {}) => catalogAt({ at: new Date("2026-11-22T08:00:00Z"), ...world });

describe("A model in the catalog", () => {
  it.each(["gpt-5.4", "gpt-5.4:xhigh", "claude-opus-4.5", "gpt-oss-120b"])(
    "is available when served: %s",
    (model) => {
      expect(catalogOf().unavailability(model)).toBeNull();
    },
  );

  it.each([
    ["o1-preview", "2025-07-28"],
    ["gemini-1.5-pro", "2025-09-29"],
    ["claude-3-7-sonnet:thinking", "2026-02-19"],
    ["o4-mini:high", "2026-10-23"],
  ])("is retired, with its maker's date, when every vendor has closed it: %s", (model, retiredAt) => {
    expect(catalogOf().unavailability(model)).toEqual({ reason: "retired", retiredAt });
  });

  it("is available after its maker closed it, while a host runs its weights", () => {
    expect(catalogOf().unavailability("mistral-large-2407")).toBeNull();
  });

  it("is not served when no provider runs it, but for the sandbox, which stands in for others", () => {
    expect(catalogOf().unavailability("athene-70b")).toEqual({ reason: "not_served" });
    expect(catalogOf({ sandbox: true }).isServed("sandbox/athene-70b")).toBe(false);
  });

  it("counts as available when the catalog does not know it, so that private profiles stay usable", () => {
    expect(catalogOf().unavailability("my-private-model")).toBeNull();
  });

  it("is available when a provider of the settings lists it, or may run it at an address of its own", () => {
    expect(catalogOf({ providers: [lab([{ id: "o1-preview" }])] }).unavailability("o1-preview")).toBeNull();
    const environment = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://localhost:9/v1" };
    expect(catalogOf({ environment }).unavailability("o1-preview")).toBeNull();
    const deployments = [{ name: "bot", provider: "openai", profile: "o1-preview" }];
    expect(catalogOf({ deployments }).unavailability("bot")).toBeNull();
  });

  it("becomes unavailable on the date of its retirement, without a restart", () => {
    let now = Date.parse("2026-11-30T23:59:59Z");
    const catalog = catalogOf({ now: () => now });
    const before = catalog.epoch();
    expect(catalog.unavailability("gemini-2.5-pro")).toBeNull();
    expect(catalog.epoch()).toBe(before);
    now = Date.parse("2026-12-01");
    expect(catalog.epoch()).not.toBe(before);
    expect(catalog.unavailability("gemini-2.5-pro")).toEqual({ reason: "retired", retiredAt: "2026-12-01" });
  });
});

it.each([
  ["OPENAI_API_KEY", "openai", 5],
  ["ANTHROPIC_API_KEY", "anthropic", 5],
  ["GEMINI_API_KEY", "google", 5],
  ["GOOGLE_API_KEY", "google", 5],
  ["OPENROUTER_API_KEY", "openrouter", 5],
  ["TOGETHER_API_KEY", "together", 5],
  ["MISTRAL_API_KEY", "mistral", 2],
  ["DEEPSEEK_API_KEY", "deepseek", 2],
  ["XAI_API_KEY", "x-ai", 2],
  ["GROQ_API_KEY", "groq", 2],
  ["FIREWORKS_API_KEY", "fireworks", 2],
])("The key %s alone enables %s, with at least %i priced models", (variable, provider, least) => {
  const catalog = catalogOf({ environment: { [variable]: "k" } });
  const enabled = catalog.providers().filter((one) => one.enabled);
  expect(enabled.map(({ id }) => id)).toEqual([provider]);
  const priced = catalog.runnableModels().filter((model) => catalog.lookup(model).price !== null);
  expect(priced.length).toBeGreaterThanOrEqual(least);
});
