import { mkdir, mkdtemp, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { removeLeftovers, SharedFile } from "../../src/foundation/shared-file.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sextant-leftovers-"));
});

const LONG_AGO = new Date(Date.now() - 60_000);

async function leave(name: string): Promise<void> {
  await writeFile(join(folder, name), "half of it");
  await utimes(join(folder, name), LONG_AGO, LONG_AGO);
}

describe("what processes that died left beside shared files", () => {
  it("is removed: temporary files and locks, those of earlier versions too, and nothing else", async () => {
    const kept = [
      "keys.json",
      "keys.json.backup",
      "notes.tmp",
      "spend.json.journal-0f0f",
      "traces.duckdb",
      "traces.duckdb.tmp",
    ];
    for (const name of kept) await leave(name);
    const left = ["keys.json.0f0f.tmp", "keys.json.lock-0f0f", "keys.json.lock", "spend.json.1e1e.tmp"];
    for (const name of left) await leave(name);
    await mkdir(join(folder, "console.json.lock"));
    await utimes(join(folder, "console.json.lock"), LONG_AGO, LONG_AGO);
    await removeLeftovers(folder);
    expect((await readdir(folder)).sort()).toEqual(kept);
    expect(await readFile(join(folder, "keys.json"), "utf8")).toBe("half of it");
  });

  it("stays while its process may be alive: a temporary file that is being written, an old lock that is fresh", async () => {
    const file = new SharedFile(join(folder, "keys.json"));
    await writeFile(join(folder, "keys.json.lock"), "");
    let tidied: Promise<void> | undefined;
    await file.update(async () => {
      await writeFile(join(folder, "keys.json.0f0f.tmp"), "new text");
      tidied = removeLeftovers(folder);
      // Long enough for a removal that does not wait for the lock.
      for (let turn = 0; turn < 50; turn++) await readdir(folder);
      expect(await readdir(folder)).toContain("keys.json.0f0f.tmp");
      return undefined;
    });
    await tidied;
    expect(await readdir(folder)).toEqual(["keys.json.lock"]);
  });

  it("is no matter in a folder that does not exist yet", async () => {
    await expect(removeLeftovers(join(folder, "data"))).resolves.toBeUndefined();
  });
});
