import { expect, it } from "vitest";
import type { Store } from "../../src/gateway/storage/store.js";

const ENTRY = { kind: "pauses", key: "all" };

/** What every store promises. @param open another connection to the same store, which the caller closes */
export function itStores(open: () => Store | Promise<Store>): void {
  it("finds what was put, by its kind and key, from every process", async () => {
    const [here, there] = [await open(), await open()];
    expect(await there.get(ENTRY)).toBeUndefined();
    await here.put(ENTRY, "one");
    await here.put({ ...ENTRY, key: "other" }, "ünïcode 🙂 \u0000 \n");
    await here.put({ ...ENTRY, kind: "alerts" }, "");
    expect(await there.get(ENTRY)).toBe("one");
    expect(await there.get({ ...ENTRY, key: "other" })).toBe("ünïcode 🙂 \u0000 \n");
    expect(await there.get({ ...ENTRY, kind: "alerts" })).toBe("");
    await there.put(ENTRY, "two");
    expect(await here.get(ENTRY)).toBe("two");
  });

  it("loses no change of many concurrent processes", async () => {
    const stores = await Promise.all([1, 2, 3, 4].map(open));
    const append = (store: Store, number: number) =>
      store.update(ENTRY, (value) => JSON.stringify([...JSON.parse(value ?? "[]"), number]));
    await Promise.all(Array.from({ length: 20 }, (_, number) => append(stores[number % 4] as Store, number)));
    const numbers = JSON.parse((await stores[0]?.get(ENTRY)) ?? "[]") as number[];
    expect(numbers.sort((left, right) => left - right)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  it("changes nothing where a change makes nothing, or throws", async () => {
    const store = await open();
    await store.put(ENTRY, "before");
    await store.update(ENTRY, () => undefined);
    const failing = () => {
      throw new Error("no such key");
    };
    await expect(store.update(ENTRY, failing)).rejects.toThrow("no such key");
    expect(await store.get(ENTRY)).toBe("before");
    await store.update(ENTRY, () => "after");
    expect(await store.get(ENTRY)).toBe("after");
  });

  it("keeps a log in its order, of which the newest entries stay, and are read on from any", async () => {
    const [here, there] = [await open(), await open()];
    expect(await here.entries("events")).toEqual([]);
    for (const value of ["a", "b 1", ""]) await here.append("events", value, { kept: 4 });
    const values = async (after?: number) => (await there.entries("events", after)).map(({ value }) => value);
    expect(await values()).toEqual(["a", "b 1", ""]);
    const last = (await there.entries("events")).at(-1)?.sequence ?? 0;
    for (const value of ["d", "e"]) await there.append("events", value, { kept: 4 });
    expect(await values()).toEqual(["b 1", "", "d", "e"]);
    expect(await values(last)).toEqual(["d", "e"]);
    await here.append("other", "x");
    expect(await values()).toEqual(["b 1", "", "d", "e"]);
  });
}
