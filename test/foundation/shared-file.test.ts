import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { removeLeftovers, SharedFile } from "../../src/foundation/shared-file.js";
import { folderForTest } from "../support/folders.js";

const WRITERS = 6;
const ROUNDS = 4;

const newPath = () => join(folderForTest(), "keys.json");

/** Something as a process left it that died a minute ago. */
async function leave(
  path: string,
  create: (path: string) => Promise<unknown> = (at) => writeFile(at, "half"),
) {
  await create(path);
  // By the clock of the file system, which the process's own need not follow.
  const then = new Date((await stat(path)).mtimeMs - 60_000);
  await utimes(path, then, then);
}

const append = (file: SharedFile, entry: number) =>
  file.update((text) => JSON.stringify([...(JSON.parse(text ?? "[]") as number[]), entry]));

describe("A shared file", () => {
  it("loses no change of many concurrent writers, also when a dead process left its lock", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const path = newPath();
      await leave(`${path}.lock-0f0f`);
      const writers = Array.from({ length: WRITERS }, () => new SharedFile(path));
      await Promise.all(writers.map((writer, entry) => append(writer, entry)));
      const written = JSON.parse(await readFile(path, "utf8")) as number[];
      expect(written.sort()).toEqual([0, 1, 2, 3, 4, 5]);
    }
  });

  it("leaves no other file beside it, and removes those of dead writers", async () => {
    const path = newPath();
    await leave(`${path}.0f0f.tmp`);
    await leave(`${path}.lock-0f0f`);
    await append(new SharedFile(path), 1);
    expect(await readdir(join(path, ".."))).toEqual(["keys.json"]);
  });

  it("is unchanged and unlocked when a change throws", async () => {
    const path = newPath();
    const file = new SharedFile(path);
    await append(file, 1);
    await expect(
      file.update(() => {
        throw new Error("no such key");
      }),
    ).rejects.toThrow("no such key");
    await append(file, 2);
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual([1, 2]);
  });
});

describe("A claim of a shared file's lock", () => {
  let path = "";
  let [namespace, processId] = ["", ""];
  const namesBeside = () => readdir(join(path, ".."));
  beforeEach(async () => {
    path = newPath();
    await new SharedFile(path).update(async () => {
      const [claim = ""] = await namesBeside();
      [, namespace = "", processId = ""] = /\.lock-(\d+)-(\d+)-/.exec(claim) ?? [];
      return undefined;
    });
  });
  const NO_PROCESS = "999999999";

  it.each([
    ["a process that has ended", () => NO_PROCESS],
    ["an earlier process of the same id, as in a container", () => processId],
  ])("counts for nothing at once when it is that of %s", async (_, id) => {
    const claim = `${path}.lock-${namespace}-${id()}-0f0f0f0f-1`;
    await writeFile(claim, "");
    // No claim is too old before.
    await utimes(claim, new Date(Date.now() + 3_600_000), new Date(Date.now() + 3_600_000));
    await append(new SharedFile(path), 1);
    expect(await namesBeside()).toEqual(["keys.json"]);
  });

  it.each([
    ["of a process that lives", () => `${namespace}-${process.ppid}`, "waits for its end"],
    ["of another container", () => `1${namespace}-${NO_PROCESS}`, "removes it"],
  ])("%s counts, and a server that starts %s", async (_, owner, then) => {
    const claim = `${path}.lock-${owner()}-0f0f0f0f-1`;
    await writeFile(claim, "");
    const written = append(new SharedFile(path), 1);
    for (let turn = 0; turn < 50; turn++) expect(await namesBeside()).not.toContain("keys.json");
    const tidied = removeLeftovers(join(path, ".."));
    if (then === "waits for its end") {
      for (let turn = 0; turn < 50; turn++) expect(await namesBeside()).toContain(basename(claim));
      await rm(claim);
    }
    await Promise.all([written, tidied]);
    expect(await namesBeside()).toEqual(["keys.json"]);
  });
});

describe("What processes that died left beside shared files", () => {
  let folder = "";
  beforeEach(() => {
    folder = folderForTest();
  });

  it("is removed: temporary files and locks, those of earlier versions too, and nothing else", async () => {
    const kept = [
      "keys.json",
      "keys.json.backup",
      "notes.tmp",
      "spend.json.journal-0f0f",
      "traces.duckdb",
      "traces.duckdb.tmp",
    ];
    const left = ["keys.json.0f0f.tmp", "keys.json.lock-0f0f", "spend.json.1e1e.tmp"];
    for (const name of [...kept, ...left]) await leave(join(folder, name));
    await removeLeftovers(folder);
    expect((await readdir(folder)).sort()).toEqual(kept);
    expect(await readFile(join(folder, "keys.json"), "utf8")).toBe("half");
  });

  it("stays while its process may be alive: a temporary file that is being written", async () => {
    const file = new SharedFile(join(folder, "keys.json"));
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
    expect(await readdir(folder)).toEqual([]);
  });

  it("is no matter in a folder that does not exist yet", async () => {
    await expect(removeLeftovers(join(folder, "data"))).resolves.toBeUndefined();
  });
});
