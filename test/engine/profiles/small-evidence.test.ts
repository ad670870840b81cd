/** What a set of a few hundred prompts lets the router expect. */
import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorSet } from "../../../src/engine/estimation/anchor-set.js";
import type { Decision } from "../../../src/engine/router/decision.js";
import { createRouter, type Router } from "../../../src/engine/router/router.js";
import {
  evidenceAt,
  factsAt,
  loadPlanted,
  type PlantedModel,
  type PlantedWorld,
  plantedEmbedder,
  plantedVector,
  plantWorld,
} from "./planted-set.js";

const TOPICS = [0, 1, 2, 3, 4, 5];
const NEW_PROMPTS = Array.from({ length: 12 }, (_, prompt) => prompt);

interface Built {
  readonly world: PlantedWorld;
  readonly set: AnchorSet;
}

async function build(models: readonly PlantedModel[], seed: number): Promise<Built> {
  const world = plantWorld(models, { prompts: 240, seed });
  return { world, set: await loadPlanted(world) };
}

/** @param prices dollars per million tokens of prompt, by model */
const routerOver = (built: readonly Built[], prices: Readonly<Record<string, number>>): Router =>
  createRouter({
    embedder: plantedEmbedder((built[0] as Built).world),
    sets: built.map(({ set }, index) => ({ ...set, name: `set-${index}` })),
    lookup: (model) => factsAt(prices[model]),
    clock: () => 0,
  });

const ask = (router: Router, content: string, costWeight = 0): Promise<Decision> =>
  router.route({ messages: [{ role: "user", content }], costWeight });

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

interface Told {
  readonly planted: number;
  readonly measured: number;
  /** Means over new prompts of the topic. */
  readonly predicted: number;
  readonly error: number;
}

describe("A set of 240 prompts in six topics and four models", () => {
  const MODELS: readonly PlantedModel[] = [
    { model: "alder", skill: [0.9, 0.3, 0.9, 0.3, 0.9, 0.3] },
    { model: "birch", skill: [0.3, 0.9, 0.3, 0.9, 0.3, 0.9] },
    { model: "cedar", skill: [0.6, 0.6, 0.6, 0.6, 0.6, 0.6] },
    { model: "dogwood", skill: [0.9, 0.9, 0.3, 0.3, 0.9, 0.9] },
  ];
  let told: readonly Told[];
  beforeAll(async () => {
    const sets = await Promise.all([1, 2, 3, 4, 5].map((seed) => build(MODELS, seed)));
    told = sets.flatMap(({ world, set }) =>
      TOPICS.flatMap((topic) => {
        const evidence = NEW_PROMPTS.map((prompt) =>
          evidenceAt(set, plantedVector(world, `topic ${topic}, prompt ${prompt}`)),
        );
        return MODELS.map(({ model, skill }): Told => {
          const column = set.models.indexOf(model);
          const scores = world.table.models.find((one) => one.model === model)?.quality ?? [];
          return {
            planted: skill[topic] as number,
            measured: meanOf([...scores].filter((_, prompt) => prompt % TOPICS.length === topic)),
            predicted: meanOf(evidence.map(({ quality }) => quality[column] as number)),
            error: meanOf(evidence.map(({ stderr }) => stderr[column] as number)),
          };
        });
      }),
    );
  });

  it("predicts for new prompts of a topic what was measured there, not the overall mean", () => {
    for (const planted of [0.3, 0.6, 0.9]) {
      const alike = told.filter((prediction) => prediction.planted === planted);
      const bias = meanOf(alike.map(({ predicted, measured }) => predicted - measured));
      expect(Math.abs(bias)).toBeLessThan(0.07);
    }
    expect(meanOf(told.map(({ predicted, measured }) => Math.abs(predicted - measured)))).toBeLessThan(0.05);
  });

  it("has standard errors that cover its deviations from the planted values, and that are informative", () => {
    const within = (errors: number) =>
      meanOf(
        told.map(({ predicted, planted, error }) => Number(Math.abs(predicted - planted) <= errors * error)),
      );
    expect(within(2)).toBeGreaterThan(0.9);
    expect(within(1)).toBeGreaterThan(0.55);
    expect(meanOf(told.map(({ error }) => error))).toBeLessThan(0.11);
  });
});

describe("A model with ten perfect outcomes and no price", () => {
  const all = (chance: number) => TOPICS.map(() => chance);
  const MODELS: readonly PlantedModel[] = [
    { model: "veteran", skill: all(0.97), scoredFirst: 150, tokensOut: 300 },
    { model: "newcomer", skill: all(1), scoredFirst: 10, tokensOut: 300 },
    { model: "middling", skill: all(0.7), tokensOut: 300 },
    { model: "weak", skill: all(0.5), tokensOut: 300 },
  ];

  it("has a larger error than one with 150 outcomes at 97 %, and is not chosen at any cost weight", async () => {
    const router = routerOver([await build(MODELS, 1)], { veteran: 2.5, middling: 0.5, weak: 0.1 });
    for (const topic of TOPICS) {
      const decisions = [0, 0.01, 0.5, 1].map((costWeight) =>
        ask(router, `topic ${topic}, prompt 1`, costWeight),
      );
      const [decision, ...weighed] = await Promise.all(decisions);
      for (const { selectedModel } of weighed) expect(selectedModel).not.toBe("newcomer");
      expect(decision?.selectedModel).not.toBe("newcomer");
      const [newcomer = 0, veteran = 0] = ["newcomer", "veteran"].map(
        (name) => decision?.candidates.find(({ model }) => model === name)?.qualityStderr,
      );
      expect(newcomer).toBeGreaterThan(1.4 * veteran);
    }
  });
});

describe("A prompt far from every anchor", () => {
  const MODELS: readonly PlantedModel[] = [
    { model: "expensive", skill: [0.9, 0.85, 0.9, 0.85, 0.9, 0.9], tokensOut: 300 },
    { model: "moderate", skill: [0.85, 0.85, 0.85, 0.85, 0.85, 0.85], tokensOut: 300 },
    { model: "cheap", skill: [0.8, 0.85, 0.8, 0.85, 0.8, 0.8], tokensOut: 300 },
    { model: "poor", skill: [0.3, 0.3, 0.3, 0.3, 0.3, 0.3], tokensOut: 300 },
  ];
  const FAR = ["far 1", "far 2", "far 3"];
  let router: Router;
  beforeAll(async () => {
    router = routerOver([await build(MODELS, 1)], { expensive: 5, moderate: 1, cheap: 0.12, poor: 0.1 });
  });

  it.each([
    [0.2, ["moderate", "cheap", "expensive"]],
    [0.5, ["moderate", "cheap"]],
    [0.8, ["moderate", "cheap"]],
  ])("is reported as such, and gets at a cost weight of %d one of %j", async (costWeight, sensible) => {
    for (const far of FAR) {
      const { reason, selectedModel } = await ask(router, far, costWeight);
      expect(reason).toMatch(/no evidence near this prompt$/);
      expect(sensible).toContain(selectedModel);
    }
    expect((await ask(router, "topic 2, prompt 1", costWeight)).reason).not.toMatch(/no evidence/);
  });
});

it("Two sets used together do not rank a weak model of easy prompts above a strong one of hard prompts", async () => {
  const easy = [0.9, 0.85, 0.8, 0.85, 0.9, 0.85];
  const hard = easy.map((chance) => chance - 0.45);
  const scaled = (chances: readonly number[], by: number) => chances.map((chance) => chance * by);
  const bridges = (chances: readonly number[]) =>
    ["bridge-a", "bridge-b", "bridge-c"].map((model) => ({ model, skill: scaled(chances, 0.9) }));
  const sets = [
    await build([...bridges(easy), { model: "weak", skill: scaled(easy, 0.75) }], 1),
    await build([...bridges(hard), { model: "strong", skill: scaled(hard, 1.5) }], 1),
  ];
  const router = routerOver(sets, {});
  for (const topic of TOPICS) {
    const { candidates } = await ask(router, `topic ${topic}, prompt 1`);
    const [weak = 1, strong = 0] = ["weak", "strong"].map(
      (name) => candidates.find(({ model }) => model === name)?.expectedQuality,
    );
    expect(strong, `topic ${topic}`).toBeGreaterThan(weak);
  }
});
