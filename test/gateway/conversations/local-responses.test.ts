import { appendFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { LocalResponses } from "../../../src/gateway/conversations/local-responses.js";
import {
  keptKey,
  RESPONSE_TTL_MS,
  type StoredResponse,
} from "../../../src/gateway/conversations/response-memory.js";
import { SharedResponses } from "../../../src/gateway/conversations/shared-responses.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { folderForTest } from "../../support/folders.js";
import { memoryForTest, RESPONSE_SETTINGS } from "./responses-for-test.js";

const stored = (id: string, more: Partial<StoredResponse> = {}): StoredResponse => ({
  id,
  provider: "openai",
  model: "gpt-5.6-luna",
  keptAtMs: 0,
  ...more,
});

let path = "";
beforeEach(() => {
  path = join(folderForTest(), "responses.jsonl");
});
const open = (nowMs = 0) => LocalResponses.open({ settings: RESPONSE_SETTINGS, now: () => nowMs, path });

describe("Items of responses", () => {
  it("are found until their time is over, by whose request made them", async () => {
    let now = 1;
    const memory = memoryForTest({ now: () => now });
    const item = { type: "message", id: "msg_1" };
    memory.keep({ kind: "item", key: keptKey("key_1", "msg_1"), value: item });
    expect(await memory.find("item", keptKey("key_1", "msg_1"))).toEqual(item);
    expect(await memory.find("item", keptKey("key_2", "msg_1"))).toBeUndefined();
    now = RESPONSE_TTL_MS.item + 2;
    expect(await memory.find("item", keptKey("key_1", "msg_1"))).toBeUndefined();
  });

  it("are forgotten where there is no room, and never written to a file", async () => {
    const memory = memoryForTest({ settings: { responseItemsMaxBytes: 120 } });
    for (const key of ["a", "b"]) memory.keep({ kind: "item", key, value: { text: "x".repeat(40) } });
    expect(await memory.find("item", "a")).toBeUndefined();
    expect(await memory.find("item", "b")).toEqual({ text: "x".repeat(40) });
    const onDisk = await open();
    onDisk.keep({ kind: "item", key: "a", value: { text: "secret" } });
    onDisk.keep({ kind: "stored", key: "s", value: stored("resp_1") });
    await onDisk.close();
    expect(await readFile(path, "utf8")).not.toContain("secret");
  });

  it("are none when the settings say so", async () => {
    const memory = memoryForTest({ settings: { responseItemsMaxBytes: 0 } });
    memory.keep({ kind: "item", key: "a", value: {} });
    expect(await memory.find("item", "a")).toBeUndefined();
  });
});

describe("Stored responses", () => {
  it("are known to the next process, but for those that are over or deleted", async () => {
    const first = await open();
    // As a disk leaves it that was full for a moment.
    await appendFile(path, '{"key":"resp_0","id":"re', { mode: 0o600 });
    const values = [
      stored("resp_1"),
      stored("resp_2"),
      stored("resp_3", { keptAtMs: -RESPONSE_TTL_MS.stored }),
    ];
    for (const value of values) first.keep({ kind: "stored", key: value.id, value });
    first.keep({ kind: "stored", key: "resp_2", value: stored("resp_2", { deleted: true }) });
    expect(await first.find("stored", "resp_2")).toBeUndefined();
    await first.close();
    expect((await stat(path)).mode & 0o077).toBe(0);
    const next = await open();
    const found = await Promise.all(values.map(({ id }) => next.find("stored", id)));
    expect(found).toEqual([values[0], undefined, undefined]);
    expect((await readFile(path, "utf8")).trim().split("\n")).toHaveLength(1);
  });

  it("are read in spite of lines that cannot be", async () => {
    await writeFile(path, `{"key": \n[]\n${JSON.stringify({ key: "a", ...stored("resp_1") })}\n{"key":"b"}`);
    expect(await (await open()).find("stored", "a")).toEqual(stored("resp_1"));
  });
});

describe("Responses that instances share", () => {
  it("are found by each, and those of this one while the store is silent or must not have them", async () => {
    const kept = new Map<string, object>();
    const store = {
      mode: "up" as "up" | "down",
      get: async (name: string) => {
        if (store.mode === "down") throw new Error("ECONNREFUSED");
        return kept.get(name);
      },
      set: async (name: string, value: object) => void kept.set(name, value),
      close: async () => {},
    };
    const time = new ManualTime();
    const instance = () =>
      new SharedResponses({
        store,
        local: memoryForTest(),
        timers: time.timers,
        ttlMs: { item: null, stored: 1000 },
      });
    const [here, there] = [instance(), instance()];
    here.keep({ kind: "stored", key: "a", value: stored("resp_1") });
    here.keep({ kind: "item", key: "i", value: { text: "secret" } });
    expect(await there.find("stored", "a")).toEqual(stored("resp_1"));
    expect(await here.find("item", "i")).toEqual({ text: "secret" });
    expect(await there.find("item", "i")).toBeUndefined();
    expect(JSON.stringify([...kept])).not.toContain("secret");
    store.mode = "down";
    expect(await here.find("stored", "a")).toEqual(stored("resp_1"));
    expect(await there.find("stored", "a")).toBeUndefined();
    store.mode = "up";
    here.keep({ kind: "stored", key: "a", value: stored("resp_1", { deleted: true }) });
    expect(await there.find("stored", "a")).toBeUndefined();
    expect(time.running).toBe(0);
  });
});
