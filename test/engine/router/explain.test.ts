/** Explanations over the shipped profiles: they must agree with what the router does. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRouterFromSettings } from "../../../src/engine/open-router.js";
import type { Router } from "../../../src/engine/router/router.js";
import { loadSettings } from "../../../src/gateway/settings/load-settings.js";

let router: Router;
beforeAll(async () => {
  const settings = loadSettings({}, { workingDirectory: "/nowhere" });
  ({ router } = await openRouterFromSettings(settings));
});
afterAll(() => router.close());

const request = (content: string) => ({ messages: [{ role: "user" as const, content }] });
const PROMPTS = [
  "What is the capital of France?",
  "Write a Python function that reverses a linked list, and prove that it ends.",
  "A train leaves at 9:14 and takes 3 h 52 min. When does it arrive?",
];

describe("an explanation", () => {
  it.each(PROMPTS)("gives the choice at every cost weight: %s", async (content) => {
    const { choices } = await router.explain(request(content));
    expect(choices[0]?.fromCostWeight).toBe(0);
    for (const costWeight of [0, 0.01, 0.1, 0.25, 0.5, 0.77, 1]) {
      const { selectedModel } = await router.route({ ...request(content), costWeight });
      const choice = choices.findLast(({ fromCostWeight }) => fromCostWeight <= costWeight);
      expect(choice?.model).toBe(selectedModel);
    }
    const costs = choices.slice(1).map(({ expectedCostUsd }) => expectedCostUsd ?? 0);
    expect(costs).toEqual(costs.toSorted((left, right) => right - left));
  });

  it("has the router's own decision, and the nearest profiled prompts, nearest first, with the models' scores on them", async () => {
    const asked = { ...request("Solve for x: 3x + 5 = 20"), costWeight: 0.4 };
    const { nearest, decision } = await router.explain(asked);
    const routed = await router.route({ ...asked, explain: true });
    expect({ ...decision, timingsMs: null }).toEqual({ ...routed, timingsMs: null });
    expect(nearest).toHaveLength(12);
    expect(nearest[0]?.similarity).toBeCloseTo(decision.nearestSimilarity, 5);
    const similarities = nearest.map(({ similarity }) => similarity);
    expect(similarities).toEqual(similarities.toSorted((left, right) => right - left));
    for (const { benchmark, ease, scores } of nearest) {
      expect(benchmark).toMatch(/^[a-z]/);
      expect(ease).toBeGreaterThan(0);
      expect(ease).toBeLessThan(1);
      for (const quality of scores.values()) expect(quality >= 0 && quality <= 1).toBe(true);
    }
    // Most profiled prompts were graded with models that nobody serves any more.
    expect(nearest.some(({ scores }) => scores.size > 0)).toBe(true);
  });
});

describe("A decision that is to be explained", () => {
  it("has the profiled prompts with most weight, and no text of theirs", async () => {
    const asked = { ...request("Solve for x: 3x + 5 = 20"), explain: true };
    const { anchors = [], nearestSimilarity, profileVersion } = await router.route(asked);
    expect(anchors).toHaveLength(12);
    const weights = anchors.map(({ weight }) => weight);
    expect(weights).toEqual(weights.toSorted((left, right) => right - left));
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(1);
    expect(Math.max(...anchors.map(({ similarity }) => similarity))).toBeCloseTo(nearestSimilarity, 5);
    for (const { id } of anchors) expect(id).toMatch(new RegExp(`^${profileVersion.split("@")[0]}/\\d+$`));
    expect(await router.route(request("hello"))).not.toHaveProperty("anchors");
  });

  it("is the decision without explanation, with what it rests on beside it", async () => {
    const asked = { ...request("Explain in 200 words why the sky is blue."), costWeight: 0.2 };
    const { anchors, prompt, meaning, candidates, ...explained } = await router.route({
      ...asked,
      explain: true,
    });
    const { candidates: plain, ...decision } = await router.route(asked);
    expect({ ...explained, timingsMs: null }).toEqual({ ...decision, timingsMs: null });
    expect(candidates.map(({ parts, ...candidate }) => candidate)).toEqual(plain);
    expect(prompt?.kinds).toContain("explain");
    expect(prompt?.askedTokens).toBeCloseTo(270);
    expect(prompt?.difficulty).toBeGreaterThan(0);
    expect(meaning).toEqual(router.meaningOf(0.2));
    expect(anchors).toHaveLength(12);
  });

  it.each([
    "Write a Python function that parses a CSV file, with tests.",
    "You are an agent with access to the repository. Fix the failing test in src/parse.ts of this project.",
  ])("has the parts that make up the expected length and cost of each candidate: %s", async (content) => {
    const asked = { ...request(content), costWeight: 0.2 };
    const { candidates, prompt } = await router.route({ ...asked, explain: true });
    const { candidates: ofTask } = await router.route({ ...asked, per: "task" });
    expect(candidates.length).toBeGreaterThan(50);
    for (const { model, parts, answerTokens, expectedCostUsd } of candidates) {
      if (parts === undefined || prompt === undefined) throw new Error(`${model} is not explained`);
      const { visibleTokens, hiddenTokens, lengthCorrection, billRatio, price } = parts;
      const length = lengthCorrection * (visibleTokens + hiddenTokens);
      expect(answerTokens.expected / length, model).toBeCloseTo(1, 6);
      const visible = (prompt.visibleTokens ?? 0) * parts.nearbyRatio * parts.modelRatio;
      expect(visibleTokens / visible, model).toBeCloseTo(1, 6);
      expect(hiddenTokens, model).toBeCloseTo(parts.hiddenTokensMedium * parts.difficultyFactor, 6);
      const { inputUsdPerMtok: input = 0, outputUsdPerMtok: output = 0 } = price ?? {};
      const { agentTask } = parts;
      expect(agentTask !== null, model).toBe(content.startsWith("You are an agent"));
      const answer = (billRatio * (input * prompt.tokens + output * length)) / 1e6;
      expect((expectedCostUsd ?? 0) / answer, model).toBeCloseTo(1, 6);
      const whole = ofTask.find((one) => one.model === model)?.expectedCostUsd;
      if (agentTask !== null) expect((whole ?? 0) / agentTask.usd, model).toBeCloseTo(1, 6);
    }
    const sources = new Set(candidates.map(({ parts }) => parts?.billSource));
    expect(sources).toEqual(new Set(["dollars", "tokens", "none"]));
  });
});

it("A task of an agent costs a model more the more it thinks", async () => {
  for (const model of ["claude-opus-5", "gpt-6.1-sol", "gpt-5.6-terra"]) {
    const models = ["low", "high", "max"].map((effort) => `${model}:${effort}`);
    const asked = request(
      "You are an agent with access to the repository. Fix the failing test of this project.",
    );
    const { candidates } = await router.route({ ...asked, models, explain: true });
    const [low = 0, high = 0, max = 0] = models.map(
      (id) => candidates.find((candidate) => candidate.model === id)?.parts?.agentTask?.usd,
    );
    // Public tables have 1 to 3 from low to high, and 2 to 4 from there to max.
    expect(high / low).toBeGreaterThan(1.3);
    expect(max / high).toBeGreaterThan(1.3);
    expect(max / low).toBeLessThan(12);
  }
});

it("The per-benchmark scores count every sample of every profile once, with means that agree with the profiles' own", () => {
  const benchmarkScores = router.benchmarkScores();
  expect(router.benchmarkScores()).toBe(benchmarkScores);
  for (const { model, samples, benchmarks, mean_quality: meanQuality } of router.profiles()) {
    const own = benchmarkScores.get(model) ?? [];
    const counts = Object.fromEntries(own.map((score) => [score.benchmark, score.samples]));
    expect(counts, model).toEqual(benchmarks);
    const sum = own.reduce((total, score) => total + score.samples * score.meanQuality, 0);
    if (samples > 0) expect(sum / samples, model).toBeCloseTo(meanQuality, 2);
  }
});
