import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorSet, ModelBills } from "../../../src/engine/estimation/anchor-set.js";
import { costAt, REFERENCE_PRICE } from "../../../src/engine/estimation/bills.js";
import { visibleTokens } from "../../../src/engine/estimation/expected-tokens.js";
import { describeSet } from "../../../src/engine/profiles/describe-set.js";
import { loadProfileSet, loadProfileSets, ProfileSetError } from "../../../src/engine/profiles/load.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import {
  buildPlanted,
  EMBEDDER,
  evidenceAt,
  type PlantedModel,
  type PlantedWorld,
  plantWorld,
} from "./planted-set.js";

const EASY = 0.95;
const HARD = 0.3;
/** Topics 0 and 1 are easy for everybody, 4 and 5 hard; each specialist has a topic of its own. */
const BASE = [EASY, EASY, 0.6, 0.6, HARD, HARD];
const shifted = (by: number) => BASE.map((chance) => Math.min(0.99, Math.max(0.02, chance + by)));
const specialist = (topic: number) => BASE.map((chance, index) => (index === topic ? 0.95 : chance - 0.1));

const MODELS: readonly PlantedModel[] = [
  { model: "strong", skill: shifted(0.12), tokensOut: 200 },
  { model: "plain", skill: shifted(0), tokensOut: 100 },
  { model: "weak", skill: shifted(-0.15), tokensOut: 50 },
  { model: "coder", skill: specialist(2), tokensOut: 400, costUsd: 0.004 },
  { model: "prover", skill: specialist(4), tokensOut: 800, costUsd: 0.009 },
  { model: "flatterer", skill: shifted(-0.15), scoredOn: [0, 1], tokensOut: 50 },
];

const PROMPTS = { prompts: 600, seed: 11 };
const OPTIONS = { embedder: EMBEDDER };

const parent = folderForTests();
let world: PlantedWorld;
let folder: string;
let set: AnchorSet;

beforeAll(async () => {
  world = plantWorld(MODELS, PROMPTS);
  folder = await buildPlanted(world, parent);
  set = (await loadProfileSet(folder, OPTIONS)).set;
});

function qualityAt(vector: Float32Array, of: AnchorSet = set): Record<string, number> {
  const { quality } = evidenceAt(of, vector);
  return Object.fromEntries(of.models.map((model, column) => [model, quality[column] as number]));
}

const topic = (number: number) => world.topics[number] as Float32Array;

/** A copy of the set whose manifest has these other values. */
async function copyOfSet(changes: object = {}): Promise<string> {
  const copy = join(folderForTest(), "set");
  await cp(folder, copy, { recursive: true });
  const manifest = JSON.parse(await readFile(join(copy, "manifest.json"), "utf8"));
  await writeFile(join(copy, "manifest.json"), JSON.stringify({ ...manifest, ...changes }));
  return copy;
}

describe("A profile set built from planted outcomes", () => {
  it("does not prefer a weak model that was scored on easy prompts only, on any topic", () => {
    const [flatterer, strong] = ["flatterer", "strong"].map(
      (name) => set.summaries.find(({ model }) => model === name)?.mean_quality,
    );
    expect(flatterer).toBeGreaterThan(strong as number);
    for (let number = 0; number < world.topics.length; number++) {
      const quality = qualityAt(topic(number));
      expect(quality.flatterer).toBeLessThan(quality.strong as number);
    }
    // On hard topics it falls with everybody else, though it was never seen there.
    expect(qualityAt(topic(5)).flatterer).toBeLessThan(0.5);
  });

  it("describes its models, best expected quality first, with what was measured of each", async () => {
    const { models } = describeSet(await loadProfileSet(folder, OPTIONS));
    const qualities = models.map(({ expected_quality }) => expected_quality);
    expect(qualities).toEqual(qualities.toSorted((a, b) => b - a));
    expect(models.map(({ model }) => model).sort()).toEqual(MODELS.map(({ model }) => model).sort());
    const coder = { basis: "measured", samples: 600, measured: { tokens: true, cost: true } };
    expect(models.find(({ model }) => model === "coder")).toMatchObject(coder);
  });

  it("expects the measured lengths, the recorded dollars, and those of the measured tokens where none were recorded", () => {
    const { answerRatio, billRatio } = evidenceAt(set, topic(3));
    const { inputUsdPerMtok, outputUsdPerMtok } = REFERENCE_PRICE;
    for (const { model, tokensOut = 0, costUsd } of MODELS) {
      const column = set.models.indexOf(model);
      const { price } = set.columns.bills[column] as ModelBills;
      const answerTokens =
        visibleTokens(set.answerLevels, { answerRatio }) * (set.columns.verbosity[column] as number);
      expect(Math.abs(answerTokens / tokensOut - 1), model).toBeLessThan(0.2);
      const bill = (billRatio[column] as number) * costAt(price, { promptTokens: 40, answerTokens });
      const expected = costUsd ?? (40 * inputUsdPerMtok + tokensOut * outputUsdPerMtok) / 1e6;
      expect(Math.abs(bill / expected - 1), model).toBeLessThan(0.05);
    }
  });

  it("is the same to the byte when built again, and contains no prompt id", async () => {
    const again = await buildPlanted(plantWorld(MODELS, PROMPTS), folderForTest());
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
      one.isFile(),
    );
    expect(files.length).toBeGreaterThan(MODELS.length);
    for (const { parentPath, name } of files) {
      const path = join(parentPath, name).slice(folder.length);
      const bytes = await readFile(join(folder, path));
      expect((await readFile(join(again, path))).equals(bytes), path).toBe(true);
      expect(bytes.includes("planted:1"), path).toBe(false);
    }
  });

  it("accepts a profile that was added as one file, which changes the version of its files, as a choice of models does not", async () => {
    const copy = await copyOfSet();
    const load = (leftOut: string) =>
      loadProfileSet(copy, { ...OPTIONS, includes: (model) => model !== leftOut });
    const [all, fewer] = [await load("nothing"), await load("coder")];
    expect(fewer.set.leftOut).toEqual(["coder"]);
    expect(fewer.set.version).not.toBe(all.set.version);
    expect(fewer.filesVersion).toBe(all.filesVersion);

    const more = [...MODELS, { model: "newcomer", skill: shifted(0.05), scoredOn: [2, 3] }];
    const other = await buildPlanted(plantWorld(more, PROMPTS), folderForTest());
    await cp(join(other, "models", "newcomer.profile"), join(copy, "models", "newcomer.profile"));
    const extended = await load("nothing");
    expect(extended.set.version).not.toBe(all.set.version);
    expect(qualityAt(topic(2), extended.set).newcomer).toBeGreaterThan(0.4);
    expect(extended.filesVersion).not.toBe(all.filesVersion);
    expect((await load("newcomer")).filesVersion).toBe(extended.filesVersion);
  });
});

describe("Loading a profile set", () => {
  it("refuses another embedder and names both", async () => {
    const other = { id: "another-model", fingerprint: "cd".repeat(32) };
    await expect(loadProfileSet(folder, { ...OPTIONS, embedder: other })).rejects.toThrow(
      /built with embedder planted \(fingerprint abababababab\), but the loaded embedder is another-model \(fingerprint cdcdcdcdcdcd\)/,
    );
  });

  it("refuses every file with a changed byte, and one that is missing, also where no decision reads it", async () => {
    const copy = await copyOfSet();
    const { manifest } = await loadProfileSet(folder, OPTIONS);
    const load = () => loadProfileSet(copy, { ...OPTIONS, includes: (model) => model !== "weak" });
    const listed = manifest.files.map(({ path }) => path);
    expect(listed).toEqual(expect.arrayContaining(["abilities.json", "models/weak.profile"]));
    for (const path of listed) {
      const bytes = await readFile(join(copy, path));
      await writeFile(join(copy, path), bytes.with(-3, (bytes.at(-3) as number) ^ 1));
      const promised = new RegExp(`${path} has SHA-256 [0-9a-f]{64}, the manifest lists [0-9a-f]{64}`);
      await expect(load()).rejects.toThrow(promised);
      await rm(join(copy, path));
      await expect(load()).rejects.toThrow(`${path} is missing`);
      await writeFile(join(copy, path), bytes);
    }
    await load();
    await rm(join(copy, "manifest.json"));
    await expect(load()).rejects.toThrow("manifest.json cannot be read");
  });

  it("reads no file outside of the set", async () => {
    const { manifest } = await loadProfileSet(folder, OPTIONS);
    const outside = (path: string) => ({
      files: [...manifest.files, { path, bytes: 1, sha256: "ab".repeat(32) }],
    });
    for (const path of ["../x", "/dev/zero", "models/../../x", ".."])
      await expect(loadProfileSet(await copyOfSet(outside(path)), OPTIONS)).rejects.toThrow("must be a list");
  });

  it("refuses a profile of other anchors", async () => {
    const copy = await copyOfSet();
    const other = await buildPlanted(plantWorld(MODELS, { prompts: 300, seed: 3 }), folderForTest());
    await cp(join(other, "models", "plain.profile"), join(copy, "models", "stray.profile"));
    await expect(loadProfileSet(copy, OPTIONS)).rejects.toThrow(
      /belongs to anchors [0-9a-f]{12}, the set has [0-9a-f]{12}/,
    );
  });

  it("refuses another format, naming both, and profiles that do not fit the manifest", async () => {
    const newer = loadProfileSet(await copyOfSet({ format: 9 }), OPTIONS);
    await expect(newer).rejects.toThrow(/has format 9; this version reads format 5/);
    const copy = await copyOfSet({ topics: ["only one"] });
    const loading = loadProfileSet(copy, OPTIONS);
    await expect(loading).rejects.toBeInstanceOf(ProfileSetError);
    await expect(loading).rejects.toThrow(`${copy} cannot be used: `);
  });

  it("loads every set of a folder, by name, and reports a folder without sets", async () => {
    const sets = await loadProfileSets(parent, OPTIONS);
    expect(sets.map(({ manifest }) => manifest.name)).toEqual(["planted"]);
    await expect(loadProfileSets(folderForTest(), OPTIONS)).rejects.toThrow(/holds no profile set/);
  });
});
