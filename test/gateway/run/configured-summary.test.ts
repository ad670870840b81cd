import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../../src/engine/catalog/deployments/provider-entries.js";
import {
  configuredSummary,
  enablingEach,
  providersSentence,
} from "../../../src/gateway/run/configured-summary.js";
import { planNamed } from "../../../src/gateway/run/planned-models.js";
import { runnable } from "../../../src/gateway/run/runnable.js";

function catalogOf(environment: Readonly<Record<string, string>>) {
  const settings = { providers: [], deployments: [], prices: {} };
  const providers = resolveProviders({ ...settings, sandbox: false }, environment);
  return createCatalog(settings, { at: new Date("2026-11-22"), providers });
}

describe("The providers at the start of a server", () => {
  it("are named with the variables that configure them, never with their values", () => {
    expect(providersSentence(catalogOf({ ANTHROPIC_API_KEY: "secret" }))).toBe(
      "anthropic (ANTHROPIC_API_KEY).",
    );
  });

  it("are what to configure while there is none", () => {
    expect(providersSentence(catalogOf({}))).toBe(
      "none yet: requests are routed, not answered. Put OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, TOGETHER_API_KEY, OPENROUTER_API_KEY " +
        "or another key into .env (no restart; docs/providers.md lists all), or start with SEXTANT_SANDBOX=true for placeholder answers.",
    );
  });
});

it("The refusal without a configured provider has the same summary in sentences, without any key", () => {
  const text = configuredSummary(catalogOf({ GOOGLE_API_KEY: "secret" }));
  expect(text).toContain("Configured providers: google (GOOGLE_API_KEY). To add models, set OPENAI_API_KEY");
  expect(text).not.toContain("secret");
});

describe("Models that no configured provider serves", () => {
  const catalog = catalogOf({ OPENAI_API_KEY: "secret" });

  it("are named with the key that enables the first provider of each", () => {
    expect(runnable(catalog).howToRun?.(["claude-sonnet-4-6", "gemini-2.5-flash"])).toBe(
      "To use the others, set ANTHROPIC_API_KEY for claude-sonnet-4-6, or set GEMINI_API_KEY for gemini-2.5-flash.",
    );
  });

  it("are counted beyond the first three of a provider", () => {
    const many = ["claude-opus-4-8", "claude-sonnet-4-6", "claude-haiku-4-5", "claude-opus-4-5"];
    expect(enablingEach(many, catalog)).toBe(
      "To use the others, set ANTHROPIC_API_KEY for claude-opus-4-8, claude-sonnet-4-6, claude-haiku-4-5 and 1 more.",
    );
  });

  it("are to be replaced when no known provider serves them", () => {
    expect(enablingEach(["our-own-weights"], catalog)).toBe("Name models that a configured provider serves.");
  });

  it("are to be ones of the provider where a request asks for one", () => {
    expect(runnable(catalog, "openai").howToRun?.(["claude-sonnet-4-6"])).toBe(
      "Name models that the provider openai serves, or leave `provider` out.",
    );
  });
});

it("The refusal of a model without a configured provider says once what to set", () => {
  const choice = { type: "named", model: "claude-sonnet-4-6", provider: undefined } as const;
  expect(() => planNamed(choice, [], { catalog: catalogOf({ OPENAI_API_KEY: "secret" }) })).toThrow(
    'No configured provider serves the model "claude-sonnet-4-6". To enable one: set ANTHROPIC_API_KEY (anthropic), ' +
      "or set OPENROUTER_API_KEY (openrouter), or set `auth` in an entry of `providers`, as docs/providers.md says (vertex-anthropic). " +
      "Configured providers: openai (OPENAI_API_KEY).",
  );
  expect(() => planNamed(choice, [], { catalog: catalogOf({}) })).toThrow(
    "(vertex-anthropic), or set SEXTANT_SANDBOX=true to try it without a key. No provider is configured.",
  );
});
