import { beforeEach, describe, expect, it } from "vitest";
import { budgetSchema } from "../../../../src/gateway/access/limits/budget.js";
import { limitRefusal } from "../../../../src/gateway/access/limits/limit-replies.js";
import { RefusalRecords } from "../../../../src/gateway/access/limits/refusal-records.js";
import type { Store } from "../../../../src/gateway/storage/store.js";
import { FakeClock } from "../../../fakes/clock.js";
import { MemoryStore } from "../../../fakes/store.js";

const ADA = "budget:month:UTC:teams:ada";
const DAY_MS = 86_400_000;
const budget = budgetSchema.parse({ name: "teams", by: "team", usd: 1 });
let clock: FakeClock;
let store: MemoryStore;
/** Keys of the entries that were written, and of those that were read. */
let [written, read]: [string[], string[]] = [[], []];
beforeEach(() => {
  [written, read] = [[], []];
  clock = new FakeClock();
  store = new MemoryStore(clock.now);
});

const process = () => new RefusalRecords({ store: watched, now: clock.now, timers: clock });

const watched: Pick<Store, "get" | "put" | "update"> = {
  put: (...entry) => store.put(...entry),
  get(entry) {
    read.push(entry.key);
    return store.get(entry);
  },
  update(entry, ...change) {
    written.push(entry.key);
    return store.update(entry, ...change);
  },
};

function refuse(records: RefusalRecords, nanoUsd: number, id = ADA): void {
  const nowMs = clock.now();
  const minute = { requests: 0, tokens: 0, minute: 0, minuteEndsInMs: 0 };
  const tally = { refusedBy: "budget" as const, ...minute, period: "2026-01", nanoUsd: 9e8 };
  const account = { id, limits: { requests: null, tokens: null, nanoUsd: 1e9 }, budget, value: "ada" };
  const refusal = limitRefusal({
    by: { account, tally },
    taken: { tokens: 0, nanoUsd },
    headers: {},
    nowMs,
  });
  records.note(refusal, { principal: "key_ada", requestId: undefined, nowMs });
}

/** Until what writes have brought about is done. */
const settle = () => new Promise((done) => setImmediate(done));

describe("The least that an account refused", () => {
  it("is the same to all processes, whichever refused it, and however they take turns", async () => {
    const [one, two] = [process(), process()];
    refuse(one, 2e8);
    refuse(two, 5e8);
    for (const process of [one, two]) expect(await process.least(ADA, clock.now())).toBe(2e8);
  });

  it("is written by itself, at most every five seconds, and again after ten minutes", async () => {
    const records = process();
    for (const nanoUsd of [9e8, 8e8, 7e8]) refuse(records, nanoUsd);
    refuse(records, 9e8, `${ADA}2`);
    expect(written).toEqual([ADA, `${ADA}2`]);
    clock.advance(5_000);
    refuse(records, 9e8);
    expect(written.slice(2)).toEqual([ADA]);
    expect(await process().least(ADA, clock.now())).toBe(7e8);
    expect(read).toEqual([ADA]);
    clock.advance(599_999);
    refuse(records, 9e8);
    expect(written).toHaveLength(3);
    clock.advance(1);
    refuse(records, 9e8);
    expect(written).toHaveLength(4);
  });

  it.each(["when the wait ends", "when the process ends"])(
    "is written %s, also when it fell during the wait",
    async (when) => {
      const records = process();
      refuse(records, 9e8);
      await settle();
      clock.advance(2_000);
      for (const nanoUsd of [4e8, 2e8]) refuse(records, nanoUsd);
      expect(written).toHaveLength(1);
      if (when === "when the wait ends") clock.advance(3_000);
      else await records.close();
      expect(await process().least(ADA, clock.now())).toBe(2e8);
      await settle();
      clock.advance(DAY_MS / 2);
      expect(written).toHaveLength(2);
      expect(clock.waiting).toBe(0);
    },
  );

  it("is written five seconds after a store that was away is there again", async () => {
    const records = process();
    store.fault = new Error("Redis is away");
    refuse(records, 3e8);
    for (let seconds = 0; seconds < 60; seconds += 5) {
      await settle();
      clock.advance(5_000);
    }
    await settle();
    store.fault = undefined;
    clock.advance(5_000);
    expect(await process().least(ADA, clock.now())).toBe(3e8);
    await settle();
    expect(clock.waiting).toBe(0);
  });

  it("is forgotten a day after the last refusal, and where it cannot be read is what the process refused", async () => {
    const records = process();
    refuse(records, 8e8);
    clock.advance(DAY_MS - 1);
    expect(await process().least(ADA, clock.now())).toBe(8e8);
    clock.advance(1);
    expect(await store.get({ kind: "least_refused", key: ADA })).toBeUndefined();
    expect(await records.least(ADA, clock.now())).toBeUndefined();
    store.fault = new Error("Redis is away");
    refuse(records, 9e8);
    expect(await records.least(ADA, clock.now())).toBe(9e8);
  });
});
