import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { SetChanges } from "../../../src/engine/profiles/set-changes.js";
import { folderForTest } from "../../support/folders.js";

let folder = "";
let changes: SetChanges;

function makeSet(path: string, manifest = "{}"): void {
  mkdirSync(join(path, "models"), { recursive: true });
  writeFileSync(join(path, "manifest.json"), manifest);
  writeFileSync(join(path, "anchors.bin"), "anchors");
  writeFileSync(join(path, "models", "a.bin"), "a");
}

beforeEach(async () => {
  folder = folderForTest();
  makeSet(join(folder, "first"));
  changes = new SetChanges([folder]);
  await changes.look();
});

/** What the next looks report. */
async function looks(count: number): Promise<boolean[]> {
  const reported: boolean[] = [];
  for (let look = 0; look < count; look++) reported.push(await changes.look());
  return reported;
}

describe("SetChanges", () => {
  it("reports nothing while nothing changes", async () => {
    expect(await looks(4)).toEqual([false, false, false, false]);
  });

  it.each([
    ["is built again", () => rebuild()],
    ["gets another model", () => writeFileSync(join(folder, "first/models/b.bin"), "b")],
    ["loses a model", () => rmSync(join(folder, "first/models/a.bin"))],
    ["gets another manifest", () => writeFileSync(join(folder, "first/manifest.json"), '{"name":"x"}')],
    ["is damaged", () => appendFileSync(join(folder, "first/anchors.bin"), "x")],
    ["is added", () => cpSync(join(folder, "first"), join(folder, "second"), { recursive: true })],
  ])("reports once, at the second look, that a set %s", async (_, change) => {
    change();
    expect(await looks(4)).toEqual([false, true, false, false]);
  });

  it("waits while files still change", async () => {
    const reported: boolean[] = [];
    for (let copied = 0; copied < 4; copied++) {
      writeFileSync(join(folder, `first/models/${copied}.bin`), "x");
      reported.push(await changes.look());
    }
    expect([...reported, ...(await looks(2))]).toEqual([false, false, false, false, true, false]);
  });

  it("waits while there is no set, and reports the one that comes", async () => {
    rmSync(join(folder, "first"), { recursive: true });
    expect(await looks(3)).toEqual([false, false, false]);
    makeSet(join(folder, "first"), '{"name":"later"}');
    expect(await looks(2)).toEqual([false, true]);
  });
});

function rebuild(): void {
  makeSet(join(folder, "draft"), '{"name":"rebuilt"}');
  rmSync(join(folder, "first"), { recursive: true });
  renameSync(join(folder, "draft"), join(folder, "first"));
}
