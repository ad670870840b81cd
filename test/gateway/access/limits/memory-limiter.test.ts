import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { CountingLimiter } from "../../../../src/gateway/access/limits/limiter.js";
import type { Limiter } from "../../../../src/gateway/access/limits/limits.js";
import { MemoryCounters } from "../../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../../src/gateway/access/limits/period-spend.js";
import { SavedCounters } from "../../../../src/gateway/access/limits/saved-counters.js";
import { SpendFile } from "../../../../src/gateway/access/limits/spend-file.js";
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

const openSaved = async (folder: string): Promise<CountingLimiter> => {
  const file = new SpendFile(folder, { log });
  const counters = await SavedCounters.open({ file, now: clock.now, timers: clock, log });
  return new CountingLimiter(counters, { now: clock.now });
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
  const file = () => {
    const { journals: _, ...saved } = JSON.parse(readFileSync(join(folder, "spend.json"), "utf8"));
    return saved;
  };
  const isSaved = () => readdirSync(folder).includes("spend.json");

  it("survive a restart", async () => {
    const before = await openSaved(folder);
    (await before.reserve(ada, usd(0.9))).settle(usd(0.6));
    await before.close();
    const after = await openSaved(folder);
    expect(await isRefused(after, 0.5)).toBe(true);
    expect(await isRefused(after, 0.4)).toBe(false);
    await after.close();
    expect(file()).toEqual({ version: 1, month: "2026-01", spent_nano_usd: { key_ada: 1_000_000_000 } });
    expect(statSync(join(folder, "spend.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["spend.json"]);
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
    const spent = { key_ada: 1_000_000_000 };
    const other_periods = [
      ["2026-02", "key_ada", 250_000_000],
      ["2025-12", "key_ada", 500_000_000],
    ];
    expect(file()).toMatchObject({ spent_nano_usd: spent });
    expect(file().other_periods.sort()).toEqual(other_periods.sort());
  });

  it("are saved every five seconds while something is spent, and not otherwise", async () => {
    const limiter = await openSaved(folder);
    clock.advance(60_000);
    expect(readdirSync(folder)).toEqual([]);
    await limiter.reserve(ada, usd(0.25));
    clock.advance(4_999);
    expect(isSaved()).toBe(false);
    clock.advance(1);
    await limiter.close();
    expect(file().spent_nano_usd).toEqual({ key_ada: 250_000_000 });
    expect(clock.waiting).toBe(0);
  });

  it("that exceed the exactly countable amount can be read again", async () => {
    const before = await openSaved(folder);
    for (let request = 0; request < 3; request++) {
      (await before.reserve(principal(`key_${request}`, { usdPerMonth: 1 }), usd(0.5))).settle(usd(8e6));
    }
    (await before.reserve(ada, usd(0.5))).settle(usd(1e300));
    await before.close();
    expect(file().spent_nano_usd.key_ada).toBe(Number.MAX_SAFE_INTEGER);
    const after = await openSaved(folder);
    expect(await isRefused(after, 0.01)).toBe(true);
    await after.close();
  });

  it("that cannot be read are set aside and logged, and affect neither the start nor other budgets", async () => {
    const spent = { key_ada: 600_000_000, key_all: "all", key_much: 4e21, key_minus: -5, key_half: 0.5 };
    const text = JSON.stringify({ version: 1, month: "2026-01", spent_nano_usd: spent });
    writeFileSync(join(folder, "spend.json"), text);
    const limiter = await openSaved(folder);
    const { key_ada: _, ...putAside } = spent;
    expect(log.lines.map(({ details }) => [details.principal, details.value])).toEqual(
      Object.entries(putAside),
    );
    expect(log.lines[0]).toMatchObject({ level: "warn", details: { file: join(folder, "spend.json") } });
    expect(await isRefused(limiter, 0.5)).toBe(true);
    await limiter.reserve(principal("key_all", { usdPerMonth: 1 }), usd(0.25));
    await limiter.reserve(ada, usd(0.25));
    await limiter.close();
    expect(file()).toMatchObject({
      spent_nano_usd: { key_ada: 850_000_000, key_all: 250_000_000 },
      put_aside: putAside,
    });
    await (await openSaved(folder)).close();
    expect(log.lines).toHaveLength(4);
  });

  it("in a file that is unreadable as a whole stop the start with an error that names the remedy", async () => {
    for (const text of ["", "{}", '{"version":1,"month":"2026-01","spent_nano_usd":[]}']) {
      writeFileSync(join(folder, "spend.json"), text);
      await expect(openSaved(folder)).rejects.toThrow(
        /spend\.json is not a readable file of spending.*move it away/,
      );
    }
  });

  it("that cannot be saved are kept, logged once, and saved when that is possible again", async () => {
    const limiter = await openSaved(folder);
    await limiter.reserve(ada, usd(0.5));
    mkdirSync(join(folder, "spend.json"));
    clock.advance(5_000);
    await expect.poll(() => log.of("warn")).toEqual(["spending not saved"]);
    clock.advance(5_000);
    rmdirSync(join(folder, "spend.json"));
    await limiter.reserve(ada, usd(0.25));
    await limiter.close();
    expect(file().spent_nano_usd).toEqual({ key_ada: 750_000_000 });
    expect(log.of("warn")).toHaveLength(1);
  });
});
