import { existsSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StorageError } from "../../../../src/foundation/errors.js";
import { CountingLimiter } from "../../../../src/gateway/access/limits/limiter.js";
import type { Limiter } from "../../../../src/gateway/access/limits/limits.js";
import { MemoryCounters } from "../../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../../src/gateway/access/limits/period-spend.js";
import { SavedCounters } from "../../../../src/gateway/access/limits/saved-counters.js";
import { SqliteStore } from "../../../../src/gateway/storage/sqlite-store.js";
import { attempt, free, limiterContract, principal } from "../../../contracts/limiter.contract.js";
import { FakeAccessLog } from "../../../fakes/access-log.js";
import { FakeClock } from "../../../fakes/clock.js";
import { folderForTest } from "../../../support/folders.js";

limiterContract(
  "a limiter in memory",
  async (contractClock) => {
    clock = contractClock;
    return inMemory().limiter;
  },
  { sequences: 40 },
);

let clock: FakeClock;
let log: FakeAccessLog;
beforeEach(() => {
  clock = new FakeClock();
  log = new FakeAccessLog();
});

const stores: SqliteStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

/** As a process of its own has it. */
function storeIn(folder: string): SqliteStore {
  const store = new SqliteStore(folder, { now: clock.now, timers: new FakeClock() });
  stores.push(store);
  return store;
}

const openSaved = async (folder: string): Promise<CountingLimiter> => {
  const store = storeIn(folder);
  const counters = SavedCounters.open({ store, now: clock.now, timers: clock, log });
  return new CountingLimiter(counters, { now: clock.now, refusals: store });
};

limiterContract(
  "a limiter in memory that saves budgets",
  async (contractClock) => {
    clock = contractClock;
    return openSaved(folderForTest());
  },
  { sequences: 40 },
);

const inMemory = () => {
  const counters = new MemoryCounters({ now: clock.now, spend: new PeriodSpend() });
  return { counters, limiter: new CountingLimiter(counters, { now: clock.now }) };
};

describe("The in-memory limiter", () => {
  it("answers synchronously, without a promise", async () => {
    const limiter = await openSaved(folderForTest());
    const ada = principal("key_ada", { requestsPerMinute: 1, tokensPerMinute: 10, usdPerMonth: 1 });
    expect(limiter.reserve(ada, free)).not.toBeInstanceOf(Promise);
    expect(() => limiter.reserve(ada, free)).toThrow(/requests a minute/);
  });

  it("removes the counters of principals without recent requests", () => {
    const { counters, limiter } = inMemory();
    for (let minute = 0; minute < 4; minute++) {
      for (let one = 0; one < 100; one++) {
        void limiter.reserve(principal(`jwt:${minute}-${one}`, { requestsPerMinute: 5 }), free);
      }
      clock.advance(60_000);
    }
    expect(counters.minuteCount).toBeLessThanOrEqual(200);
  });

  it("does not prolong a minute when the clock is set back", async () => {
    const { limiter } = inMemory();
    const ada = principal("key_ada", { requestsPerMinute: 1 });
    void limiter.reserve(ada, free);
    clock.advance(-3_600_000);
    expect(await attempt(limiter, ada, free)).toMatchObject({
      headers: { "x-ratelimit-reset-requests": "1m0s" },
    });
  });
});

describe("In-memory budgets", () => {
  let folder = "";
  beforeEach(() => {
    folder = folderForTest();
  });
  const ada = principal("key_ada", { usdPerMonth: 1, requestsPerMinute: 100 });
  const usd = (costUsd: number) => ({ tokens: 0, costUsd });
  const isRefused = async (limiter: Limiter, costUsd: number) =>
    (await attempt(limiter, ada, usd(costUsd))) instanceof Error;
  /** Name → nano-dollars, by period. */
  function saved(): Record<string, Record<string, number>> {
    const periods: Record<string, Record<string, number>> = {};
    for (const { period, name, amount } of storeIn(folder).sums())
      if (!period.startsWith("refused")) periods[period] = { ...periods[period], [name]: amount };
    return periods;
  }

  it("survive a restart", async () => {
    const before = await openSaved(folder);
    (await before.reserve(ada, usd(0.9))).settle(usd(0.6));
    await before.close();
    const after = await openSaved(folder);
    expect(await isRefused(after, 0.5)).toBe(true);
    expect(await isRefused(after, 0.4)).toBe(false);
    await after.close();
    expect(saved()).toEqual({ "2026-01": { key_ada: 1_000_000_000 } });
  });

  it("say after a restart what they refused, and why each request was", async () => {
    const before = await openSaved(folder);
    const teams = { name: "teams", by: "team", usd: 1, period: "day", time_zone: "UTC", warn_at: 1 } as const;
    const eve = principal("key_eve", {});
    before.useBudgets([teams]);
    await before.reserve(eve, usd(0.9));
    expect(await attempt(before, eve, usd(0.2), { requestId: "req_1" })).toBeInstanceOf(Error);
    await expect.poll(() => before.refusalOf("req_1")).toBeDefined();
    // Killed: nothing was closed.
    const after = await openSaved(folder);
    after.useBudgets([teams]);
    expect(await after.refusals("key_eve")).toMatchObject([{ refusedBy: "budget", requests: 1 }]);
    expect(await after.refusalOf("req_1")).toMatchObject({
      principal: "key_eve",
      message: expect.stringContaining("(team not named)"),
    });
    await expect.poll(async () => (await after.budgetUse())[0]?.leastRefused).toBe(2e8);
    clock.advance(25 * 3_600_000);
    expect(await (await openSaved(folder)).refusals("key_eve")).toEqual([]);
  });

  it("survive a start with a clock that is a month ahead, and one that is a day behind", async () => {
    for (const [days, cost] of [
      [0, 0.5],
      [40, 0.25],
      [-40, 0.25],
      [-2, 0.5],
      [2, 0.25],
    ] as const) {
      clock.advance(days * 86_400_000);
      const limiter = await openSaved(folder);
      expect(await isRefused(limiter, cost)).toBe(false);
      await limiter.close();
    }
    expect(saved()).toEqual({
      "2025-12": { key_ada: 500_000_000 },
      "2026-01": { key_ada: 1_000_000_000 },
      "2026-02": { key_ada: 250_000_000 },
    });
  });

  it("are saved with each change, and forgotten a day after their period", async () => {
    const limiter = await openSaved(folder);
    clock.advance(60_000);
    expect(existsSync(storeIn(folder).name)).toBe(false);
    const reservation = await limiter.reserve(ada, usd(0.25));
    expect(saved()).toEqual({ "2026-01": { key_ada: 250_000_000 } });
    reservation.settle(usd(0.125));
    expect(saved()).toEqual({ "2026-01": { key_ada: 125_000_000 } });
    clock.advance(31 * 86_400_000);
    await limiter.reserve(ada, usd(0.5));
    await expect.poll(saved).toEqual({ "2026-02": { key_ada: 500_000_000 } });
    await limiter.close();
    expect(clock.waiting).toBe(0);
  });

  it("are saved with the newest 50,000 counts of refusals", async () => {
    const store = storeIn(folder);
    const period = `refused ${clock.now() - (clock.now() % 60_000)}`;
    const sums = Array.from({ length: 50_001 }, (_, at) => {
      const name = JSON.stringify({ principal: `jwt:${at}`, refusedBy: "requests", budget: null });
      return { period, name, amount: 1 };
    });
    const forgotten: unknown[] = [];
    const counters = SavedCounters.open({
      store: {
        add: (sum) => store.add(sum),
        sums: () => sums,
        forget: async (over) => void forgotten.push(...over),
      },
      now: clock.now,
      timers: clock,
      log,
    });
    expect(counters.refusals()).toHaveLength(50_000);
    clock.advance(3_600_000);
    expect(forgotten).toEqual(sums.slice(0, 1));
    await counters.close();
  });

  it("that exceed the exactly countable amount can be read again", async () => {
    const before = await openSaved(folder);
    for (let request = 0; request < 3; request++) {
      (await before.reserve(principal(`key_${request}`, { usdPerMonth: 1 }), usd(0.5))).settle(usd(8e6));
    }
    (await before.reserve(ada, usd(0.5))).settle(usd(1e300));
    await before.close();
    expect(saved()["2026-01"]?.key_ada).toBe(Number.MAX_SAFE_INTEGER);
    const after = await openSaved(folder);
    expect(await isRefused(after, 0.01)).toBe(true);
    await after.close();
  });

  it("that cannot be saved are kept, logged once, and saved when that is possible again", async () => {
    const store = storeIn(folder);
    let isFull = true;
    const add: SqliteStore["add"] = (sum) => {
      if (isFull) throw new StorageError("the disk is full");
      store.add(sum);
    };
    const counters = SavedCounters.open({
      store: { add, sums: () => store.sums(), forget: (sums) => store.forget(sums) },
      now: clock.now,
      timers: clock,
      log,
    });
    const limiter = new CountingLimiter(counters, { now: clock.now });
    (await limiter.reserve(ada, usd(0.5))).settle(usd(0.25));
    clock.advance(5_000);
    isFull = false;
    await limiter.reserve(ada, usd(0.25));
    expect(await isRefused(limiter, 0.6)).toBe(true);
    expect(saved()).toEqual({});
    clock.advance(5_000);
    expect(saved()).toEqual({ "2026-01": { key_ada: 500_000_000 } });
    await limiter.reserve(ada, usd(0.125));
    expect(saved()).toEqual({ "2026-01": { key_ada: 625_000_000 } });
    expect(log.of("warn")).toEqual(["spending cannot be written: a crash would lose it"]);
  });

  it("count all spending exactly once, for a process that starts, spends, stops and is killed in any order", async () => {
    const step = fc.record({
      what: fc.constantFrom("spend", "spend", "settle", "stop", "kill"),
      nanoUsd: fc.integer({ min: 1, max: 1000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        folder = folderForTest();
        let running: CountingLimiter | undefined;
        let spent = 0;
        for (const { what, nanoUsd } of steps) {
          const limiter = running ?? (await openSaved(folder));
          running = limiter;
          if (what === "spend" || what === "settle") {
            const reservation = await limiter.reserve(ada, usd(nanoUsd / 1e9));
            const used = what === "settle" ? Math.ceil(nanoUsd / 2) : nanoUsd;
            reservation.settle(usd(used / 1e9));
            spent += used;
          } else {
            // One that is killed is let go of: its timers never run again.
            if (what === "stop") await limiter.close();
            running = undefined;
          }
        }
        expect(saved()["2026-01"]?.key_ada ?? 0).toBe(spent);
      }),
      { numRuns: 12 },
    );
  });
});
