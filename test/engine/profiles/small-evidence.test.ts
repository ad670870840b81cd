import { beforeAll, describe, expect, it } from "vitest";
import type { Decision } from "../../../src/engine/router/decision.js";
import {
  buildPlantedFiles,
  evidenceFor,
  type PlantedFiles,
  type PlantedRater,
  routerOver,
} from "./planted-outcomes.js";

const CATEGORIES = 5;
/** Numbers of prompts that are in no set. */
const NEW_PROMPTS = Array.from({ length: 12 }, (_, index) => 1_000_000 + index);
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

/** Two specialists, one for all, and one that is good at most. */
const SPECIALISTS: readonly PlantedRater[] = [
  { model: "alder", quality: [0.9, 0.3, 0.9, 0.3, 0.9] },
  { model: "birch", quality: [0.3, 0.9, 0.3, 0.9, 0.3] },
  { model: "cedar", quality: [0.6, 0.6, 0.6, 0.6, 0.6] },
  { model: "dogwood", quality: [0.9, 0.9, 0.3, 0.3, 0.9] },
];

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const smallSet = (models: readonly PlantedRater[], seed: number): PlantedFiles => ({
  name: "own",
  seed,
  categories: CATEGORIES,
  promptsACategory: 40,
  models,
});

interface Told {
  readonly planted: number;
  readonly measured: number;
  /** Means over new prompts of the category. */
  readonly predicted: number;
  readonly error: number;
}

/** What a set of specialists says of new prompts, an entry a model and category. */
async function toldOfNewPrompts(seed: number): Promise<Told[]> {
  const { set, measured } = await buildPlantedFiles(smallSet(SPECIALISTS, seed));
  expect(set.topics.names).toHaveLength(CATEGORIES);
  return Array.from({ length: CATEGORIES }, (_, category) => {
    const evidence = NEW_PROMPTS.map((prompt) => evidenceFor(set, `category ${category} prompt ${prompt}`));
    return SPECIALISTS.map(({ model, quality }): Told => {
      const column = set.models.indexOf(model);
      return {
        planted: quality[category] as number,
        measured: measured(model)[category] as number,
        predicted: meanOf(evidence.map((estimate) => estimate.quality[column] as number)),
        error: meanOf(evidence.map((estimate) => estimate.stderr[column] as number)),
      };
    });
  }).flat();
}

describe("A set of 200 prompts in five categories and four models", () => {
  let told: readonly Told[];
  beforeAll(async () => {
    const bySeed: Told[][] = [];
    for (const seed of SEEDS) bySeed.push(await toldOfNewPrompts(seed));
    told = bySeed.flat();
  });
  const shareOf = (holds: (prediction: Told) => boolean) =>
    meanOf(told.map((prediction) => (holds(prediction) ? 1 : 0)));
  const miss = ({ predicted, measured }: Told) => Math.abs(predicted - measured);

  it("predicts for new prompts of a category what was measured there, not the overall mean", () => {
    for (const planted of [0.3, 0.6, 0.9]) {
      const alike = told.filter((prediction) => prediction.planted === planted);
      expect(
        Math.abs(meanOf(alike.map((prediction) => prediction.predicted - prediction.measured))),
      ).toBeLessThan(0.04);
    }
    expect(shareOf((prediction) => miss(prediction) < 0.08)).toBeGreaterThan(0.88);
    expect(Math.max(...told.map(miss))).toBeLessThan(0.12);
  });

  it("predicts every score to within .08 of what was measured", () => {
    expect(Math.max(...told.map(miss))).toBeLessThan(0.08);
  });

  it("has standard errors that cover its deviations from the planted values, and that are informative", () => {
    const within = (errors: number) =>
      shareOf(({ predicted, planted, error }) => Math.abs(predicted - planted) <= errors * error);
    expect(within(2)).toBeGreaterThanOrEqual(0.92);
    expect(within(1)).toBeGreaterThan(0.6);
    expect(meanOf(told.map(({ error }) => error))).toBeLessThan(0.1);
  });
});

describe("A model with ten perfect outcomes and no price", () => {
  const models: readonly PlantedRater[] = [
    { model: "veteran", quality: new Array(5).fill(0.9), scoredOn: (prompt) => prompt < 150, priceUsd: 10 },
    { model: "newcomer", quality: new Array(5).fill(1), scoredOn: (prompt) => prompt < 10 },
    { model: "middling", quality: new Array(5).fill(0.7), priceUsd: 2 },
    { model: "weak", quality: new Array(5).fill(0.5), priceUsd: 0.5 },
  ];

  interface Asked {
    readonly costWeight: number;
    readonly decision: Decision;
  }

  /** A new prompt of every category at every weight, for every seed. */
  async function askEverything(weights: readonly number[]): Promise<Asked[]> {
    const asked: Asked[] = [];
    for (const seed of SEEDS) {
      const { set } = await buildPlantedFiles(smallSet(models, seed));
      const router = routerOver([set], models);
      for (let category = 0; category < CATEGORIES; category++) {
        const content = `category ${category} prompt ${NEW_PROMPTS[0]}`;
        for (const costWeight of weights) {
          const messages = [{ role: "user" as const, content }];
          asked.push({ costWeight, decision: await router.route({ messages, costWeight }) });
        }
      }
    }
    return asked;
  }

  it("has a larger error than one with 150 outcomes at 90 %, and is not chosen when cost counts", async () => {
    for (const { costWeight, decision } of await askEverything([0, 0.01, 0.2, 0.5, 0.8, 1])) {
      const errorOf = (name: string) =>
        decision.candidates.find(({ model }) => model === name)?.qualityStderr as number;
      if (costWeight > 0) expect(decision.selectedModel).not.toBe("newcomer");
      else expect(errorOf("newcomer")).toBeGreaterThan(1.4 * errorOf("veteran"));
    }
  });

  it("is not chosen by quality alone either", async () => {
    for (const { decision } of await askEverything([0])) expect(decision.selectedModel).not.toBe("newcomer");
  });
});

describe("A prompt far from every anchor", () => {
  const models: readonly PlantedRater[] = [
    { model: "expensive", quality: [0.9, 0.85, 0.9, 0.85, 0.9], priceUsd: 20 },
    { model: "moderate", quality: [0.85, 0.85, 0.85, 0.85, 0.85], priceUsd: 4 },
    { model: "cheap", quality: [0.8, 0.85, 0.8, 0.85, 0.8], priceUsd: 0.5 },
    { model: "poor", quality: [0.3, 0.3, 0.3, 0.3, 0.3], priceUsd: 0.4 },
  ];
  const FAR = ["far out", "far away", "far from here"];

  it("has larger standard errors than near prompts, for every model", async () => {
    const { set } = await buildPlantedFiles(smallSet(models, 1));
    for (const far of FAR) {
      const out = evidenceFor(set, far);
      for (let category = 0; category < CATEGORIES; category++) {
        const near = evidenceFor(set, `category ${category} prompt ${NEW_PROMPTS[0]}`);
        expect(out.nearestSimilarity).toBeLessThan(near.nearestSimilarity - 0.2);
        for (let model = 0; model < models.length; model++)
          expect(out.stderr[model]).toBeGreaterThan(1.5 * (near.stderr[model] as number));
      }
    }
  });

  it("is reported as such, and gets a cheaper model from a weight of .5 on, but not the poor one", async () => {
    for (const seed of [1, 2, 3]) {
      const { set } = await buildPlantedFiles(smallSet(models, seed));
      const router = routerOver([set], models);
      for (const far of FAR) {
        for (const costWeight of [0.2, 0.5, 0.8]) {
          const decision = await router.route({ messages: [{ role: "user", content: far }], costWeight });
          expect(decision.reason).toMatch(/no evidence near this prompt$/);
          const sensible = ["moderate", "cheap", ...(costWeight < 0.5 ? ["expensive"] : [])];
          expect(sensible, `seed ${seed}, ${far}, ${costWeight}`).toContain(decision.selectedModel);
        }
      }
    }
  });

  it("differs from a near prompt, whose reason is not `no evidence`", async () => {
    const { set } = await buildPlantedFiles(smallSet(models, 1));
    const router = routerOver([set], models);
    const content = `category 2 prompt ${NEW_PROMPTS[1]}`;
    const { reason } = await router.route({ messages: [{ role: "user", content }], costWeight: 0.2 });
    expect(reason).not.toMatch(/no evidence/);
  });
});

describe("Two sets used together", () => {
  /** By how much the second set's prompts are harder for everybody. */
  const easy = [0.9, 0.85, 0.8, 0.85, 0.9];
  const hard = [0.45, 0.4, 0.35, 0.4, 0.45];
  const scaled = (chances: readonly number[], by: number) => chances.map((chance) => chance * by);
  const bridges: readonly PlantedRater[] = [
    { model: "bridge-a", quality: [], priceUsd: 2 },
    { model: "bridge-b", quality: [], priceUsd: 2 },
    { model: "bridge-c", quality: [], priceUsd: 2 },
  ];
  const inSet = (chances: readonly number[], own: readonly PlantedRater[]): PlantedRater[] => [
    ...bridges.map((bridge) => ({ ...bridge, quality: scaled(chances, 0.9) })),
    ...own,
  ];

  it("do not rank a weak model of easy prompts above a strong one of hard prompts", async () => {
    for (const seed of [1, 2]) {
      const first = inSet(easy, [{ model: "weak", quality: scaled(easy, 0.75), priceUsd: 2 }]);
      const second = inSet(hard, [{ model: "strong", quality: scaled(hard, 1.5), priceUsd: 2 }]);
      const sets = [
        await buildPlantedFiles({ ...smallSet(first, seed), name: "easy" }),
        await buildPlantedFiles({ ...smallSet(second, seed), name: "hard" }),
      ];
      const router = routerOver(
        sets.map(({ set }) => set),
        [...first, ...second],
      );
      for (let category = 0; category < CATEGORIES; category++) {
        const content = `category ${category} prompt ${NEW_PROMPTS[0]}`;
        const { candidates } = await router.route({ messages: [{ role: "user", content }] });
        const qualityOf = (name: string) =>
          candidates.find(({ model }) => model === name)?.expectedQuality as number;
        expect(qualityOf("strong"), `category ${category}, seed ${seed}`).toBeGreaterThan(qualityOf("weak"));
      }
    }
  });
});
