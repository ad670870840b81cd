/** The cost weight that is saved in a set: decisions, checksums and version do not depend on it. */
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import { recommendedWeightOf, saveRecommendedWeight } from "../../../src/engine/profiles/saved-weights.js";
import { dropModel } from "../../../src/workbench/placement/profile-files.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import { buildPlanted, plantWorld } from "./planted-set.js";

const BUILT = await buildPlanted(
  plantWorld(
    [
      { model: "a", skill: [0.9, 0.2, 0.9, 0.2, 0.9, 0.2] },
      { model: "b", skill: [0.2, 0.9, 0.2, 0.9, 0.2, 0.9] },
      { model: "c", skill: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5] },
    ],
    { prompts: 90, seed: 2 },
  ),
  folderForTests(),
);
const SAVED = {
  cost_weight: 0.35,
  rule: "max_loss",
  limit: 0.01,
  prompts: 120,
  saved_at: "2026-11-23T12:00:00.000Z",
} as const;

const load = (folder: string) => loadProfileSet(folder, {});

let folder: string;
beforeEach(async () => {
  folder = join(folderForTest(), "set");
  await cp(BUILT, folder, { recursive: true });
});

describe("The recommended cost weight of a set", () => {
  it("is none until one is saved, then the last one", async () => {
    expect(recommendedWeightOf(await load(folder))).toBeNull();
    await saveRecommendedWeight(folder, { ...SAVED, cost_weight: 0.5 });
    await saveRecommendedWeight(folder, SAVED);
    expect(recommendedWeightOf(await load(folder))).toEqual({ ...SAVED, is_current: true });
    expect((await readdir(folder)).filter((name) => name.includes("draft"))).toEqual([]);
  });

  it("changes neither version nor any other entry of the manifest", async () => {
    const manifest = async () => JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as object;
    const [before, loaded] = [await manifest(), await load(folder)];
    await saveRecommendedWeight(folder, SAVED);
    const { recommended_cost_weight: saved, ...after } = (await manifest()) as Record<string, unknown>;
    expect(after).toEqual(before);
    expect(saved).toMatchObject({ cost_weight: 0.35 });
    const again = await load(folder);
    expect([again.set.version, again.filesVersion]).toEqual([loaded.set.version, loaded.filesVersion]);
  });

  it("is no longer current when a model was dropped since", async () => {
    await saveRecommendedWeight(folder, SAVED);
    await dropModel(folder, "c", { builtIn: "drop" });
    expect(recommendedWeightOf(await load(folder))).toEqual({ ...SAVED, is_current: false });
  });
});
