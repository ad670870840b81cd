import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDifficultyModel } from "../../../src/engine/embedding/linear-model-file.js";
import { EmbedderLoadError } from "../../../src/engine/embedding/load-error.js";
import { openStaticEmbedder } from "../../../src/engine/embedding/static/static-embedder.js";
import { SHIPPED_MODEL, TINY_DIMENSIONS, writeTinyModel } from "../../engine/embedding/tiny-model.js";
import { SHIPPED_DIFFICULTY } from "../../engine/estimation/shipped-difficulty.js";
import { folderForTest } from "../../support/folders.js";

/** A model folder whose `difficulty.json` is the shipped one with some members replaced, or the given text. */
async function folderWith(difficulty?: Readonly<Record<string, unknown>> | string): Promise<string> {
  const folder = await writeTinyModel(folderForTest());
  if (difficulty === undefined) return folder;
  const shipped = JSON.parse(await readFile(SHIPPED_DIFFICULTY, "utf8"));
  const text = typeof difficulty === "string" ? difficulty : JSON.stringify({ ...shipped, ...difficulty });
  await writeFile(join(folder, "difficulty.json"), text);
  return folder;
}

async function errorOf(difficulty: Readonly<Record<string, unknown>> | string): Promise<Error> {
  const folder = await folderWith(difficulty);
  const error = await openDifficultyModel(folder, 128).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(EmbedderLoadError);
  expect((error as Error).message).toContain(join(folder, "difficulty.json"));
  return error as Error;
}

describe("The difficulty model of an embedder's folder", () => {
  it("has the SHA-256 of its file as fingerprint", async () => {
    const model = await openDifficultyModel(SHIPPED_MODEL, 128);
    const hash = createHash("sha256").update(await readFile(SHIPPED_DIFFICULTY));
    expect(model?.fingerprint).toBe(hash.digest("hex"));
  });

  it("is undefined where the folder has none or does not exist", async () => {
    const folder = await folderWith();
    expect(await openDifficultyModel(folder, TINY_DIMENSIONS)).toBeUndefined();
    expect(await openDifficultyModel("Xenova/all-MiniLM-L6-v2", 384)).toBeUndefined();
    expect(await openDifficultyModel(join(folder, "config.json"), TINY_DIMENSIONS)).toBeUndefined();
  });

  it("does not change the embedder's fingerprint", async () => {
    const [without, having] = await Promise.all([folderWith(), folderWith({})]);
    const embedders = await Promise.all([without, having].map((folder) => openStaticEmbedder(folder)));
    expect(embedders[0]?.fingerprint).toBe(embedders[1]?.fingerprint);
    await Promise.all(embedders.map((embedder) => embedder.close()));
  });

  it("is refused for an embedder of other dimensions", async () => {
    await expect(openDifficultyModel(SHIPPED_MODEL, 64)).rejects.toThrow(
      /is for vectors of 128 numbers, but the embedder makes 64; remove the file or train it for this embedder/,
    );
  });

  it("is refused with the file and the fault when it is invalid", async () => {
    expect((await errorOf("{")).message).toMatch(/is not JSON/);
    expect((await errorOf({ version: 2 })).message).toMatch(/no difficulty model of version 1 \(version: /);
    expect((await errorOf({ bias: "1" })).message).toMatch(/\(bias: /);
    expect((await errorOf({ vector_weights: [1] })).message).toMatch(/1 vector weights for 128 dimensions/);
    expect((await errorOf({ stems: { proof: [] } })).message).toMatch(/feature 21 is stems_greeting where/);
  });
});
