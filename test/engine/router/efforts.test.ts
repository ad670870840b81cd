import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorSet } from "../../../src/engine/estimation/anchor-set.js";
import type { EffortDial, ModelFacts } from "../../../src/engine/router/candidate.js";
import type { Candidate, RouteRequest } from "../../../src/engine/router/decision.js";
import { effortReason } from "../../../src/engine/router/effort-reason.js";
import { createRouter, type Router } from "../../../src/engine/router/router.js";
import {
  factsAt,
  loadPlanted,
  type PlantedWorld,
  plantedEmbedder,
  plantWorld,
} from "../profiles/planted-set.js";
import { candidateOf } from "./candidate-of.js";

/** `none` by default. */
const dialOf = (model: string): EffortDial => ({
  variants: [
    { model, level: 0, hiddenTokens: 0 },
    { model: `${model}:low`, level: 0.45, hiddenTokens: 125 },
    { model: `${model}:medium`, level: 0.78, hiddenTokens: 285 },
    { model: `${model}:high`, level: 1, hiddenTokens: 800 },
    { model: `${model}:max`, level: 1.25, hiddenTokens: 2600 },
  ],
  byWord: {
    none: model,
    ...Object.fromEntries(["low", "medium", "high", "max"].map((word) => [word, `${model}:${word}`])),
    xhigh: `${model}:high`,
  },
});

const DIALS = new Map(["deep", "idle", "sure"].map((model) => [model, dialOf(model)]));
const lookup = (model: string): ModelFacts => {
  const efforts = DIALS.get(model);
  return { ...factsAt(1, 10), ...(efforts === undefined ? {} : { efforts }) };
};

let set: AnchorSet;
let world: PlantedWorld;

beforeAll(async () => {
  world = plantWorld(
    [
      // Thinking helps it.
      { model: "deep", skill: [0.3, 0.2], tokensOut: 100 },
      { model: "deep:high", skill: [0.65, 0.55], tokensOut: 900 },
      // Thinking does not.
      { model: "idle", skill: [0.8, 0.7], tokensOut: 100 },
      { model: "idle:high", skill: [0.6, 0.5], tokensOut: 900 },
      // It is right in any case.
      { model: "sure", skill: [0.98, 0.98], tokensOut: 100 },
      { model: "plain", skill: [0.6, 0.6], tokensOut: 100 },
    ],
    { prompts: 360, seed: 5 },
  );
  set = await loadPlanted(world);
});

const routerOf = (changes: Partial<AnchorSet> = {}): Router =>
  createRouter({
    embedder: plantedEmbedder(world),
    sets: [{ ...set, ...changes }],
    lookup,
    clock: () => 0,
  });

const SERVED = { candidates: "served" } as const;

const ask = (changes: Partial<RouteRequest> = {}): RouteRequest => ({
  messages: [{ role: "user", content: "topic 0" }],
  ...changes,
});

const named = (candidates: readonly Candidate[], model: string): Candidate => {
  const found = candidates.find((candidate) => candidate.model === model);
  if (found === undefined) throw new Error(`${model} is no candidate`);
  return found;
};

describe("An effort without a profile", () => {
  it("lies between the efforts that have one, in quality and in cost", async () => {
    const { candidates } = await routerOf(SERVED).route(ask());
    const rising = ["deep", "deep:low", "deep:medium", "deep:high"].map((model) => named(candidates, model));
    const qualities = rising.map(({ expectedQuality }) => expectedQuality);
    const costs = rising.map(({ expectedCostUsd }) => expectedCostUsd as number);
    for (const values of [qualities, costs]) {
      expect(values).toEqual(values.toSorted((a, b) => a - b));
      expect(new Set(values).size).toBe(4);
    }
    const low = named(candidates, "deep:low");
    expect(low.answerTokens.reasoning).toBeGreaterThan(0);
  });

  it("is not expected to be better than the highest one that has, costs more, and is less certain", async () => {
    const { candidates } = await routerOf(SERVED).route(ask({ models: ["deep:high", "deep:max"] }));
    const [high, max] = [named(candidates, "deep:high"), named(candidates, "deep:max")];
    expect(max.expectedQuality).toBeCloseTo(high.expectedQuality, 9);
    expect(max.qualityStderr).toBeGreaterThan(high.qualityStderr);
    expect(max.expectedCostUsd).toBeGreaterThan(high.expectedCostUsd as number);
    expect(max.answerTokens.reasoning).toBeCloseTo((high.answerTokens.reasoning * 2600) / 800);
    expect(max.basis).toBe("placed");
  });

  it("carries its effort, and a default one none", async () => {
    const { candidates } = await routerOf(SERVED).route(ask());
    const models = ["deep:low", "deep:high", "deep", "plain"];
    expect(models.map((model) => named(candidates, model).effort)).toEqual(["low", "high", null, null]);
  });

  it("is chosen from a set of measured models only where the request names it", async () => {
    const ids = async (request: RouteRequest) =>
      (await routerOf().route(request)).candidates.map(({ model }) => model).sort();
    expect(await ids(ask())).not.toContain("deep:low");
    expect(await ids(ask({ models: ["deep:low", "plain"] }))).toEqual(["deep:low", "plain"]);
  });
});

describe("The effort that a request names", () => {
  it("is the one that every model is judged at, under its plain id", async () => {
    const router = routerOf(SERVED);
    const free = (await router.route(ask())).candidates;
    const { candidates } = await router.route(ask({ effort: "high" }));
    expect(candidates.map(({ model }) => model).sort()).toEqual(["deep", "idle", "plain", "sure"]);
    const deep = named(candidates, "deep");
    expect(deep.effort).toBe("high");
    expect(deep.expectedQuality).toBeGreaterThan(named(free, "deep").expectedQuality);
    expect(deep.expectedCostUsd).toBe(named(free, "deep:high").expectedCostUsd);
    expect(named(candidates, "plain").effort).toBeNull();
  });

  it.each([
    ["is mapped to the nearest one that the model has", "xhigh", ["deep", "plain"], "deep", "high"],
    ["counts more than that of a named model", "low", ["deep:max", "plain"], "deep:max", "low"],
    ["changes nothing where no model knows it", "utmost", ["deep", "plain"], "deep", null],
  ])("%s: %s", async (_, effort, models, model, counted) => {
    const { candidates } = await routerOf(SERVED).route(ask({ effort, models }));
    const free = (await routerOf(SERVED).route(ask())).candidates;
    const same = counted === null ? "deep" : `deep:${counted}`;
    expect(named(candidates, model)).toMatchObject({
      effort: counted,
      expectedCostUsd: named(free, same).expectedCostUsd,
    });
  });
});

describe("A dominated effort", () => {
  it("is named with the effort that is no worse and costs no more", () => {
    const router = routerOf();
    const above = (model: string) =>
      ["low", "medium", "high", "max"].map((effort) => [`${model}:${effort}`, model]);
    // More thinking than was measured gains nothing that is known.
    const expected = [["deep:max", "deep:high"], ...above("idle"), ...above("sure")];
    expect([...router.dominatedEfforts()].sort()).toEqual(expected.sort());
    const dominated = router.profiles().filter(({ dominated_by: by }) => by !== null);
    expect(dominated).toMatchObject([{ model: "idle:high", dominated_by: "idle" }]);
  });

  it("is a candidate only where the other effort cannot be asked for, or where the request names it", async () => {
    const router = routerOf();
    const isCandidate = async (changes: Partial<RouteRequest>) =>
      (await router.route(ask(changes))).candidates.some(({ model }) => model === "idle:high");
    expect(await isCandidate({})).toBe(false);
    expect(router.liveModels()).not.toContain("idle:high");
    expect(await isCandidate({ canRun: (model) => model !== "idle" })).toBe(true);
    expect(await isCandidate({ models: ["idle:high", "plain"] })).toBe(true);
  });
});

describe("The reason of a decision", () => {
  it("says at which effort, and what another one of the model would change", async () => {
    const { selectedModel, reason } = await routerOf(SERVED).route(ask({ models: ["deep", "deep:high"] }));
    expect(selectedModel).toBe("deep:high");
    expect(reason).toMatch(
      /; effort high: default effort would be \d+\.\d+ points worse at 0\.\d+× the cost$/,
    );
    expect((await routerOf(SERVED).route(ask({ models: ["deep", "plain"] }))).reason).not.toMatch(/effort/);
  });

  it("never says that another effort is as good for less, nor what would refute the choice", () => {
    const selected = candidateOf("m:max", {
      effort: "max",
      expectedQuality: 0.870705,
      expectedCostUsd: 0.00175,
    });
    const reason = (expectedQuality: number, costWeight: number) => {
      const otherEffort = candidateOf("m", { expectedQuality, expectedCostUsd: 0.000114 });
      return effortReason({ selected, otherEffort }, costWeight);
    };
    expect(reason(0.870219, 0.1)).toBe(
      "; effort max: default effort would be 0.049 points worse at 0.065× the cost, and a point may cost up to $0.1",
    );
    expect([reason(0.870219, 0.2), reason(0.870705, 0.1)]).toEqual(["", ""]);
    const better = (costWeight: number) => {
      const low = candidateOf("m:low", { effort: "low", expectedQuality: 0.5, expectedCostUsd: 0.001 });
      const otherEffort = candidateOf("m", { expectedQuality: 0.84, expectedCostUsd: 0.009 });
      return effortReason({ selected: low, otherEffort }, costWeight);
    };
    // At 0 a point is worth any price: a tool loop or exploration kept the worse one.
    expect([better(0), better(0.9)]).toEqual(["", expect.stringContaining("34.0 points better at 9×")]);
  });
});
