import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProfile, type ProfileBuildOptions } from "../../../src/cli/profile/build.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import type { OpenHnswLibrary } from "../../../src/engine/search/hnsw-library.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";
import { exhaustiveHnswLibrary } from "../../fakes/hnsw-library.js";

const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));
const installed: OpenHnswLibrary = async () => exhaustiveHnswLibrary;
const notInstalled: OpenHnswLibrary = async () => undefined;

function build(out: string, index: ProfileBuildOptions["index"], openHnswLibrary = installed) {
  return buildProfile(
    { prompts: [SAMPLE], outcomes: [SAMPLE], out, seed: 0, builtAt: "2026-01-01", index },
    {
      from: { environment: {} },
      openHnswLibrary,
      progress: { update: () => undefined, note: () => undefined, stop: () => undefined },
      signal: new AbortController().signal,
    },
  );
}

const load = (folder: string, options: { index?: "exact"; openHnswLibrary?: OpenHnswLibrary } = {}) =>
  loadProfileSet(folder, { ...options });

describe("sextant profile build --index", () => {
  it.each([
    ["auto", "exact", []],
    ["exact", "exact", []],
    ["ivf", "ivf", ["ivf.bin"]],
    ["hnsw", "hnsw", ["ivf.bin", "hnsw.bin"]],
  ] as const)("builds for %s, with 120 anchors, an index of kind %s", async (option, kind, files) => {
    const folder = join(await folderWith({}), "set");
    const { manifest } = await build(folder, option);
    expect(manifest.index).toBe(kind);
    const indexFiles = manifest.files.filter(({ path }) => ["ivf.bin", "hnsw.bin"].includes(path));
    expect(indexFiles.map(({ path }) => path)).toEqual(files);
    const { set } = await load(folder, { openHnswLibrary: installed });
    expect(set.index.kind).toBe(kind);
    expect((await load(folder, { index: "exact" })).set.index.kind).toBe("exact");
  });

  it("refuses hnsw with the command that installs the library where it is missing", async () => {
    const folder = join(await folderWith({}), "set");
    await expect(build(folder, "hnsw", notInstalled)).rejects.toMatchObject({
      exitCode: 2,
      message:
        "--index hnsw needs the package hnswlib-node, which is not installed with Sextant: run " +
        "`npm install hnswlib-node@3` where Sextant is installed, which takes a C++ compiler",
    });
  });
});

describe("A profile set with an HNSW graph", () => {
  let folder = "";
  beforeAll(async () => {
    const parent = await mkdtemp(join(tmpdir(), "sextant-test-"));
    folder = join(parent, "set");
    await build(folder, "hnsw");
    return () => rm(parent, { recursive: true, force: true });
  });

  it("is searched by its IVF lists, with a note, where the library is not installed", async () => {
    const { set, notes } = await load(folder, { openHnswLibrary: notInstalled });
    expect(set.index.kind).toBe("ivf");
    expect(notes.join()).toContain("run `npm install hnswlib-node@3`");
  });

  it("is refused when the file of the graph is not the one that was built", async () => {
    const damaged = join(await folderWith({}), "set");
    await cp(folder, damaged, { recursive: true });
    await cp(join(folder, "ivf.bin"), join(damaged, "hnsw.bin"));
    await expect(load(damaged, { openHnswLibrary: installed })).rejects.toThrow(/hnsw\.bin has SHA-256/);
  });

  it("differs from one with IVF lists only by the graph and the index kind", async () => {
    const other = join(await folderWith({}), "set");
    const { manifest } = await build(other, "ivf");
    const { manifest: withGraph } = await load(folder, { openHnswLibrary: installed });
    expect({
      ...withGraph,
      index: "ivf",
      files: withGraph.files.filter(({ path }) => path !== "hnsw.bin"),
    }).toEqual({ ...manifest, name: withGraph.name });
  });
});
