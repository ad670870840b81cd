import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../../src/foundation/random.js";
import { KeyPool, type KeyRequest, type PooledKey } from "../../../../src/gateway/providers/keys/key-pool.js";
import { ProviderFault, type ProviderFaultCode } from "../../../../src/gateway/providers/provider.js";
import { ManualTime } from "../../../fakes/manual-time.js";
import { FakeProvider } from "../../../fakes/provider.js";

const REQUEST: KeyRequest = { model: "m", tokens: 100 };

const keyOf = (name: string, more: Partial<PooledKey> = {}): PooledKey => ({
  name,
  provider: new FakeProvider(name),
  weight: 1,
  ...more,
});

function poolOf(keys: readonly PooledKey[], random = seededRandom(1)) {
  const time = new ManualTime();
  const pool = new KeyPool(keys, { clock: time.clock, random, now: time.clock });
  const refuse = (code: ProviderFaultCode, details = {}, request = REQUEST) => {
    const use = pool.take(request);
    use?.ended(new ProviderFault(code, "as the test says", details));
    return use?.name;
  };
  const taken = (request = REQUEST) => pool.take(request)?.name ?? null;
  return { time, pool, refuse, taken };
}

describe("The keys of a provider", () => {
  it("are chosen in proportion to their weights", () => {
    const keys = [keyOf("a", { weight: 1 }), keyOf("b", { weight: 2 }), keyOf("c", { weight: 5 })];
    const { taken } = poolOf(keys);
    const names = Array.from({ length: 2_000 }, () => taken());
    for (const { name, weight } of keys) {
      const drawn = names.filter((one) => one === name).length;
      // Four standard deviations of the largest count.
      expect(Math.abs(drawn - 250 * weight), name).toBeLessThan(87);
    }
  });

  it("give way to the preferred one, as long as it may be used and its limit is not used up", async () => {
    const { pool, taken, time } = poolOf([keyOf("a"), keyOf("b", { weight: 1e9 })]);
    const preferring = { ...REQUEST, prefer: "a" };
    expect([taken(preferring), taken({ ...REQUEST, prefer: "gone" }), taken()]).toEqual(["a", "b", "b"]);
    pool.take(preferring)?.ended(new ProviderFault("rate_limited", "", { retryAfterMs: 5000 }));
    expect(taken(preferring)).toBe("b");
    await time.advance(5000);
    const use = pool.take(preferring);
    use?.seen({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20s" });
    expect([use?.name, taken(preferring)]).toEqual(["a", "b"]);
  });

  it("rest for the model that was refused, as long as the vendor asks", async () => {
    const { refuse, taken, time, pool } = poolOf([keyOf("a")]);
    refuse("rate_limited", { status: 429, retryAfterMs: 30_000 });
    expect([taken(), taken({ ...REQUEST, model: "other" })]).toEqual([null, "a"]);
    expect([pool.waitMs(REQUEST), pool.blockedBy(REQUEST)]).toEqual([30_000, "rate_limited"]);
    await time.advance(29_999);
    expect(taken()).toBeNull();
    await time.advance(1);
    expect(taken()).toBe("a");
  });

  it("rest a second when the vendor does not say how long, twice as long after each further refusal, a minute at most", async () => {
    const { refuse, time, pool } = poolOf([keyOf("a")]);
    const rests: number[] = [];
    for (let refusal = 0; refusal < 8; refusal++) {
      refuse("rate_limited", { status: 429 });
      rests.push(pool.waitMs(REQUEST));
      await time.advance(pool.waitMs(REQUEST));
    }
    expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    pool.take(REQUEST)?.ended(null);
    refuse("rate_limited", { status: 429 });
    expect(pool.waitMs(REQUEST)).toBe(1000);
  });

  it("rest for all models after a 401 and without money, for one after a 403, a 404 or without capacity", () => {
    const other = { ...REQUEST, model: "other" };
    for (const [code, status, expected] of [
      ["credentials_refused", 401, null],
      ["credentials_refused", 400, null],
      ["quota_exhausted", 429, null],
      ["credentials_refused", 403, "a"],
      ["model_not_found", 404, "a"],
      ["overloaded", 498, "a"],
    ] as const) {
      const { refuse, taken } = poolOf([keyOf("a")]);
      refuse(code, { status });
      expect([code, status, taken(), taken(other)]).toEqual([code, status, null, expected]);
    }
  });

  it("go on after faults that are not theirs", () => {
    const { refuse, taken } = poolOf([keyOf("a")]);
    for (const code of ["server_error", "overloaded", "timeout", "request_refused"] as const) refuse(code);
    expect(taken()).toBe("a");
  });

  it("come last once a reply said that their limit is used up, until it is full again", async () => {
    const { pool, taken, time } = poolOf([keyOf("a", { weight: 1e9 }), keyOf("b")]);
    const use = pool.take(REQUEST);
    use?.seen({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20s" });
    use?.ended(null);
    expect([use?.name, taken(), taken()]).toEqual(["a", "b", "b"]);
    await time.advance(20_000);
    expect(taken()).toBe("a");
  });

  it("come last after they failed for the request", () => {
    const a = keyOf("a", { weight: 1e9 });
    const { taken } = poolOf([a, keyOf("b")]);
    const avoid = new Set(a.provider === null ? [] : [a.provider]);
    expect(taken({ ...REQUEST, avoid })).toBe("b");
  });

  it("keep to their limits of calls at once, and of requests and tokens of each model in a minute", async () => {
    const { pool, taken } = poolOf([keyOf("a", { maxConcurrency: 1 })]);
    const use = pool.take(REQUEST);
    expect([taken({ ...REQUEST, model: "other" }), pool.blockedBy(REQUEST)]).toEqual([null, "in_use"]);
    use?.ended(undefined);
    use?.ended(undefined);
    expect([taken(), taken()]).toEqual(["a", null]);

    const requests = poolOf([keyOf("a", { requestsPerMinute: 2 })]);
    expect([requests.taken(), requests.taken(), requests.taken()]).toEqual(["a", "a", null]);
    expect(requests.taken({ ...REQUEST, model: "other" })).toBe("a");
    await requests.time.advance(30_000);
    expect([requests.taken(), requests.taken()]).toEqual(["a", null]);

    const tokens = poolOf([keyOf("a", { tokensPerMinute: 1000 })]);
    expect(tokens.taken({ ...REQUEST, tokens: 5000 })).toBe("a");
    expect(tokens.pool.waitMs(REQUEST)).toBe(246_000);
    await tokens.time.advance(246_000);
    expect(tokens.taken()).toBe("a");
  });

  it("show their health without the key", async () => {
    const { pool, refuse } = poolOf([keyOf("a"), keyOf("b", { provider: null })]);
    refuse("rate_limited", { status: 429, retryAfterMs: 7000 });
    pool.take({ ...REQUEST, model: "other" });
    const usable = { state: "usable", reason: null, rests_for_ms: 0 };
    const resting = { state: "resting", reason: "rate_limited", rests_for_ms: 7000 };
    const [failed, uncalled] = [
      { calls: 1, failures: 1 },
      { calls: 0, failures: 0 },
    ];
    const models = [
      { upstream_model: "m", ...resting, ...failed },
      { upstream_model: "other", ...usable, ...uncalled },
    ];
    expect(pool.health()).toEqual([
      { name: "a", weight: 1, in_flight: 1, ...usable, ...failed, models },
      { name: "b", weight: 1, in_flight: 0, ...usable, state: "not_set", ...uncalled, models: [] },
    ]);
  });
});
