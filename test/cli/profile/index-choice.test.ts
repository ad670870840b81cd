import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { buildProfile, type ProfileBuildOptions } from "../../../src/cli/profile/build.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";

const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));

function build(out: string, index: ProfileBuildOptions["index"]) {
  return buildProfile(
    { prompts: [SAMPLE], outcomes: [SAMPLE], out, seed: 0, builtAt: "2026-01-01", index },
    {
      from: { environment: {} },
      progress: { update: () => undefined, note: () => undefined, stop: () => undefined },
      signal: new AbortController().signal,
    },
  );
}

describe("sextant profile build --index", () => {
  it.each([
    ["auto", "exact", []],
    ["exact", "exact", []],
    ["ivf", "ivf", ["ivf.bin"]],
  ] as const)("builds for %s, with 120 anchors, an index of kind %s", async (option, kind, files) => {
    const folder = join(await folderWith({}), "set");
    const { manifest } = await build(folder, option);
    expect(manifest.index).toBe(kind);
    const indexFiles = manifest.files.filter(({ path }) => path === "ivf.bin");
    expect(indexFiles.map(({ path }) => path)).toEqual(files);
    const { set } = await loadProfileSet(folder, {});
    expect(set.index.kind).toBe(kind);
    expect((await loadProfileSet(folder, { index: "exact" })).set.index.kind).toBe("exact");
  });
});
