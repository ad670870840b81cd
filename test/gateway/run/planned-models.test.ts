import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import { planNamed, planRanked } from "../../../src/gateway/run/planned-models.js";
import { deploymentOf, ListedDeployments } from "../../fakes/deployments.js";
import { errorThrownBy } from "../../support/errors.js";

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
  shown(planNamed(choice(model, provider), fallbacks, { catalog: CATALOG }));

const refusal = (work: () => unknown) => errorThrownBy(work, SextantError);

describe("The plan for a named model", () => {
  it.each<[string, Asked, readonly string[]]>([
    ["every enabled provider, in the configured order", ["gpt-4o"], ["gpt-4o: openai, azure"]],
    ["none without credentials", ["gpt-4o-mini"], ["gpt-4o-mini: openai"]],
    ["the provider that its name has", ["azure/gpt-4o"], ["azure/gpt-4o: azure"]],
    ["the provider of the field", ["gpt-4o", "azure"], ["gpt-4o: azure"]],
    ["the provider of both", ["azure/gpt-4o", "azure"], ["azure/gpt-4o: azure"]],
    ["a provider by another name of it", ["gpt-4o", "azure-ai"], ["gpt-4o: azure"]],
    ["both names of a provider", ["openai/gpt-4o", "openai-ai"], ["openai/gpt-4o: openai"]],
    ["a name that has a slash", ["meta-llama/llama-3", "openrouter"], ["meta-llama/llama-3: openrouter"]],
    [
      "the fallbacks after the model, in order",
      ["gpt-4o", undefined, ["support-bot", "openai/gpt-4o-mini"]],
      ["gpt-4o: openai, azure", "support-bot: lab", "openai/gpt-4o-mini: openai"],
    ],
    [
      "no fallbacks that are known but not configured",
      ["gpt-4o", "openai", ["claude-sonnet", "support-bot"]],
      ["gpt-4o: openai", "support-bot: lab"],
    ],
    [
      "the fallbacks alone where the model itself is not configured",
      ["claude-sonnet", undefined, ["gpt-4o"]],
      ["gpt-4o: openai, azure"],
    ],
  ])("has %s", (_, asked, plan) => {
    expect(named(...asked)).toEqual(plan);
  });

  it("uses the named provider for a model that is not listed there", () => {
    const open = new (class extends ListedDeployments {
      override deployments(name: string) {
        const listed = super.deployments(name);
        return listed.length > 0 || !name.startsWith("lab/") ? listed : [deploymentOf("lab", name)];
      }
    })([deploymentOf("openai", "gpt-4o"), deploymentOf("lab", "support-bot")]);
    const names = (model: string) => shown(planNamed(choice(model, "lab"), [], { catalog: open }));
    expect(names("gpt-9")).toEqual(["gpt-9: lab"]);
    expect(names("gpt-4o")).toEqual(["gpt-4o: lab"]);
    expect(names("support-bot")).toEqual(["support-bot: lab"]);
  });
});

type Asked = readonly [model: string, provider?: string | undefined, fallbacks?: readonly string[]];

describe("A plan is refused with code and field for", () => {
  const REMEDY = "set ANTHROPIC_API_KEY (anthropic), or set BEDROCK_API_KEY (bedrock)";
  it.each<[string, Asked, says: string]>([
    ["model_not_found model", ["gpt-4o-mni"], 'Did you mean "gpt-4o-mini"?'],
    ["model_not_found model", ["gpt-4o-mni"], "GET /v1/models"],
    ["model_not_found model", ["gpt-9"], "called with its provider, as provider/model"],
    ["model_not_found model", ["constructor"], '"constructor"'],
    ["model_not_found model", ["gpt-9", "openai"], "which the catalog does not know"],
    ["model_not_found fallbacks[1]", ["gpt-4o", undefined, ["support-bot", "clade"]], '"clade"'],
    ["provider_not_found provider", ["gpt-4o", "azur"], 'Did you mean "azure"?'],
    ["invalid_request provider", ["openai/gpt-4o", "azure"], '"azure"'],
    ["no_provider_available model", ["claude-sonnet"], REMEDY],
    ["no_provider_available model", ["gpt-4o-mini", "azure"], "set AZURE_API_KEY (azure)"],
    ["no_provider_available model", ["claude-sonnet", undefined, ["anthropic/claude-sonnet"]], "claude"],
  ])("%s: %j", (codeAndField, [model, provider, fallbacks], says) => {
    const error = refusal(() => planNamed(choice(model, provider), fallbacks ?? [], { catalog: CATALOG }));
    expect(`${error.code} ${error.param}`).toBe(codeAndField);
    expect(error.message).toContain(says);
  });

  it("an overlong name, without repeating it", () => {
    expect(refusal(() => named("x".repeat(100_000))).message.length).toBeLessThan(300);
  });
});

describe("The plan for ranked models", () => {
  it("has them best first, then the fallbacks", () => {
    const plan = planRanked(["gpt-4o-mini", "gpt-4o"], { fallbacks: ["support-bot"] }, { catalog: CATALOG });
    expect(shown(plan)).toEqual(["gpt-4o-mini: openai", "gpt-4o: openai, azure", "support-bot: lab"]);
  });

  it("has only the deployments of the requested provider", () => {
    const plan = planRanked(
      ["gpt-4o-mini", "gpt-4o"],
      { fallbacks: [], provider: "azure" },
      { catalog: CATALOG },
    );
    expect(shown(plan)).toEqual(["gpt-4o: azure"]);
  });

  it("skips models that are no longer available", () => {
    expect(
      shown(planRanked(["gone", "claude-sonnet", "gpt-4o"], { fallbacks: [] }, { catalog: CATALOG })),
    ).toEqual(["gpt-4o: openai, azure"]);
  });

  it("is refused when nothing is left", () => {
    expect(refusal(() => planRanked(["claude-sonnet"], { fallbacks: [] }, { catalog: CATALOG })).code).toBe(
      "no_provider_available",
    );
  });
});
