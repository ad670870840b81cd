import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorSet } from "../../../src/engine/estimation/anchor-set.js";
import { readCalibration, saveCalibration } from "../../../src/engine/profiles/calibration-file.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import { CALIBRATION_FILE } from "../../../src/engine/profiles/manifest.js";
import type { ModelFacts } from "../../../src/engine/router/candidate.js";
import { createSnapshot } from "../../../src/engine/router/snapshot.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import { buildPlanted, EMBEDDER, factsAt, plantWorld } from "../profiles/planted-set.js";

const MODELS = Array.from({ length: 12 }, (_, index) => `model-${index}`);
const TOPICS = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];

/** Models that cost more are better, but for some. */
const priceOf = (model: string): number => 0.1 * 2 ** Number(model.slice("model-".length));
const lookup = (model: string): ModelFacts => factsAt(priceOf(model), 3 * priceOf(model));

const parent = folderForTests();
let folder: string;
let set: AnchorSet;
/** What a weight means in the set by a calibration that is computed. */
let computed: readonly (number | undefined)[];
/** The set with its stored calibration. */
let stored: AnchorSet;

/** The set, counting searches. */
function counting(of: AnchorSet): { readonly set: AnchorSet; readonly searches: () => number } {
  let searches = 0;
  const search: AnchorSet["index"]["search"] = (vector, k) => {
    searches++;
    return of.index.search(vector, k);
  };
  return { set: { ...of, index: { ...of.index, search } }, searches: () => searches };
}

const curveOf = (of: AnchorSet, prices = lookup): readonly (number | undefined)[] => {
  const { meaningOf } = createSnapshot([of], prices).costWeight;
  return [0, 0.1, 0.3, 0.5, 0.8, 1].map((weight) => meaningOf(weight)?.meanCostUsd);
};

async function load(without: readonly string[] = []): Promise<AnchorSet> {
  const loaded = await loadProfileSet(folder, {
    embedder: EMBEDDER,
    includes: (model) => !without.includes(model),
  });
  return loaded.set;
}

beforeAll(async () => {
  const planted = MODELS.map((model, index) => ({
    model,
    skill: TOPICS.map((chance) => Math.min(0.97, chance + 0.024 * index - 0.1 * (index % 3))),
    tokensOut: 300,
  }));
  folder = await buildPlanted(plantWorld(planted, { prompts: 240, seed: 5 }), parent);
  const { set: loaded, filesVersion } = await loadProfileSet(folder, { embedder: EMBEDDER });
  set = loaded;
  await saveCalibration(folder, createSnapshot([set], lookup).calibrationOf(set), filesVersion);
  stored = await load();
  computed = curveOf(set);
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
}

/** Each other figures than it had, in a file that is still of the format. */
function swapped(bytes: Buffer): Buffer {
  const text = bytes.toString("latin1");
  const [first, second] = ['"model-10"', '"model-11"'];
  return Buffer.from(
    text.replaceAll(first, "@").replaceAll(second, first).replaceAll("@", second).padEnd(text.length),
    "latin1",
  );
}

/** One value fewer of the last section. */
const shortened = (bytes: Buffer): Buffer => {
  const fewer = (_: string, before: string, length: string) =>
    before + String(Number(length) - 1).padEnd(length.length);
  const length = /("name":"cost_usd","type":"f32","length":)(\d+)/;
  return Buffer.from(bytes.toString("latin1").replace(length, fewer), "latin1");
};

describe("A calibration that is stored with the set", () => {
  it("is that which would be computed, without a search", () => {
    const { set: watched, searches } = counting(stored);
    curveOf(watched).forEach((usd, at) => {
      expect(usd).toBeCloseTo(computed[at] as number, 9);
    });
    expect(searches()).toBe(0);
  });

  it("holds without models that are gone, and searches only where too many of a prompt's are", async () => {
    const without = ["model-3"];
    const fewer = await load(without);
    const { set: watched, searches } = counting(fewer);
    const anew = curveOf({ ...fewer, calibration: null });
    curveOf(watched).forEach((usd, at) => {
      expect(Math.abs(Math.log((usd as number) / (anew[at] as number)))).toBeLessThan(0.02);
    });
    expect(searches()).toBeLessThan(240 / 4);
  });

  it("is computed anew where a price differs", () => {
    const prices = (model: string) => lookup(model === "model-9" ? "model-4" : model);
    expect(curveOf(stored, prices)).toEqual(curveOf(set, prices));
  });

  it("is computed anew with other sets beside it", () => {
    const beside = { ...set, name: "beside" };
    const both = (one: AnchorSet) => createSnapshot([one, beside], lookup).costWeight.meaningOf(0.3);
    expect(both(stored)).toEqual(both(set));
  });

  it("is not used once the files of the set have changed", async () => {
    const { calibration, problem } = await readCalibration(folder, "0".repeat(16));
    expect(calibration).toBeNull();
    expect(problem).toBe("is of other files of the set");
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["by other figures", (bytes) => flipped(bytes, bytes.length - 9)],
    ["by names of models that changed places", swapped],
    ["by a header with other numbers of values", shortened],
    ["by a header that is no JSON", (bytes) => flipped(bytes, 8)],
    ["by having lost its end", (bytes) => bytes.subarray(0, bytes.length - 100)],
  ])("that is damaged %s is computed anew, and the log says so", async (_, damage) => {
    const copy = join(folderForTest(), "set");
    await cp(folder, copy, { recursive: true });
    const path = join(copy, CALIBRATION_FILE);
    await writeFile(path, damage(await readFile(path)));
    const { set: loaded, notes } = await loadProfileSet(copy, { embedder: EMBEDDER });
    expect(loaded.calibration).toBeNull();
    expect(curveOf(loaded)).toEqual(computed);
    expect(notes.join()).toMatch(/calibration\.bin .*damaged.*; the cost weight is calibrated anew/);
  });
});
