import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SqliteStore, STATE_FILE } from "../../../src/gateway/storage/sqlite-store.js";
import { itStores } from "../../contracts/store.contract.js";
import { FakeClock } from "../../fakes/clock.js";
import { folderForTest } from "../../support/folders.js";

const ENTRY = { kind: "session", key: "one" };
const PERIOD = "2026-01";

let folder = "";
let clock: FakeClock;
const opened: SqliteStore[] = [];
beforeEach(() => {
  folder = folderForTest();
  clock = new FakeClock();
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

function open(dataDir = folder): SqliteStore {
  const store = new SqliteStore(dataDir, { now: clock.now, timers: clock });
  opened.push(store);
  return store;
}

describe("A SQLite store", () => {
  itStores(() => open());

  it("forgets an entry when its time has passed, and not because the clock was set back", async () => {
    const store = open();
    await store.put(ENTRY, "there", { ttlMs: 1_000 });
    clock.advance(-60_000);
    expect(await store.get(ENTRY)).toBe("there");
    await store.update(ENTRY, (value) => value);
    clock.advance(60_999);
    expect(await store.get(ENTRY)).toBe("there");
    clock.advance(1);
    expect(await store.get(ENTRY)).toBeUndefined();
    await store.put(ENTRY, "there", { ttlMs: 1_000 });
    await store.update(ENTRY, (value) => value, { ttlMs: 2_000 });
    clock.advance(1_999);
    expect(await store.get(ENTRY)).toBe("there");
    clock.advance(1);
    expect(await store.get(ENTRY)).toBeUndefined();
    await store.put({ ...ENTRY, key: "other" }, "stays");
    clock.advance(5_000);
    await expect
      .poll(async () => (await store.entries("session")).map(({ value }) => value))
      .toEqual(["stays"]);
  });

  it("keeps the newest of a kind that is bounded, and all of others", async () => {
    const store = open();
    for (const key of ["one", "two", "three", "two"]) {
      await store.put({ kind: "response", key }, key, { kept: 2 });
      await store.put({ kind: "session", key }, key);
    }
    clock.advance(5_000);
    const keys = async (kind: string) => (await store.entries(kind)).map(({ value }) => value);
    await expect.poll(() => keys("response")).toEqual(["three", "two"]);
    expect(await keys("session")).toEqual(["one", "three", "two"]);
  });

  it("refuses no write that it has made: when the disk cannot flush one, those that come then", async () => {
    let fault: Error | undefined = Object.assign(new Error("broken"), { code: "EIO" });
    const flush = () => (fault === undefined ? Promise.resolve() : Promise.reject(fault));
    const store = new SqliteStore(folder, { now: clock.now, timers: clock, flush });
    opened.push(store);
    await store.put(ENTRY, "first");
    await expect(store.put(ENTRY, "second")).rejects.toThrow("state.db cannot be written");
    expect(await store.get(ENTRY)).toBe("first");
    fault = undefined;
    await store.put(ENTRY, "third");
    expect(await store.get(ENTRY)).toBe("third");
  });

  it("takes no flush that began before another one failed for a sign that the disk can flush again", async () => {
    const end: ((fault?: Error) => void)[] = [];
    const flush = () =>
      new Promise<void>((resolve, reject) => {
        end.push((fault) => (fault === undefined ? resolve() : reject(fault)));
      });
    const store = new SqliteStore(folder, { now: clock.now, timers: clock, flush });
    opened.push(store);
    const puts = [store.put(ENTRY, "first"), store.put(ENTRY, "second")];
    end[0]?.(new Error("broken"));
    await puts[0];
    end[1]?.();
    await puts[1];
    const third = store.put(ENTRY, "third");
    expect(await store.get(ENTRY)).toBe("second");
    end[2]?.();
    await expect.poll(() => end).toHaveLength(4);
    end[3]?.();
    await third;
    expect(await store.get(ENTRY)).toBe("third");
  });

  it("opens its log once, so that no file that cannot be opened fails a write that was made", async () => {
    const store = open();
    await store.put(ENTRY, "first");
    const log = `${store.name}-wal`;
    renameSync(log, `${log}-moved`);
    mkdirSync(log);
    await store.put(ENTRY, "second");
    rmSync(log, { recursive: true });
    renameSync(`${log}-moved`, log);
    expect(await open().get(ENTRY)).toBe("second");
  });

  it("adds up whole numbers between 0 and the largest that is exact", async () => {
    const store = open();
    const add = (amount: number, name = "ada") => store.add({ period: PERIOD, name, amount });
    add(5);
    add(7);
    add(-3, "bob");
    add(1, "b\u0000b");
    add(2, "bob");
    add(Number.MAX_SAFE_INTEGER - 1, "eve");
    add(10, "eve");
    add(-20, "ada");
    const amounts = () =>
      open()
        .sums()
        .map(({ name, amount }) => [name, amount]);
    expect(amounts()).toEqual([
      ["ada", 0],
      ["b\u0000b", 1],
      ["bob", 2],
      ["eve", Number.MAX_SAFE_INTEGER],
    ]);
    await store.forget([
      { period: PERIOD, name: "bob" },
      { period: PERIOD, name: "b\u0000b" },
    ]);
    expect(amounts()).toEqual([
      ["ada", 0],
      ["eve", Number.MAX_SAFE_INTEGER],
    ]);
  });

  it("makes no file and no folder by being read", async () => {
    const store = open(join(folder, "data"));
    expect([await store.get(ENTRY), await store.entries("events"), store.sums()]).toEqual([
      undefined,
      [],
      [],
    ]);
    expect(() => readFileSync(store.name)).toThrow("ENOENT");
  });

  it("is whole in a copy of its file once it is closed, and with its log in one of a store in use", async () => {
    const store = open();
    await store.put(ENTRY, "there");
    store.add({ period: PERIOD, name: "ada", amount: 7 });
    const copy = folderForTest();
    cpSync(folder, copy, { recursive: true });
    expect([await open(copy).get(ENTRY), open(copy).sums()]).toMatchObject(["there", [{ amount: 7 }]]);
    await store.close();
    const file = folderForTest();
    cpSync(store.name, join(file, STATE_FILE));
    expect([await open(file).get(ENTRY), open(file).sums()]).toMatchObject(["there", [{ amount: 7 }]]);
  });

  it("that is damaged says so, with its path and the remedy, and is left as it is", async () => {
    const path = join(folder, STATE_FILE);
    writeFileSync(path, "no database ".repeat(1000));
    const remedy = "Restore it from a backup, or move it away to start without keys, budgets and pauses.";
    await expect(open().get(ENTRY)).rejects.toThrow(`${path} is damaged (SQLITE_NOTADB). ${remedy}`);
    await expect(open().put(ENTRY, "value")).rejects.toThrow("SQLITE_NOTADB");
    expect(() => open().add({ period: PERIOD, name: "ada", amount: 1 })).toThrow("SQLITE_NOTADB");
    expect(readFileSync(path, "utf8")).toContain("no database");
  });

  it("in a folder that cannot be made says why, and works as soon as it can", async () => {
    const dataDir = join(folder, "data");
    writeFileSync(dataDir, "a file where the folder should be");
    const store = open(dataDir);
    await expect(store.put(ENTRY, "value")).rejects.toThrow(
      `${dataDir}/state.db cannot be written: a part of its path is a file (EEXIST). Move that file away, or set SEXTANT_DATA_DIR`,
    );
    expect(await store.get(ENTRY)).toBeUndefined();
    rmSync(dataDir);
    await store.put(ENTRY, "value");
    expect(await store.get(ENTRY)).toBe("value");
  });
});
