import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { findSets } from "../../../src/engine/profiles/load.js";
import { placeOf, targetProblem, writeSetFolder } from "../../../src/engine/profiles/set-folder.js";
import { buildProfileSet } from "../../../src/workbench/fitting/build-profile-set.js";
import { folderForTest } from "../../support/folders.js";
import { buildPlanted, EMBEDDER, plantWorld } from "./planted-set.js";

let parent: string;
let folder: string;
beforeEach(() => {
  parent = folderForTest();
  folder = join(parent, "ours");
});

const put = (path: string, content: string): void => {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "manifest.json"), content);
};
const contentOf = (path: string) => readFileSync(join(path, "manifest.json"), "utf8");
const writing = (content: string) => async (draft: string) => {
  put(draft, content);
  return content;
};

describe("The folder of a set", () => {
  it("is replaced as a whole once the new content is complete, and leaves nothing beside it", async () => {
    put(folder, "first");
    const written = await writeSetFolder(folder, async (draft) => {
      put(draft, "second");
      return contentOf(folder);
    });
    expect([written, contentOf(folder)]).toEqual(["first", "second"]);
    expect(readdirSync(parent)).toEqual(["ours"]);
  });

  it("keeps its old content, and has no draft beside it, when writing fails", async () => {
    put(folder, "first");
    const failing = writeSetFolder(folder, async (draft) => {
      put(draft, "half");
      throw new Error("the disk is full");
    });
    await expect(failing).rejects.toThrow("the disk is full");
    expect(contentOf(folder)).toBe("first");
    expect(readdirSync(parent)).toEqual(["ours"]);
  });

  it.each([
    ["while the new one is written", { ours: "first", "ours.draft": "half" }, "first"],
    ["between the two renames", { "ours.old": "first", "ours.draft": "second" }, "first"],
    ["before the old one is removed", { ours: "second", "ours.old": "first" }, "second"],
  ])("is one set, the old or the new one, after a kill %s", async (_, left, content) => {
    for (const [name, text] of Object.entries(left)) put(join(parent, name), text);
    for (const where of [folder, parent]) {
      const found = await findSets(where);
      expect(found.map(contentOf), where).toEqual([content]);
    }
    expect(await targetProblem(folder, { replace: false })).toContain("holds a profile set already");
    await expect(writeSetFolder(folder, () => Promise.reject(new Error("stopped")))).rejects.toThrow();
    expect(contentOf(folder)).toBe(content);
    expect(placeOf(folder)).toBe(folder);
    await writeSetFolder(folder, writing("third"));
    expect(readdirSync(parent)).toEqual(["ours"]);
    expect(contentOf(folder)).toBe("third");
  });

  it("keeps the old set when a build fails, without its draft", async () => {
    const world = plantWorld([{ model: "plain", skill: [0.5, 0.5] }], { prompts: 40, seed: 1 });
    const built = await buildPlanted(world, parent);
    const manifest = contentOf(built);
    const source = { table: world.table, vectors: world.vectors, embedder: EMBEDDER };
    const settings = { name: "ours", builtAt: "2026-01-01T00:00:00Z", seed: 8, gather: gatherEvidence };
    const onStage = (stage: string) => {
      if (stage === "tune") throw new Error("the disk is full");
    };
    const failing = buildProfileSet(source, { ...settings, folder: built, onStage });
    await expect(failing).rejects.toThrow("the disk is full");
    expect(contentOf(built)).toBe(manifest);
    expect(readdirSync(parent)).toEqual(["planted"]);
  });

  it("may be new or empty", async () => {
    expect(await targetProblem(folder, { replace: false })).toBeUndefined();
    mkdirSync(folder);
    expect(await targetProblem(folder, { replace: false })).toBeUndefined();
    await writeSetFolder(folder, writing("first"));
    expect(contentOf(folder)).toBe("first");
  });
});
