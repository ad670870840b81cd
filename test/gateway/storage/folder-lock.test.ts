import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { FolderInUseError, lockFolder } from "../../../src/gateway/storage/folder-lock.js";
import { SqliteStore } from "../../../src/gateway/storage/sqlite-store.js";
import { folderForTest } from "../../support/folders.js";

let folder = "";
beforeEach(() => {
  folder = join(folderForTest(), "data");
});

describe("A locked folder", () => {
  it("is refused to others with its name, the process that has it, and the remedy, until it is released", async () => {
    const lock = await lockFolder(folder);
    expect(lock.problem).toBeUndefined();
    await expect(lockFolder(folder)).rejects.toThrow(
      `${folder} is used by another server (process ${process.pid}), and only one can. Stop that one, or give this one a ` +
        "folder of its own with SEXTANT_DATA_DIR.",
    );
    lock.release();
    (await lockFolder(folder)).release();
  });

  it("goes to one of many that ask at once", async () => {
    mkdirSync(folder);
    const locks = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(folder)));
    const refused = locks.flatMap((lock) => (lock.status === "rejected" ? [lock.reason] : []));
    expect(refused).toHaveLength(5);
    for (const reason of refused) expect(reason).toBeInstanceOf(FolderInUseError);
    for (const lock of locks) if (lock.status === "fulfilled") lock.value.release();
  });

  it("can be read and written by commands", async () => {
    const lock = await lockFolder(folder);
    const store = new SqliteStore(folder);
    await store.put({ kind: "key", key: "one" }, "value");
    expect(await store.get({ kind: "key", key: "one" })).toBe("value");
    await store.close();
    lock.release();
  });
});

it("A folder that cannot be locked is none, which is said", async () => {
  const file = join(folderForTest(), "file");
  writeFileSync(file, "");
  const lock = await lockFolder(join(file, "data"));
  expect(lock.problem).toMatch(/data cannot be locked \(ENOTDIR\): make sure that no other server uses it/);
  lock.release();
});
