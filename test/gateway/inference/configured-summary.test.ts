import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../../src/engine/catalog/deployments/provider-entries.js";
import {
  configuredSummary,
  enablingEach,
  startSummary,
} from "../../../src/gateway/inference/configured-summary.js";
import { planNamed } from "../../../src/gateway/inference/planning/plan.js";
import { runnable } from "../../../src/gateway/inference/runnable.js";

const LIVE = ["claude-haiku-4-5", "claude-opus-4-8", "gpt-5.4-nano", "gpt-5.5"];

function catalogOf(environment: Readonly<Record<string, string>>) {
  const settings = { providers: [], deployments: [], prices: {} };
  const providers = resolveProviders({ ...settings, sandbox: false }, environment);
  return createCatalog(settings, { at: new Date("2026-11-22"), providers });
}

const summary = (environment: Readonly<Record<string, string>>) =>
  startSummary(
    {
      liveModels: () => LIVE,
      modelCounts: (canRun) => {
        const runnable = LIVE.filter(canRun).length;
        return { profiled: 9, live: LIVE.length, runnable, candidates: runnable - 1 };
      },
    },
    catalogOf(environment),
  );

describe("The summary of the configuration", () => {
  it("lists the providers with their variables, the models from the cheapest on, and what would add more", () => {
    expect(summary({ ANTHROPIC_API_KEY: "secret" })).toBe(
      "Configured providers: anthropic (ANTHROPIC_API_KEY).\n" +
        "Requests can run on 2 of 9 profiled models and efforts, from claude-haiku-4-5 to claude-opus-4-8 by price " +
        "(5 are retired or no one serves them, 2 are not served by these providers).\n" +
        "A choice among all has 1 candidates: efforts that another effort of their model dominates are left out.\n" +
        "To add models, set OPENAI_API_KEY (openai), or set GEMINI_API_KEY (google), " +
        "or set TOGETHER_API_KEY (together), or set OPENROUTER_API_KEY (openrouter).",
    );
  });

  it("says that only decisions are possible while no provider is configured", () => {
    expect(summary({})).toContain(
      "No provider is configured.\nDecisions only, without execution: 4 of 9 profiled models and efforts, from gpt-5.4-nano to gpt-5.5 by price (5 are retired or no one serves them).\n" +
        "A choice among all has 3 candidates",
    );
    expect(summary({})).toContain("SEXTANT_SANDBOX=true");
  });

  it("says that `auto` is not offered where it could not choose", () => {
    expect(summary({ GROQ_API_KEY: "k" })).toContain("`auto` needs two models or more with a profile");
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
  expect(() => planNamed(choice, [], catalogOf({ OPENAI_API_KEY: "secret" }))).toThrow(
    'No configured provider serves the model "claude-sonnet-4-6". To enable one: set ANTHROPIC_API_KEY (anthropic), ' +
      "or set OPENROUTER_API_KEY (openrouter), or set `auth` in an entry of `providers`, as docs/providers.md says (vertex-anthropic). " +
      "Configured providers: openai (OPENAI_API_KEY).",
  );
  expect(() => planNamed(choice, [], catalogOf({}))).toThrow(
    "(vertex-anthropic), or set SEXTANT_SANDBOX=true to try it without a key. No provider is configured.",
  );
});
