import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SharedFile } from "../../src/foundation/shared-file.js";
import { folderForTest } from "../support/folders.js";

const WRITERS = 6;
const ROUNDS = 20;

const newPath = () => join(folderForTest(), "keys.json");

/** A file as a process left it that died a minute ago. */
async function leave(path: string): Promise<void> {
  await writeFile(path, "");
  const then = new Date(Date.now() - 60_000);
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
