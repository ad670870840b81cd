import { describe, expect, it } from "vitest";
import { checkComparisons } from "../../src/compose/comparisons.js";
import { checkModels } from "../../src/compose/configuration.js";
import { SettingsError } from "../../src/foundation/errors.js";
import type { ComparisonEntry } from "../../src/gateway/settings.js";
import { deploymentOf, ListedDeployments, priceOf } from "../fakes/deployments.js";

const CATALOG = new ListedDeployments([
  deploymentOf("lab", "small", { price: priceOf(1, 2) }),
  deploymentOf("lab", "judge", { price: priceOf(1, 2) }),
  deploymentOf("lab", "free"),
]);

const check = (changes: Partial<ComparisonEntry>) =>
  checkComparisons(
    {
      comparisons: [
        { name: "c", with: "small", share: 0.1, max_usd_per_day: 1, judges: ["judge"], ...changes },
      ],
      presets: [{ name: "cheap", cost_weight: 0.5 }],
      autoCostWeight: 0.2,
    },
    CATALOG,
  );

describe("Comparisons of the settings", () => {
  it.each(["small", "auto", "auto:0.5", "auto:cheap"])("may be with %s", (other) => {
    expect(() => check({ with: other })).not.toThrow();
  });

  it.each([
    [
      "a model that is not known",
      { with: "none" },
      '`comparisons` has "none" in "c", for which no price is known.',
    ],
    ["one without a price, which no budget limits", { judges: ["free"] }, '`comparisons` has "free" in "c"'],
    [
      "an unknown preset",
      { with: "auto:none" },
      '`with` of the comparison "c" is "auto:none": There is no preset',
    ],
  ])("are refused: %s", (_, changes, message) => {
    expect(() => check(changes)).toThrow(SettingsError);
    expect(() => check(changes)).toThrow(message);
  });
});

it("Fallbacks and a baseline are models that are served, at a known price", () => {
  const settings = { comparisons: [], presets: [], autoCostWeight: 0.2, baselineModel: "small" };
  const checked = (changes: object) => () =>
    checkModels({ ...settings, fallbacks: { small: ["free"] }, ...changes }, CATALOG);
  expect(checked({})).not.toThrow();
  expect(checked({ baselineModel: "free" })).toThrow(
    '`baseline_model` is "free", for which no price is known',
  );
  expect(checked({ fallbacks: { small: ["free", "none"] } })).toThrow('`fallbacks` has "none" for "small"');
});
