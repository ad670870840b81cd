import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../../src/engine/catalog/deployments/provider-entries.js";
import { configuredSummary, startSummary } from "../../../src/gateway/inference/configured-summary.js";

const LIVE = ["claude-haiku-4-5", "claude-opus-4-8", "gpt-5.4-nano", "gpt-5.5"];

function catalogOf(environment: Readonly<Record<string, string>>, sandbox = false) {
  const settings = { providers: [], deployments: [], prices: {} };
  const providers = resolveProviders({ ...settings, sandbox }, environment);
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
