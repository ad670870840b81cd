import { describe, expect, it } from "vitest";
import { allowedPlan, hostRules } from "../../../src/gateway/run/allowed-hosts.js";
import type { HostPreferences, ProviderPolicy } from "../../../src/gateway/run/host-preferences.js";
import { deploymentOf, ListedDeployments, priceOf } from "../../fakes/deployments.js";

const openai = deploymentOf("openai", "m", { price: priceOf(1, 4) });
const azure = deploymentOf("azure", "m", { price: priceOf(1, 5) });
const unpriced = deploymentOf("unpriced", "m");
const openrouter = deploymentOf("openrouter", "m", { price: priceOf(1, 4) });
const ALL = [openai, azure, unpriced, openrouter];
const PLAN = [{ name: "m", deployments: ALL }];

const POLICIES: Readonly<Record<string, ProviderPolicy>> = {
  azure: { region: "eu", data_collection: "deny", zdr: true },
};

const rulesOf = (asked: HostPreferences, policies = POLICIES) =>
  hostRules(asked, { catalog: new ListedDeployments(ALL), policies });
const allowed = (asked: HostPreferences) =>
  allowedPlan(PLAN, rulesOf(asked))[0]?.deployments.map(({ provider }) => provider);

describe("Providers that may answer", () => {
  it.each<[HostPreferences, readonly string[]]>([
    [{}, ["openai", "azure", "unpriced", "openrouter"]],
    [{ only: ["openai", "azure-ai"] }, ["openai", "azure"]],
    [{ ignore: ["openrouter", "azure"] }, ["openai", "unpriced"]],
    [{ only: ["azure/eu"] }, ["azure"]],
    [{ ignore: ["azure/us"] }, ["openai", "azure", "unpriced", "openrouter"]],
    [{ max_price: { completion: 4 } }, ["openai", "openrouter"]],
    [{ max_price: { prompt: "1" } }, ["openai", "azure", "openrouter"]],
    [{ data_collection: "deny" }, ["azure", "openrouter"]],
    [{ data_collection: "allow" }, ["openai", "azure", "unpriced", "openrouter"]],
    [{ zdr: true, ignore: ["openrouter"] }, ["azure"]],
    [{ quantizations: ["fp8"] }, ["openrouter"]],
    [{ enforce_distillable_text: true }, ["openrouter"]],
    [{ order: ["azure", "nowhere"], allow_fallbacks: false }, ["azure", "openrouter"]],
    [{ order: ["azure"] }, ["openai", "azure", "unpriced", "openrouter"]],
    [{ allow_fallbacks: false }, ["openai", "azure", "unpriced", "openrouter"]],
    // No provider of ours: OpenRouter may have it.
    [{ only: ["deepinfra"] }, ["openrouter"]],
    [{ only: ["openai", "deepinfra"] }, ["openai", "openrouter"]],
  ])("for %j", (asked, expected) => {
    expect(allowed(asked)).toEqual(expected);
  });

  it("are named with the reasons against them where there are none", () => {
    const refused = () => allowedPlan(PLAN, rulesOf({ only: ["azure/us"] }));
    expect(refused).toThrow(
      'No provider of "m" is allowed by `provider`. openai: `only` does not name it; azure:',
    );
    expect(refused).toThrow(
      expect.objectContaining({ status: 404, code: "provider_not_found", param: "provider" }),
    );
    const unpricedAlone = [{ name: "m", deployments: [unpriced] }];
    expect(() => allowedPlan(unpricedAlone, rulesOf({ max_price: { prompt: 9 } }))).toThrow(
      "price is not known",
    );
  });

  it("are none where `order` names none of them, and no other may answer", () => {
    const rules = rulesOf({ order: ["openai"], allow_fallbacks: false });
    expect(() => allowedPlan([{ name: "m", deployments: [azure] }], rules)).toThrow(
      "azure: `order` does not name it, and `allow_fallbacks` is false",
    );
  });

  it("leave fallbacks where the first model has none", () => {
    const plan = [{ name: "m", deployments: [azure] }, ...PLAN];
    expect(allowedPlan(plan, rulesOf({ only: ["openai"] }))).toEqual([{ name: "m", deployments: [openai] }]);
  });
});

describe("What OpenRouter is sent", () => {
  it("is what was asked, without the names of the gateway's own providers", () => {
    const asked = {
      order: ["azure", "deepinfra/fp8"],
      only: ["openrouter", "deepinfra"],
      ignore: ["openai", "openrouter"],
      ...({ sort: "latency", zdr: true, data_collection: null, allow_fallbacks: false } as const),
    };
    expect(rulesOf(asked).passedOn).toEqual({
      order: ["deepinfra/fp8"],
      only: ["deepinfra"],
      ignore: ["openai"],
      sort: "latency",
      zdr: true,
      allow_fallbacks: false,
    });
    expect(rulesOf({ only: ["openai"], order: [] }).passedOn).toEqual({});
  });

  it("takes the place of the names that are none of ours", () => {
    const { place } = rulesOf({ order: ["deepinfra", "openai"] });
    expect([openrouter, openai, azure].map(place)).toEqual([0, 1, Number.POSITIVE_INFINITY]);
  });
});
