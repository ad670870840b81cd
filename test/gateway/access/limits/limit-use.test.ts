import { beforeEach, describe, expect, it } from "vitest";
import { FallbackCounters } from "../../../../src/gateway/access/limits/fallback-counters.js";
import { limitUses } from "../../../../src/gateway/access/limits/limit-use.js";
import { CountingLimiter } from "../../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../../src/gateway/access/limits/period-spend.js";
import { type PrincipalLimits, UNLIMITED } from "../../../../src/gateway/access/principal.js";
import { principal } from "../../../contracts/limiter.contract.js";
import { FakeAccessLog } from "../../../fakes/access-log.js";
import { FakeClock } from "../../../fakes/clock.js";
import { FakeSharedCounters } from "../../../fakes/shared-counters.js";

let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});

const ALL: PrincipalLimits = { requestsPerMinute: 4, tokensPerMinute: 1000, usdPerMonth: 10 };
const key = (id: string, limits: Partial<PrincipalLimits>) => ({
  id,
  name: `name of ${id}`,
  limits: { ...UNLIMITED, ...limits },
});
const use = (limit: string, ratio: number) => ({ id: "key_a", name: "name of key_a", limit, ratio });

describe("The use of limits", () => {
  it("is what requests have reserved and used, of each limit that a key has, until its minute or month ends", async () => {
    const counters = new MemoryCounters({ now: clock.now, spend: new PeriodSpend() });
    const limiter = new CountingLimiter(counters, { now: clock.now });
    const reservation = await limiter.reserve(principal("key_a", ALL), { tokens: 800, costUsd: 9 });
    await limiter.reserve(principal("key_a", ALL), { tokens: 100, costUsd: 0.5 });
    const uses = () => limitUses([key("key_a", ALL)], (id) => limiter.used(id));
    expect(uses()).toEqual([use("requests", 0.5), use("tokens", 0.9), use("budget", 0.95)]);
    reservation.settle({ tokens: 400, costUsd: 1 });
    expect(uses()).toEqual([use("requests", 0.5), use("tokens", 0.5), use("budget", 0.15)]);
    clock.advance(60_000);
    expect(uses()).toEqual([use("requests", 0), use("tokens", 0), use("budget", 0.15)]);
    clock.advance(32 * 86_400_000);
    expect(uses()).toEqual([use("requests", 0), use("tokens", 0), use("budget", 0)]);
    const others = [key("key_b", {}), key("key_c", { usdPerMonth: 1 })];
    const unused = { id: "key_c", name: "name of key_c", limit: "budget", ratio: 0 };
    expect(limitUses(others, (id) => limiter.used(id))).toEqual([unused]);
  });

  it("is that of all instances, where they share counters", async () => {
    const shared = new FakeSharedCounters(clock.now);
    const open = async () =>
      new CountingLimiter(
        await FallbackCounters.open(shared, { now: clock.now, timers: clock, log: new FakeAccessLog() }),
        { now: clock.now },
      );
    const [one, other] = [await open(), await open()];
    await one.reserve(principal("key_a", ALL), { tokens: 100, costUsd: 4 });
    await other.reserve(principal("key_a", ALL), { tokens: 100, costUsd: 4 });
    expect(limitUses([key("key_a", ALL)], (id) => other.used(id))).toEqual([
      use("requests", 0.5),
      use("tokens", 0.2),
      use("budget", 0.8),
    ]);
  });

  it("is unknown where another process counts", () => {
    expect(limitUses([key("key_a", ALL)], () => null)).toEqual([]);
  });
});
