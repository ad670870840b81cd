import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../../src/engine/catalog/deployments/provider-entries.js";
import { enablingEach } from "../../../src/gateway/inference/configured-summary.js";
import { planNamed } from "../../../src/gateway/inference/planning/plan.js";
import { runnable } from "../../../src/gateway/inference/runnable.js";

function catalogOf(environment: Readonly<Record<string, string>>) {
  const settings = { providers: [], deployments: [], prices: {} };
  const providers = resolveProviders({ ...settings, sandbox: false }, environment);
  return createCatalog(settings, { at: new Date("2026-11-22"), providers });
}

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

const CHOICE = { type: "named", model: "claude-sonnet-4-6", provider: undefined } as const;

describe("The refusal of a model without a configured provider", () => {
  it("says once what to set", () => {
    expect(() => planNamed(CHOICE, [], catalogOf({ OPENAI_API_KEY: "secret" }))).toThrow(
      'No configured provider serves the model "claude-sonnet-4-6". To enable one: set ANTHROPIC_API_KEY (anthropic), ' +
        "or set OPENROUTER_API_KEY (openrouter), or set `auth` in an entry of `providers`, as docs/providers.md says (vertex-anthropic). " +
        "Configured providers: openai (OPENAI_API_KEY).",
    );
    expect(() => planNamed(CHOICE, [], catalogOf({}))).toThrow(
      "(vertex-anthropic), or set SEXTANT_SANDBOX=true to try it without a key. No provider is configured.",
    );
  });
});
