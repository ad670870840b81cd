import { describe, expect, it } from "vitest";
import { type ErrorCode, SextantError } from "../../../../src/foundation/errors.js";
import { planNamed, planRanked } from "../../../../src/gateway/inference/planning/plan.js";
import { deploymentOf, ListedDeployments } from "../../../fakes/deployments.js";
import { errorThrownBy } from "../../../support/errors.js";

const CATALOG = new ListedDeployments([
  deploymentOf("openai", "gpt-4o"),
  deploymentOf("azure", "gpt-4o"),
  deploymentOf("azure", "gpt-4o-mini", { enabled: false }),
  deploymentOf("openai", "gpt-4o-mini"),
  deploymentOf("anthropic", "claude-sonnet", { enabled: false }),
  deploymentOf("bedrock", "claude-sonnet", { enabled: false }),
  deploymentOf("openrouter", "meta-llama/llama-3"),
  deploymentOf("lab", "support-bot"),
]);

const choice = (model: string, provider?: string) => ({ type: "named", model, provider }) as const;

const shown = (plan: ReturnType<typeof planNamed>) =>
  plan.map(({ name, deployments }) => `${name}: ${deployments.map(({ provider }) => provider).join(", ")}`);

const named = (model: string, provider?: string, fallbacks: readonly string[] = []) =>
  shown(planNamed(choice(model, provider), fallbacks, CATALOG));

const refusal = (work: () => unknown) => errorThrownBy(work, SextantError);

describe("The plan for a named model", () => {
  it("has every enabled provider, in the configured order", () => {
    expect(named("gpt-4o")).toEqual(["gpt-4o: openai, azure"]);
  });

  it("omits providers without credentials", () => {
    expect(named("gpt-4o-mini")).toEqual(["gpt-4o-mini: openai"]);
  });

  it("has one provider when the model name or the field names it", () => {
    expect(named("azure/gpt-4o")).toEqual(["azure/gpt-4o: azure"]);
    expect(named("gpt-4o", "azure")).toEqual(["gpt-4o: azure"]);
    expect(named("azure/gpt-4o", "azure")).toEqual(["azure/gpt-4o: azure"]);
  });

  it("accepts another name of a provider", () => {
    expect(named("gpt-4o", "azure-ai")).toEqual(["gpt-4o: azure"]);
    expect(named("openai/gpt-4o", "openai-ai")).toEqual(["openai/gpt-4o: openai"]);
  });

  it("uses the named provider for a model that is not listed there", () => {
    const open = new (class extends ListedDeployments {
      override deployments(name: string) {
        const listed = super.deployments(name);
        return listed.length > 0 || !name.startsWith("lab/") ? listed : [deploymentOf("lab", name)];
      }
    })([deploymentOf("openai", "gpt-4o"), deploymentOf("lab", "support-bot")]);
    const names = (model: string) => shown(planNamed(choice(model, "lab"), [], open));
    expect(names("gpt-9")).toEqual(["gpt-9: lab"]);
    expect(names("gpt-4o")).toEqual(["gpt-4o: lab"]);
    expect(names("support-bot")).toEqual(["support-bot: lab"]);
  });

  it("keeps a slash that belongs to the model's name", () => {
    expect(named("meta-llama/llama-3", "openrouter")).toEqual(["meta-llama/llama-3: openrouter"]);
  });

  it("has the fallbacks after the model, in order", () => {
    expect(named("gpt-4o", undefined, ["support-bot", "openai/gpt-4o-mini"])).toEqual([
      "gpt-4o: openai, azure",
      "support-bot: lab",
      "openai/gpt-4o-mini: openai",
    ]);
  });

  it("skips fallbacks that are known but not configured", () => {
    expect(named("gpt-4o", "openai", ["claude-sonnet", "support-bot"])).toEqual([
      "gpt-4o: openai",
      "support-bot: lab",
    ]);
  });

  it("starts with the fallbacks when the model itself is not configured", () => {
    expect(named("claude-sonnet", undefined, ["gpt-4o"])).toEqual(["gpt-4o: openai, azure"]);
  });
});

interface Refusal {
  readonly what: string;
  readonly refused: readonly [model: string, provider?: string | undefined, fallbacks?: readonly string[]];
  readonly code: ErrorCode;
  readonly param: string;
  readonly says: readonly string[];
}

const REFUSALS: readonly Refusal[] = [
  {
    what: "an unknown model, with the nearest one that can be run",
    refused: ["gpt-4o-mni"],
    code: "model_not_found",
    param: "model",
    says: ['"gpt-4o-mni"', 'Did you mean "gpt-4o-mini"?', "GET /v1/models"],
  },
  {
    what: "a name that reads like a member of every object",
    refused: ["constructor"],
    code: "model_not_found",
    param: "model",
    says: ['"constructor"'],
  },
  {
    what: "an unknown fallback, by its place",
    refused: ["gpt-4o", undefined, ["support-bot", "clade"]],
    code: "model_not_found",
    param: "fallbacks[1]",
    says: ["`fallbacks[1]`", '"clade"'],
  },
  {
    what: "an unknown provider, with the nearest one",
    refused: ["gpt-4o", "azur"],
    code: "provider_not_found",
    param: "provider",
    says: ['"azur"', 'Did you mean "azure"?'],
  },
  {
    what: "an unknown model at a known provider",
    refused: ["gpt-9", "openai"],
    code: "model_not_found",
    param: "model",
    says: ['"gpt-9"', "which the catalog does not know"],
  },
  {
    what: "a provider that contradicts the one in the model's name",
    refused: ["openai/gpt-4o", "azure"],
    code: "invalid_request",
    param: "provider",
    says: ['"openai"', '"azure"'],
  },
  {
    what: "a known model without a configured provider, with what would enable one",
    refused: ["claude-sonnet"],
    code: "no_provider_available",
    param: "model",
    says: ['"claude-sonnet"', "set ANTHROPIC_API_KEY (anthropic), or set BEDROCK_API_KEY (bedrock)"],
  },
  {
    what: "a provider without credentials, with what would enable that one",
    refused: ["gpt-4o-mini", "azure"],
    code: "no_provider_available",
    param: "model",
    says: ["set AZURE_API_KEY (azure)"],
  },
  {
    what: "a model and fallbacks of which nothing is configured",
    refused: ["claude-sonnet", undefined, ["anthropic/claude-sonnet"]],
    code: "no_provider_available",
    param: "model",
    says: ['"claude-sonnet"'],
  },
];

describe("A plan is refused for", () => {
  it.each(REFUSALS)("$what", ({ refused: [model, provider, fallbacks], code, param, says }) => {
    const error = refusal(() => planNamed(choice(model, provider), fallbacks ?? [], CATALOG));
    expect([error.code, error.param]).toEqual([code, param]);
    for (const words of says) expect(error.message).toContain(words);
  });

  it("an overlong name, without repeating it", () => {
    expect(refusal(() => named("x".repeat(100_000))).message.length).toBeLessThan(250);
  });
});

describe("The plan for ranked models", () => {
  it("has them best first, then the fallbacks", () => {
    const plan = planRanked(["gpt-4o-mini", "gpt-4o"], { fallbacks: ["support-bot"] }, CATALOG);
    expect(shown(plan)).toEqual(["gpt-4o-mini: openai", "gpt-4o: openai, azure", "support-bot: lab"]);
  });

  it("has only the deployments of the requested provider", () => {
    const plan = planRanked(["gpt-4o-mini", "gpt-4o"], { fallbacks: [], provider: "azure" }, CATALOG);
    expect(shown(plan)).toEqual(["gpt-4o: azure"]);
  });

  it("skips models that are no longer available", () => {
    expect(shown(planRanked(["gone", "claude-sonnet", "gpt-4o"], { fallbacks: [] }, CATALOG))).toEqual([
      "gpt-4o: openai, azure",
    ]);
  });

  it("is refused when nothing is left", () => {
    expect(refusal(() => planRanked(["claude-sonnet"], { fallbacks: [] }, CATALOG)).code).toBe(
      "no_provider_available",
    );
  });

  it("is refused for an unknown fallback", () => {
    expect(refusal(() => planRanked(["gpt-4o"], { fallbacks: ["gone"] }, CATALOG)).param).toBe(
      "fallbacks[0]",
    );
  });
});
