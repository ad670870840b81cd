import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { FallbackCounters } from "../../../../src/gateway/access/limits/fallback-counters.js";
import { CountingLimiter } from "../../../../src/gateway/access/limits/limiter.js";
import type { Limiter, Reservation } from "../../../../src/gateway/access/limits/limits.js";
import { SharedCountersError } from "../../../../src/gateway/access/limits/shared-counters-error.js";
import { attempt, free, limiterContract, principal } from "../../../contracts/limiter.contract.js";
import { FakeAccessLog } from "../../../fakes/access-log.js";
import { FakeClock } from "../../../fakes/clock.js";
import { FakeSharedCounters } from "../../../fakes/shared-counters.js";

let clock: FakeClock;
let log: FakeAccessLog;
let shared: FakeSharedCounters;
beforeEach(() => {
  clock = new FakeClock();
  log = new FakeAccessLog();
  shared = new FakeSharedCounters(clock.now);
});

const open = async (): Promise<CountingLimiter> =>
  new CountingLimiter(await FallbackCounters.open(shared, { now: clock.now, timers: clock, log }), {
    now: clock.now,
  });

const WENT = "Redis cannot be reached: limits are counted in memory";
const CAME_BACK = "Redis can be reached again: limits are shared";
const warning = (fault: string, message: string = WENT) => ({ level: "warn", details: { fault }, message });
const usd = (costUsd: number) => ({ tokens: 0, costUsd });
const isRefused = async (limiter: Limiter, who: Parameters<Limiter["reserve"]>[0], estimate = free) =>
  (await attempt(limiter, who, estimate)) instanceof Error;
async function granted(
  limiter: Limiter,
  ...[who, estimate]: Parameters<Limiter["reserve"]>
): Promise<Reservation> {
  const outcome = await attempt(limiter, who, estimate);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}
/** Lets a probe run and what it sets off be done. */
async function probe(): Promise<void> {
  clock.advance(1_000);
  await turn();
}

for (const mode of ["up", "down"] as const) {
  limiterContract(
    `a limiter over shared counters that are ${mode}`,
    async (contractClock) => {
      clock = contractClock;
      shared = new FakeSharedCounters(clock.now);
      shared.mode = mode;
      return open();
    },
    { sequences: 25 },
  );
}

describe("Fallback counters, when the key of one principal cannot be used,", () => {
  const ada = principal("key_ada", { requestsPerMinute: 3, usdPerMonth: 1 });
  const bob = principal("key_bob", { requestsPerMinute: 3, usdPerMonth: 1 });

  it("count that one in memory and share all others, and say so once a minute", async () => {
    const [one, two] = [await open(), await open()];
    shared.broken.add("key_ada");
    for (let request = 0; request < 3; request++) {
      (await granted(one, ada, usd(0.1))).settle(usd(0.05));
      await turn();
    }
    expect(await isRefused(one, ada, usd(0.1))).toBe(true);
    await granted(one, bob, usd(0.5));
    expect(await isRefused(two, bob, usd(0.6))).toBe(true);
    expect(one.health()).toMatchObject({ shared: true });
    expect(shared.spent("key_bob")).toBe(5e8);
    const message = expect.stringContaining("its principal is counted in memory");
    expect(log.lines).toEqual([warning("WRONGTYPE for key_ada", message)]);
  });

  it("go on in memory when it turns out to be the server", async () => {
    const limiter = await open();
    shared.broken.add("key_ada");
    shared.probe = () => Promise.reject(new SharedCountersError("ERR"));
    await granted(limiter, ada, usd(0.1));
    await turn();
    expect(limiter.health()).toMatchObject({ shared: false });
  });
});

describe("Fallback counters, when the shared counters fail,", () => {
  const ada = principal("key_ada", { requestsPerMinute: 5, tokensPerMinute: 100, usdPerMonth: 1 });

  it("continue from the last known count of each principal and log the outage once", async () => {
    const [one, two] = [await open(), await open()];
    // What was settled before the outage is taken into account.
    for (let request = 0; request < 3; request++)
      (await granted(one, ada, { tokens: 25, costUsd: 0.25 })).settle({ tokens: 20, costUsd: 0.2 });
    await granted(two, ada, { tokens: 20, costUsd: 0.2 });
    shared.mode = "down";
    expect(await isRefused(one, ada, { tokens: 41, costUsd: 0 })).toBe(true);
    expect(await isRefused(one, ada, usd(0.41))).toBe(true);
    for (let request = 0; request < 2; request++) await granted(one, ada, { tokens: 20, costUsd: 0.2 });
    expect(await isRefused(one, ada)).toBe(true);
    // The other instance heard last that four were counted.
    await granted(two, ada, { tokens: 20, costUsd: 0.2 });
    expect(await isRefused(two, ada)).toBe(true);
    expect(log.lines).toEqual([warning("ECONNREFUSED"), warning("ECONNREFUSED")]);
    expect(one.health()).toEqual({ ok: true, store: "redis", shared: false });
  });

  it("make one request wait at most 100 ms for a silent server, and later requests not at all", async () => {
    const limiter = await open();
    shared.mode = "deaf";
    const first = limiter.reserve(ada, free);
    expect(first).toBeInstanceOf(Promise);
    let isSettled = false;
    void Promise.resolve(first).then(() => {
      isSettled = true;
    });
    clock.advance(99);
    await turn();
    expect(isSettled).toBe(false);
    clock.advance(1);
    await first;
    expect(limiter.reserve(ada, free)).not.toBeInstanceOf(Promise);
    expect(log.lines).toEqual([warning("TIMEOUT")]);
  });

  it("return a claim on the shared counters whose reply comes too late", async () => {
    const limiter = await open();
    shared.mode = "silent";
    const late = limiter.reserve(ada, { tokens: 60, costUsd: 0.6 });
    clock.advance(100);
    (await late).settle({ tokens: 30, costUsd: 0.3 });
    expect(shared.spent("key_ada")).toBe(600_000_000);
    shared.speak();
    await turn();
    expect(shared.spent("key_ada")).toBe(0);
    await probe();
    expect(shared.spent("key_ada")).toBe(300_000_000);
  });

  it("start in memory after at most two seconds", async () => {
    shared.mode = "deaf";
    const opening = open();
    clock.advance(2_000);
    const limiter = await opening;
    expect(limiter.health()).toMatchObject({ ok: true, shared: false });
    for (let request = 0; request < 5; request++) await granted(limiter, ada, free);
    expect(await isRefused(limiter, ada)).toBe(true);
  });
});

describe("Fallback counters, when the shared counters are reachable again,", () => {
  const ada = principal("key_ada", { usdPerMonth: 1 });

  it("report what was spent during the outage before counting anything else", async () => {
    const [one, two] = [await open(), await open()];
    await granted(one, ada, usd(0.1));
    shared.mode = "down";
    (await granted(one, ada, usd(0.5))).settle(usd(0.4));
    await granted(two, ada, usd(0.2));
    expect(shared.spent("key_ada")).toBe(100_000_000);
    await probe();
    expect(one.health()).toMatchObject({ shared: false });
    shared.mode = "up";
    await probe();
    expect(one.health()).toMatchObject({ shared: true });
    expect(shared.spent("key_ada")).toBe(700_000_000);
    expect(await isRefused(two, ada, usd(0.31))).toBe(true);
    await granted(two, ada, usd(0.3));
    expect(log.of("info")).toEqual([CAME_BACK, CAME_BACK]);
    expect(clock.waiting).toBe(0);
  });

  it("settle reservations where they were made, whenever that was", async () => {
    const limiter = await open();
    const before = await granted(limiter, ada, usd(0.2));
    shared.mode = "down";
    const during = await granted(limiter, ada, usd(0.2));
    before.settle(usd(0.1));
    shared.mode = "up";
    await probe();
    expect(shared.spent("key_ada")).toBe(300_000_000);
    during.settle(usd(0.05));
    await turn();
    expect(shared.spent("key_ada")).toBe(150_000_000);
  });

  it("repeat a lost charge but not a lost refund, because either may have been counted", async () => {
    const limiter = await open();
    const [more, less] = [await granted(limiter, ada, usd(0.1)), await granted(limiter, ada, usd(0.1))];
    shared.mode = "down";
    more.settle(usd(0.4));
    less.settle(usd(0));
    await turn();
    shared.mode = "up";
    await probe();
    expect(shared.spent("key_ada")).toBe(500_000_000);
  });

  it("send the next probe only after the reply to the previous one", async () => {
    const limiter = await open();
    shared.mode = "down";
    await granted(limiter, ada, usd(0.1));
    shared.mode = "silent";
    for (let second = 0; second < 5; second++) await probe();
    shared.speak();
    await turn();
    expect(log.of("info")).toEqual([CAME_BACK]);
  });
});

describe("Closing the fallback counters", () => {
  const ada = principal("key_ada", { usdPerMonth: 1 });

  it.each([
    ["of a request", false],
    ["of a last report", true],
  ])(
    "during an outage logs how much spending %s is lost, and leaves nothing running",
    async (_, isReserved) => {
      const limiter = await open();
      const before = isReserved ? await granted(limiter, ada, usd(0.25)) : undefined;
      shared.mode = "down";
      if (before === undefined) await granted(limiter, ada, usd(0.5));
      else before.settle(usd(0.75));
      await limiter.close();
      const message = "spending was not reported to Redis and is lost";
      expect(log.lines.at(-1)).toEqual({ level: "warn", details: { usd: 0.5 }, message });
      expect([clock.waiting, shared.closed]).toEqual([0, true]);
    },
  );

  it("stops waiting for a silent server after a second", async () => {
    const limiter = await open();
    const reservation = await granted(limiter, ada, usd(0.5));
    shared.mode = "deaf";
    reservation.settle(usd(0.25));
    const closing = limiter.close();
    clock.advance(1_000);
    await closing;
    expect(clock.waiting).toBe(0);
  });
});
