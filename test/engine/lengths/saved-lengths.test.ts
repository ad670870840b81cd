import { beforeEach, describe, expect, it } from "vitest";
import { SavedLengths } from "../../../src/engine/lengths/saved-lengths.js";
import { FakeAccessLog } from "../../fakes/access-log.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { MemoryStore } from "../../fakes/store.js";
import { until } from "../../gateway/traces/until.js";

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

const ENTRY = { kind: "lengths", key: "all" };
const NOTHING = ["m", { answers: 3, expectedTokens: 0, actualTokens: 1 }];
const observation = { model: "m", expectedTokens: 100, actualTokens: 500 };

async function open(version = "v1") {
  const time = new ManualTime();
  const log = new FakeAccessLog();
  const lengths = await SavedLengths.open({ store, timers: time.timers, log });
  lengths.useProfiles(version);
  return { lengths, time, log };
}

/** Learns that many answers of `m`, five times as long as expected, and stops. */
async function learn(answers: number): Promise<number> {
  const { lengths } = await open();
  for (let answer = 0; answer < answers; answer++) lengths.observe(observation);
  await lengths.close();
  return lengths.ratioOf("m");
}

describe("Saved length corrections", () => {
  it("survive a restart", async () => {
    const ratio = await learn(40);
    expect(ratio).toBeGreaterThan(3);
    const { lengths, log } = await open();
    expect(lengths.corrections()).toEqual(new Map([["m", { ratio, answers: 40 }]]));
    expect(log.lines).toEqual([]);
  });

  it("are saved five seconds after the first unsaved answer, not at each answer", async () => {
    const { lengths, time } = await open();
    lengths.observe(observation);
    await time.advance(4999);
    lengths.observe(observation);
    expect(time.running).toBe(1);
    expect(await store.get(ENTRY)).toBeUndefined();
    await time.advance(1);
    await expect.poll(() => store.get(ENTRY)).toBeDefined();
    const saved = { profileVersion: "v1", models: [["m", { answers: 2 }]] };
    expect(JSON.parse((await store.get(ENTRY)) ?? "")).toMatchObject(saved);
    expect(time.running).toBe(0);
  });

  it("are not written when nothing changed", async () => {
    await learn(0);
    expect(await store.get(ENTRY)).toBeUndefined();
  });

  it.each([
    ["another form", '{"version":2}'],
    ["a ratio of nothing", JSON.stringify({ profileVersion: "v1", models: [NOTHING] })],
    ["no JSON", "half of it"],
  ])("are reset and replaced when they are damaged (%s), with a log line", async (_, text) => {
    await store.put(ENTRY, text);
    const { lengths, log } = await open();
    expect(lengths.corrections().size).toBe(0);
    expect(log.lines).toMatchObject([{ level: "warn", message: expect.stringContaining("cannot be read") }]);
    lengths.observe(observation);
    await lengths.close();
    expect((await open()).log.lines).toEqual([]);
  });

  it("are reset, with a log line, when they belong to other profiles", async () => {
    await learn(40);
    const { lengths, log } = await open("v2");
    expect(lengths.ratioOf("m")).toBe(1);
    expect(log.of("info")).toEqual([
      "the profile files changed: answer lengths that were learned with the old ones are forgotten, and learned anew",
    ]);
    await lengths.close();
    // Nothing was learned with the others: those who go back to the old profiles find what was learned with them.
    expect((await open("v1")).lengths.ratioOf("m")).toBeGreaterThan(3);
  });

  it("stay in memory, with one log line, while they cannot be saved", async () => {
    const { lengths, time, log } = await open();
    store.fault = new Error("the disk is full");
    for (let save = 0; save < 2; save++) {
      lengths.observe(observation);
      await time.advance(5000);
      await until(() => log.lines.length > 0);
    }
    await lengths.close();
    expect(log.of("warn")).toEqual(["corrections of answer lengths not saved"]);
    expect(lengths.corrections().get("m")?.answers).toBe(2);
    store.fault = undefined;
    await lengths.close();
    expect((await open()).lengths.corrections().get("m")?.answers).toBe(2);
  });
});
