import { describe, expect, it } from "vitest";
import { gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import { buildPlanted, EMBEDDER, plantWorld } from "../../engine/profiles/planted-set.js";
import { folderForTest } from "../../support/folders.js";

const MODELS = Array.from({ length: 8 }, (_, at) => ({
  model: `model-${at}`,
  skill: [0.9, 0.8, 0.7, 0.6, 0.5, 0.4].map((chance) => chance - 0.03 * at),
}));
const world = plantWorld(MODELS, { prompts: 900, seed: 5 });

/** Of estimates that are too high or too low for all models by `wrong`, by topic, and for each by `apart`. */
async function easeVarianceAt({ wrong, apart }: { readonly wrong: number; readonly apart: number }) {
  const gather: typeof gatherEvidence = (set, neighbours) => {
    const topic = set.topics.ofAnchor[neighbours.anchors[0] as number] as number;
    const of = (column: number) =>
      (MODELS[column]?.skill[topic] ?? 0) + (topic % 2 ? wrong : -wrong) + (column % 2 ? apart : -apart);
    return {
      ...gatherEvidence(set, neighbours),
      quality: Float64Array.from(MODELS, (_, column) => of(column)),
    };
  };
  const folder = await buildPlanted(world, folderForTest(), { gather });
  return (await loadProfileSet(folder, { embedder: EMBEDDER })).set.parameters.nearEaseVariance;
}

describe("The variance of the ease of a prompt about its neighbours'", () => {
  it.each([
    ["small where estimates are right", { wrong: 0, apart: 0 }, [0, 0.25]],
    ["as small where they are wrong by model, which is no ease", { wrong: 0, apart: 0.1 }, [0, 0.25]],
    ["larger where all models find prompts easier or harder", { wrong: 0.1, apart: 0 }, [0.25, 0.5]],
    ["the larger the more they do", { wrong: 0.2, apart: 0 }, [0.8, 2]],
  ] as const)("is %s", async (_, estimates, [least, most]) => {
    const variance = await easeVarianceAt(estimates);
    expect(variance).toBeGreaterThanOrEqual(least);
    expect(variance).toBeLessThanOrEqual(most);
  });
});
