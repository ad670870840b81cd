import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { buildProfile, type ProfileBuildOptions } from "../../../src/cli/profile/build.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import type { OpenHnswLibrary } from "../../../src/engine/search/hnsw-library.js";
import { exhaustiveHnswLibrary } from "../../fakes/hnsw-library.js";
import { folderForTests } from "../../support/folders.js";
import { SAMPLE } from "./sample-commands.js";

const installed: OpenHnswLibrary = async () => exhaustiveHnswLibrary;
const notInstalled: OpenHnswLibrary = async () => undefined;

const folder = folderForTests();
const build = (index: ProfileBuildOptions["index"], openHnswLibrary = installed) =>
  buildProfile(
    {
      prompts: [SAMPLE],
      outcomes: [SAMPLE],
      seed: 0,
      builtAt: "2026-01-01",
      index,
      out: join(folder, `${index}`, "set"),
    },
    {
      from: { environment: {} },
      openHnswLibrary,
      progress: { update: () => undefined, note: () => undefined, stop: () => undefined },
      signal: new AbortController().signal,
    },
  );

const KINDS = ["auto", "exact", "ivf", "hnsw"] as const;
beforeAll(async () => {
  for (const kind of KINDS) await build(kind);
});

const load = (set: string, options: { index?: "exact"; openHnswLibrary?: OpenHnswLibrary }) =>
  loadProfileSet(join(folder, set, "set"), options);

it.each([
  ["auto", "exact", []],
  ["exact", "exact", []],
  ["ivf", "ivf", ["ivf.bin"]],
  ["hnsw", "hnsw", ["ivf.bin", "hnsw.bin"]],
] as const)("`--index %s` builds, with 120 anchors, an index of kind %s", async (option, kind, files) => {
  const { set, manifest } = await load(option, { openHnswLibrary: installed });
  expect([set.index.kind, manifest.index]).toEqual([kind, kind]);
  const paths = manifest.files.map(({ path }) => path);
  expect(paths.filter((path) => /^(ivf|hnsw)\.bin$/.test(path))).toEqual(files);
  expect((await load(option, { index: "exact" })).set.index.kind).toBe("exact");
});

it("`--index hnsw` is refused with the command that installs the library where it is missing", async () => {
  await expect(build("hnsw", notInstalled)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining("run `npm install hnswlib-node@3` where Sextant is installed"),
  });
});

it("A set with an HNSW graph differs from one with IVF lists only by the graph and the index kind", async () => {
  const { manifest: ivf } = await load("ivf", {});
  const { manifest: hnsw } = await load("hnsw", { openHnswLibrary: installed });
  const files = hnsw.files.filter(({ path }) => path !== "hnsw.bin");
  expect({ ...hnsw, index: "ivf", files }).toEqual(ivf);
});
