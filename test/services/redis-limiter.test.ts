import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemTimers } from "../../src/foundation/timers.js";
import { budgetSchema } from "../../src/gateway/access/limits/budget.js";
import { FallbackCounters } from "../../src/gateway/access/limits/fallback-counters.js";
import { CountingLimiter } from "../../src/gateway/access/limits/limiter.js";
import { RedisCounters } from "../../src/gateway/access/limits/redis-counters.js";
import type { Principal, PrincipalLimits } from "../../src/gateway/access/principal.js";
import { attempt, free, limiterContract, principal } from "../contracts/limiter.contract.js";
import { FakeAccessLog } from "../fakes/access-log.js";
import { FakeClock } from "../fakes/clock.js";
import { RedisServer } from "./redis-server.js";

const WENT = "Redis cannot be reached: limits are counted in memory";
const CAME_BACK = "Redis can be reached again: limits are shared";
/** Where an outage is not the point, a slow machine must not look like one. */
const LONG_MS = 10_000;
/** Where it is: three such waits are all that these tests spend on it. */
const OUTAGE_MS = 3000;
/** Shorter than a stall of this process. */
const STALL_MS = 100;

let server: RedisServer;
let direct: Redis;
beforeAll(async () => {
  server = await RedisServer.start();
  direct = new Redis(server.url);
  direct.on("error", () => {});
});
afterAll(async () => {
  direct.disconnect();
  await server.stop();
});

let log: FakeAccessLog;
const opened: CountingLimiter[] = [];
beforeEach(() => {
  log = new FakeAccessLog();
});
afterEach(async () => {
  for (const limiter of opened.splice(0)) await limiter.close();
});

/** One instance of the gateway, on the clock of the system and of Redis. */
async function open({
  url = server.url,
  now = Date.now,
  claimWaitMs = LONG_MS,
} = {}): Promise<CountingLimiter> {
  const counters = await FallbackCounters.open(new RedisCounters(url, { now }), {
    now,
    log,
    timers: systemTimers,
    claimWaitMs,
  });
  const limiter = new CountingLimiter(counters, { now });
  opened.push(limiter);
  return limiter;
}

/** A principal that no other test knows. */
const somebody = (limits: Partial<PrincipalLimits>): Principal => principal(`key_${randomUUID()}`, limits);
const usd = (costUsd: number) => ({ tokens: 0, costUsd });
const passes = async (limiter: CountingLimiter, who: Principal, estimate = free) =>
  !((await attempt(limiter, who, estimate)) instanceof Error);
async function passed(limiter: CountingLimiter, who: Principal, estimate = free) {
  const outcome = await attempt(limiter, who, estimate);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}
const spent = async ({ id }: Principal) =>
  Number(await direct.get(`sextant:month:{${id}}:${new Date().toISOString().slice(0, 7)}`));
const shared = (limiter: CountingLimiter) => limiter.health().shared;

it.each(["a list", "a word"])(
  "counts one principal in memory whose budget in Redis is %s, and shares the others",
  async (kind) => {
    const [one, two] = [await open(), await open()];
    const [broken, other] = [somebody({ usdPerMonth: 1 }), somebody({ usdPerMonth: 1 })];
    const key = `sextant:month:{${broken.id}}:${new Date().toISOString().slice(0, 7)}`;
    await (kind === "a list" ? direct.rpush(key, "x") : direct.set(key, "x"));
    expect(await passes(one, broken, usd(0.6))).toBe(true);
    expect(await passes(one, broken, usd(0.6))).toBe(false);
    expect(await passes(one, other, usd(0.6))).toBe(true);
    expect(await passes(two, other, usd(0.6))).toBe(false);
    expect([shared(one), shared(two)]).toEqual([true, true]);
    expect(log.lines.map(({ message }) => message)).toEqual([
      expect.stringContaining("its principal is counted in memory"),
    ]);
  },
);

limiterContract(
  "a limiter in Redis",
  async (clock) => {
    await direct.flushdb();
    const redis = new RedisCounters(server.url, { now: clock.now, minuteClock: clock.now });
    const counters = await FallbackCounters.open(redis, {
      now: clock.now,
      log,
      timers: systemTimers,
      claimWaitMs: LONG_MS,
    });
    const limiter = new CountingLimiter(counters, { now: clock.now });
    expect(shared(limiter)).toBe(true);
    return limiter;
  },
  { sequences: 15 },
);

describe("Several gateways on one Redis", () => {
  it("share settlements and the budget", async () => {
    const [one, two] = [await open(), await open()];
    const ada = somebody({ tokensPerMinute: 100, usdPerMonth: 1 });
    const reservation = await passed(one, ada, { tokens: 100, costUsd: 1 });
    expect(await passes(two, ada, { tokens: 1, costUsd: 0 })).toBe(false);
    reservation.settle({ tokens: 40, costUsd: 0.4 });
    await expect.poll(() => spent(ada)).toBe(400_000_000);
    const { headers } = await passed(two, ada, { tokens: 60, costUsd: 0.6 });
    expect(headers["x-ratelimit-remaining-tokens"]).toBe("0");
    expect(await passes(one, ada, usd(0.001))).toBe(false);
  });

  it("share the budget of a team to the billionth of a dollar, with 50 requests at one time", async () => {
    await direct.flushdb();
    const instances = await Promise.all([open(), open()]);
    const team = randomUUID();
    const budget = budgetSchema.parse({ name: "teams", by: "team", usd: 0.000_012_345 });
    for (const instance of instances) instance.useBudgets([budget]);
    const eve = { ...somebody({ usdPerMonth: 1 }), team };
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        attempt(instances[at % 2] as CountingLimiter, eve, usd(0.000_001)),
      ),
    );
    const reservations = outcomes.flatMap((one) => (one instanceof Error ? [] : one));
    expect(reservations).toHaveLength(12);
    const used = async () =>
      (await instances[0]?.budgetUse())?.map(({ value, used }) => [value, used.nanoUsd]);
    await expect.poll(used).toEqual([[team, 12_000]]);
    for (const [at, reservation] of reservations.entries()) reservation.settle(usd((101 + at) / 1e9));
    const sum = 12 * 101 + 66;
    await expect.poll(used).toEqual([[team, sum]]);
    await expect.poll(() => spent(eve)).toBe(sum);
  });

  it("look for what others count once a minute, however often it is asked for", async () => {
    await direct.flushdb();
    let nowMs = Date.now();
    const [one, two] = [await open(), await open({ now: () => nowMs })];
    const budgets = ["teams", "more"].map((name) => budgetSchema.parse({ name, by: "team", usd: 1 }));
    for (const instance of [one, two]) instance.useBudgets(budgets);
    const spend = (team: string) => passed(one, { ...somebody({}), team }, usd(0.25));
    const scans = async () =>
      Number(/cmdstat_scan:calls=(\d+)/.exec(await direct.info("commandstats"))?.[1] ?? 0);
    const used = async () =>
      (await two.budgetUse()).map(
        ({ budget, value, used: { nanoUsd } }) => `${budget.name} ${value} ${nanoUsd}`,
      );
    await spend("a");
    const before = await scans();
    expect(await used()).toEqual(["teams a 250000000", "more a 250000000"]);
    await spend("a");
    await spend("b");
    for (let read = 0; read < 20; read++)
      expect(await used()).toEqual(["teams a 500000000", "more a 500000000"]);
    expect(await scans()).toBe(before + 1);
    nowMs += 60_000;
    const both = ["more a 500000000", "more b 250000000", "teams a 500000000", "teams b 250000000"];
    expect((await used()).toSorted()).toEqual(both);
  });

  it("share minutes although their clocks differ", async () => {
    const one = await open();
    const two = await open({ now: () => Date.now() + 3_600_000 });
    const three = await open({ now: () => Date.now() - 3_600_000 });
    const ada = somebody({ requestsPerMinute: 3 });
    for (const instance of [one, two, three]) await passed(instance, ada);
    for (const instance of [one, two, three]) expect(await passes(instance, ada)).toBe(false);
  });

  it("create only keys with their own prefix that expire", async () => {
    await direct.flushdb();
    const limiter = await open();
    const ada = somebody({ requestsPerMinute: 5, usdPerMonth: 1 });
    (await passed(limiter, ada, usd(0.5))).settle(usd(0.25));
    await expect.poll(() => spent(ada)).toBe(250_000_000);
    const keys = await direct.keys("*");
    expect(keys).toHaveLength(3);
    for (const key of keys) {
      expect(key).toMatch(/^sextant:(minute|month):/);
      expect(await direct.pttl(key)).toBeGreaterThan(0);
    }
  });

  it("count large amounts exactly", async () => {
    const limiter = await open();
    const ada = somebody({ tokensPerMinute: 1_000_000_000, usdPerMonth: 1_000_000 });
    const reservation = await passed(limiter, ada, { tokens: 999_999_999, costUsd: 999_999.999999999 });
    reservation.settle({ tokens: 999_999_998, costUsd: 999_999.999999998 });
    await expect.poll(() => spent(ada)).toBe(999_999_999_999_998);
    await passed(limiter, ada, { tokens: 2, costUsd: 0.000000002 });
    expect(await passes(limiter, ada, { tokens: 0, costUsd: 0.000000001 })).toBe(false);
    expect(await passes(limiter, ada, { tokens: 1, costUsd: 0 })).toBe(false);
  });

  it("do not start a new budget when Redis evicted a budget key", async () => {
    const limiter = await open();
    const ada = somebody({ usdPerMonth: 1 });
    const reservation = await passed(limiter, ada, usd(0.5));
    await direct.flushdb();
    reservation.settle(usd(0.1));
    await expect.poll(() => spent(ada)).toBe(0);
    expect(await passes(limiter, ada, usd(1.1))).toBe(false);
  });

  it("work after Redis lost its cached scripts", async () => {
    const limiter = await open();
    const ada = somebody({ requestsPerMinute: 2 });
    await passed(limiter, ada);
    await direct.script("FLUSH");
    await passed(limiter, ada);
    expect(await passes(limiter, ada)).toBe(false);
    expect(log.lines).toEqual([]);
  });
});

describe("Refusals of many principals in Redis", () => {
  const now = Date.UTC(2026, 0, 2, 3);
  const DAY = "2026-01-02";
  let clock: FakeClock;
  let counters: RedisCounters;
  const refused = (principal: string) => ({ principal, refusedBy: "requests", budget: null }) as const;
  beforeEach(async () => {
    await direct.flushdb();
    clock = new FakeClock(now);
    counters = new RedisCounters(server.url, { now: clock.now });
    await counters.ready();
  });
  afterEach(() => counters.close());

  it("are of 50,000 of them a day at most, the last one among them", async () => {
    await direct.sadd(`sextant:refused:${DAY}`, ...Array.from({ length: 50_000 }, (_, at) => `jwt:${at}`));
    for (const id of ["jwt:0", "jwt:50000"]) await counters.noteRefusal(refused(id));
    expect(await direct.scard(`sextant:refused:${DAY}`)).toBe(50_000);
    expect(await direct.sismember(`sextant:refused:${DAY}`, "jwt:50000")).toBe(1);
  });

  it("let claims pass while they are read", async () => {
    const ids = Array.from({ length: 4_000 }, (_, at) => `jwt:${at}`);
    await Promise.all(ids.map((id) => counters.noteRefusal(refused(id))));
    let isRead = false;
    const reading = counters.refusals().then((counts) => {
      isRead = true;
      return counts;
    });
    let claims = 0;
    for (; !isRead; claims++)
      await counters.claim({
        principal: "key_ada",
        limits: { requests: 1, tokens: null, nanoUsd: null },
        tokens: 0,
        nanoUsd: 0,
      });
    expect((await reading).map(({ principal }) => principal).sort()).toEqual(ids.sort());
    expect(claims).toBeGreaterThan(15);
  });

  it("are read again after half a minute, those of one principal each time", async () => {
    const ids = async () => (await counters.refusals()).map(({ principal }) => principal).sort();
    await counters.noteRefusal(refused("key_ada"));
    expect(await ids()).toEqual(["key_ada"]);
    clock.advance(29_999);
    await counters.noteRefusal(refused("key_bob"));
    expect(await ids()).toEqual(["key_ada"]);
    expect(await counters.refusals("key_bob")).toHaveLength(1);
    clock.advance(1);
    expect(await ids()).toEqual(["key_ada", "key_bob"]);
  });
});

describe("A stall of the gateway process", () => {
  it("is not treated as an outage of Redis", async () => {
    const limiter = await open({ claimWaitMs: STALL_MS });
    const reserving = limiter.reserve(somebody({ requestsPerMinute: 1 }), free);
    const until = performance.now() + 2 * STALL_MS;
    while (performance.now() < until);
    // Redis has answered the claim when it answers this.
    execFileSync("redis-cli", ["-p", String(server.port), "ping"]);
    await reserving;
    expect([shared(limiter), log.lines]).toEqual([true, []]);
  });
});

describe("An outage of Redis", () => {
  let own: RedisServer;
  beforeEach(async () => {
    own = await RedisServer.start();
  });
  afterEach(async () => {
    for (const limiter of opened.splice(0)) await limiter.close();
    await own.stop();
  });

  /** Asks again and again, as a client does, until told to stop. */
  function load(limiter: CountingLimiter, who: Principal) {
    let isOver = false;
    const seen = { requests: 0, refused: 0 };
    const asking = (async () => {
      while (!isOver) {
        const outcome = await attempt(limiter, who, { tokens: 1, costUsd: 0.001 });
        seen.requests++;
        if (outcome instanceof Error) seen.refused++;
        else outcome.settle({ tokens: 1, costUsd: 0.001 });
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    return {
      seen,
      stop: async () => {
        isOver = true;
        await asking;
      },
    };
  }

  it.each([
    ["killed and started again", (redis: RedisServer) => redis.kill(), (redis: RedisServer) => redis.start()],
    ["frozen and thawed", (redis: RedisServer) => redis.freeze(), (redis: RedisServer) => redis.thaw()],
  ])(
    "%s under load: every request is answered in time, limits hold, and recovery is automatic",
    async (_, end, begin) => {
      const limiter = await open({ url: own.url, claimWaitMs: OUTAGE_MS });
      const busy = somebody({ requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000, usdPerMonth: 1_000 });
      const strict = somebody({ requestsPerMinute: 5 });
      for (let request = 0; request < 3; request++) await passed(limiter, strict);
      const client = load(limiter, busy);
      await expect.poll(() => client.seen.requests).toBeGreaterThan(50);
      await end(own);
      await expect.poll(() => shared(limiter)).toBe(false);
      // Requests that waited for Redis would not be answered any more.
      const before = client.seen.requests;
      await expect.poll(() => client.seen.requests).toBeGreaterThan(before + 50);
      // The limit goes on where Redis had it: two are left.
      const more = [];
      for (let request = 0; request < 5; request++) more.push(await passes(limiter, strict));
      expect(more).toEqual([true, true, false, false, false]);
      await begin(own);
      await expect.poll(() => shared(limiter)).toBe(true);
      await client.stop();
      expect(client.seen.refused).toBe(0);
      expect(log.lines.map(({ message }) => message)).toEqual([WENT, CAME_BACK]);
    },
  );

  it("at the start leaves limits in memory until Redis is there", async () => {
    await own.kill();
    const limiter = await open({ url: own.url, claimWaitMs: OUTAGE_MS });
    const ada = somebody({ usdPerMonth: 1 });
    await passed(limiter, ada, usd(0.6));
    expect(shared(limiter)).toBe(false);
    await own.start();
    await expect.poll(() => shared(limiter)).toBe(true);
    expect(await passes(limiter, ada, usd(0.6))).toBe(false);
    expect(await passes(limiter, ada, usd(0.4))).toBe(true);
  });

  it("leaves nothing that keeps the process from ending", async () => {
    const limiter = await open({ url: own.url, claimWaitMs: OUTAGE_MS });
    await passed(limiter, somebody({ requestsPerMinute: 2 }));
    own.freeze();
    opened.splice(0);
    // Would wait for ever.
    await limiter.close();
    own.thaw();
  });
});

describe("A Redis server that refuses", () => {
  const PASSWORD = "a-password-that-must-stay-secret";

  it("the password is replaced by in-memory limits, and logged without the password or the address", async () => {
    const guarded = await RedisServer.start("--requirepass", PASSWORD);
    try {
      const wrong = `redis://:wrong-${PASSWORD}@127.0.0.1:${guarded.port}/0`;
      for (const [url, code] of [
        [guarded.url, "NOAUTH"],
        [wrong, "WRONGPASS"],
      ] as const) {
        log = new FakeAccessLog();
        const limiter = await open({ url });
        const ada = somebody({ requestsPerMinute: 1 });
        await passed(limiter, ada);
        expect(await passes(limiter, ada)).toBe(false);
        expect(log.of("warn")).toEqual([WENT]);
        const said = JSON.stringify(log.lines);
        expect(said).toContain(code);
        for (const secret of [PASSWORD, String(guarded.port), "127.0.0.1"])
          expect(said).not.toContain(secret);
        await limiter.close();
      }
      const right = await open({ url: `redis://:${PASSWORD}@127.0.0.1:${guarded.port}/0` });
      expect(shared(right)).toBe(true);
      await right.close();
      opened.splice(0);
    } finally {
      await guarded.stop();
    }
  });

  it("writes because its memory is full counts as an outage", async () => {
    const full = await RedisServer.start("--maxmemory", "1mb", "--maxmemory-policy", "noeviction");
    try {
      const limiter = await open({ url: full.url });
      const ada = somebody({ requestsPerMinute: 2 });
      await passed(limiter, ada);
      expect(await passes(limiter, ada)).toBe(true);
      expect(await passes(limiter, ada)).toBe(false);
      expect(log.lines).toEqual([{ level: "warn", details: { fault: "OOM" }, message: WENT }]);
      await limiter.close();
      opened.splice(0);
    } finally {
      await full.stop();
    }
  });
});
