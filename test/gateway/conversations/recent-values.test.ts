import { describe, expect, it } from "vitest";
import { RecentValues, type RecentValuesOptions } from "../../../src/gateway/conversations/recent-values.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { MemoryStore } from "../../fakes/store.js";

type Value = { readonly text: string };

const TTL_MS = 60_000;

function opened(options: Partial<RecentValuesOptions> = {}) {
  const time = new ManualTime();
  const values = new RecentValues<Value>({
    kind: "some",
    ttlMs: TTL_MS,
    maxBytes: 1_000_000,
    now: () => 1 + time.clock(),
    timers: time.timers,
    ...options,
  });
  return { values, time };
}

describe("Values in memory", () => {
  it("are found until their time is over, by their key, and the last one counts", async () => {
    const { values, time } = opened();
    values.remember("a", { text: "one" });
    values.remember("a", { text: "two" });
    await time.advance(TTL_MS);
    expect(await values.find("a")).toEqual({ text: "two" });
    expect(await values.find("b")).toBeUndefined();
    await time.advance(1);
    expect(await values.find("a")).toBeUndefined();
  });

  it("are forgotten when asked for, and beyond the room, the least recently used first", async () => {
    const { values } = opened({ maxBytes: 80 });
    const text = "x".repeat(5);
    for (const key of ["a", "b"]) values.remember(key, { text });
    await values.find("a");
    values.remember("c", { text });
    const found = async () => Promise.all(["a", "b", "c"].map(async (key) => (await values.find(key))?.text));
    expect(await found()).toEqual([text, undefined, text]);
    values.forget("a");
    expect(await found()).toEqual([undefined, undefined, text]);
  });

  it("are none without room", async () => {
    const { values } = opened({ maxBytes: 0 });
    values.remember("a", { text: "one" });
    expect(await values.find("a")).toBeUndefined();
  });
});

describe("Values in a store", () => {
  it("are found and forgotten by every process, and expire there", async () => {
    const store = new MemoryStore();
    const [here, there] = [opened({ store }).values, opened({ store }).values];
    here.remember("a", { text: "one" });
    expect(await there.find("a")).toEqual({ text: "one" });
    there.forget("a");
    expect(await here.find("a")).toBeUndefined();
    expect(await store.get({ kind: "some", key: "a" })).toBeDefined();
  });

  it("are this process's own while the store fails, and the store's again afterwards", async () => {
    const store = new MemoryStore();
    const [here, there] = [opened({ store }).values, opened({ store }).values];
    store.fault = new Error("ECONNREFUSED");
    here.remember("a", { text: "here" });
    expect(await here.find("a")).toEqual({ text: "here" });
    expect(await there.find("a")).toBeUndefined();
    store.fault = undefined;
    there.remember("a", { text: "there" });
    expect(await here.find("a")).toEqual({ text: "there" });
  });

  it("are this process's own where the store is silent for 50 ms", async () => {
    const silent = () => new Promise<never>(() => {});
    const { values, time } = opened({ store: { get: silent, put: silent } });
    values.remember("a", { text: "here" });
    const found = values.find("a");
    await time.advance(50);
    expect(await found).toEqual({ text: "here" });
    expect(time.running).toBe(0);
  });
});
