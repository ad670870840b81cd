import { expect, it } from "vitest";
import type { ModelFacts } from "../../../src/engine/router/candidate.js";
import { exampleChoice } from "../../../src/gateway/run/example-choice.js";

const lookup = (model: string): ModelFacts => ({
  provider: "acme",
  price: model.startsWith("free") ? null : { inputUsdPerMtok: 1, outputUsdPerMtok: 2 },
  contextTokens: null,
  capabilities: { images: null, tools: null },
});

it.each([
  [
    "well-known models where all of them can be chosen",
    ["a", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-5.5"],
    { models: ["gpt-5.5", "gpt-5.4-mini", "gpt-5.4-nano"], costWeight: 0.3 },
  ],
  [
    "otherwise the first three with a price, effort variants last",
    ["a", "a:high", "free", "b", "gpt-5.5"],
    { models: ["a", "b", "gpt-5.5"], costWeight: 0.3 },
  ],
  ["two where there are two", ["a", "a:high", "free"], { models: ["a", "a:high"], costWeight: 0.3 }],
  [
    "without a weight of the cost where prices are unknown",
    ["a", "free-1", "free-2", "free-3"],
    { models: ["a", "free-1", "free-2"], costWeight: 0 },
  ],
  ["nothing where nothing can be decided", ["a"], null],
])("The example names %s", (_, models, choice) => {
  for (const isRunnable of [true, false]) {
    expect(exampleChoice(models, { lookup, isRunnable, costWeight: 0.3 })).toEqual(
      choice && { ...choice, isRunnable },
    );
  }
});
