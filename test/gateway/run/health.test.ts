import { describe, expect, it } from "vitest";
import { KeyPool } from "../../../src/gateway/providers/keys/key-pool.js";
import { ProviderFault, type ProviderFaultCode } from "../../../src/gateway/providers/provider.js";
import { HealthRegistry } from "../../../src/gateway/run/health.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { answers, FakeProvider } from "../../fakes/provider.js";

const DEPLOYMENT = { provider: "openai", model: "gpt-4o" };
const OTHER = { provider: "azure", model: "gpt-4o" };
const NEEDS = { tokens: 0, model: "gpt-4o" };
const logger = { warn() {}, info() {} };

function startRegistry(circuitFailures = 2, probes = 2) {
  const time = new ManualTime();
  const settings = { circuitFailures, circuitCooldownMs: 1000 };
  const registry = new HealthRegistry({ clock: time.clock, settings, probes, logger });
  const fail = (code: ProviderFaultCode, retryAfterMs: number | null = null, deployment = DEPLOYMENT) =>
    registry
      .of(deployment)
      .admit({ needs: NEEDS })
      ?.failed(new ProviderFault(code, "as the test says", { retryAfterMs }));
  return { registry, time, fail };
}

describe("The health registry", () => {
  it("ranks a provider whose keys may be used as healthy, by a clock that goes on between two looks", () => {
    let nowMs = 0;
    const clock = () => ++nowMs / 1000;
    const key = { name: "a", provider: new FakeProvider("openai", answers("hello")), weight: 1 };
    const keys = new KeyPool([key], { clock, random: () => 0, now: clock });
    const settings = { circuitFailures: 2, circuitCooldownMs: 1000 };
    const registry = new HealthRegistry({ clock, settings, logger, keysOf: () => keys });
    expect(registry.of(DEPLOYMENT).rank(NEEDS)).toBe(0);
    expect([registry.of(DEPLOYMENT).waitMs(NEEDS), registry.of(DEPLOYMENT).pauseEndMs(NEEDS)]).toEqual([
      null,
      null,
    ]);
  });

  it("counts the circuits of each provider by their state", async () => {
    const { registry, time, fail } = startRegistry(1);
    expect(registry.circuits()).toEqual([]);
    registry.of(DEPLOYMENT).admit({ needs: NEEDS })?.succeeded({ firstContentMs: 1 });
    fail("server_error", null, OTHER);
    fail("server_error", null, { ...OTHER, model: "gpt-4o-mini" });
    const counts = () => registry.circuits().filter(({ models }) => models > 0);
    const openai = { provider: "openai", state: "closed", reason: null, models: 1 };
    const azure = { provider: "azure", reason: "server_error", models: 2 };
    expect(counts()).toEqual([openai, { ...azure, state: "open" }]);
    await time.advance(1000);
    expect(counts()).toEqual([openai, { ...azure, state: "half_open" }]);
    expect(registry.circuits()).toContainEqual({
      provider: "openai",
      state: "open",
      reason: null,
      models: 0,
    });
  });

  it.each<[ProviderFaultCode, "open" | "closed", number | null]>([
    ["connection_error", "open", 1],
    ["cut_off", "open", 1],
    ["timeout", "open", 1],
    ["rate_limited", "open", 1],
    ["overloaded", "open", 1],
    ["server_error", "open", 1],
    ["invalid_reply", "open", 1],
    ["wrong_model", "open", 1],
    ["quota_exhausted", "open", 1],
    ["credentials_refused", "open", 1],
    ["model_not_found", "open", 1],
    ["request_refused", "closed", null],
    ["context_length_exceeded", "closed", null],
    ["content_filter", "closed", null],
    ["reply_too_large", "closed", null],
  ])("is, after failures with %s, %s with an error rate of %s", (code, state, rate) => {
    const { registry, fail } = startRegistry();
    fail(code);
    fail(code);
    expect(registry.health(DEPLOYMENT)).toMatchObject({ state, error_rate: rate });
    expect(registry.of(DEPLOYMENT).admit({ needs: NEEDS }) === null).toBe(state === "open");
  });

  it("ranks closed before half-open before rate-limited before open", async () => {
    const { registry, fail, time } = startRegistry();
    const halfOpen = { provider: "half-open", model: "gpt-4o" };
    const paused = { provider: "paused", model: "gpt-4o" };
    const open = { provider: "open", model: "gpt-4o" };
    fail("server_error", null, halfOpen);
    fail("server_error", null, halfOpen);
    await time.advance(1000);
    fail("rate_limited", 5000, paused);
    fail("server_error", null, open);
    fail("server_error", null, open);
    const ranks = [DEPLOYMENT, halfOpen, paused, open].map((deployment) =>
      registry.of(deployment).rank(NEEDS),
    );
    expect(ranks).toEqual([0, 1, 2, 3]);
  });

  it("ranks a circuit that stayed half-open for a cooldown with the closed ones, until a call probes it", async () => {
    const { registry, fail, time } = startRegistry();
    fail("server_error");
    fail("server_error");
    await time.advance(1999);
    expect(registry.of(DEPLOYMENT).rank(NEEDS)).toBe(1);
    await time.advance(1);
    expect(registry.of(DEPLOYMENT).rank(NEEDS)).toBe(0);
    const probe = registry.of(DEPLOYMENT).admit({ needs: NEEDS });
    expect(registry.of(DEPLOYMENT).rank(NEEDS)).toBe(1);
    probe?.failed(new ProviderFault("server_error", "as the test says"));
    expect(registry.of(DEPLOYMENT).rank(NEEDS)).toBe(3);
    await time.advance(1000);
    expect(registry.of(DEPLOYMENT).rank(NEEDS)).toBe(1);
  });

  it("respects a provider's requested wait, up to an hour, until it succeeds", async () => {
    const { registry, fail, time } = startRegistry(100);
    fail("rate_limited", 30_000);
    expect(registry.of(DEPLOYMENT).waitMs(NEEDS)).toBe(30_000);
    await time.advance(29_999);
    expect(registry.of(DEPLOYMENT).rank(NEEDS)).toBe(2);
    await time.advance(1);
    expect(registry.of(DEPLOYMENT).rank(NEEDS)).toBe(0);
    expect(registry.of(DEPLOYMENT).waitMs(NEEDS)).toBeNull();
    fail("overloaded", 86_400_000);
    expect(registry.of(DEPLOYMENT).waitMs(NEEDS)).toBe(3_600_000);
    registry.of(DEPLOYMENT).admit({ needs: NEEDS })?.succeeded({ firstContentMs: 5 });
    expect(registry.of(DEPLOYMENT).waitMs(NEEDS)).toBeNull();
  });

  it("reports the share of failures and the median time to first content of the last 64 calls", () => {
    const { registry, fail } = startRegistry(100);
    fail("server_error");
    for (const ms of [400, 100, 300, 200])
      registry.of(DEPLOYMENT).admit({ needs: NEEDS })?.succeeded({ firstContentMs: ms });
    const closed = { state: "closed", reason: null };
    expect(registry.health(DEPLOYMENT)).toEqual({ ...closed, error_rate: 0.2, p50_ttft_ms: 200 });
    for (let call = 0; call < 64; call++)
      registry.of(DEPLOYMENT).admit({ needs: NEEDS })?.succeeded({ firstContentMs: 50.12345 });
    expect(registry.health(DEPLOYMENT)).toEqual({ ...closed, error_rate: 0, p50_ttft_ms: 50.123 });
    for (let call = 0; call < 16; call++) fail("server_error");
    expect(registry.health(DEPLOYMENT).error_rate).toBe(0.25);
  });

  it("admits some requests without alternative at once while a circuit is open, and no other", () => {
    const { registry, fail } = startRegistry(1, 2);
    fail("server_error");
    const only = () => registry.of(DEPLOYMENT).admit({ needs: NEEDS, alternative: "none" });
    const [first, second] = [only(), only()];
    expect([only(), registry.of(DEPLOYMENT).admit({ needs: NEEDS })]).toEqual([null, null]);
    first?.failed(new ProviderFault("server_error", "as the test says"));
    expect(registry.health(DEPLOYMENT).state).toBe("open");
    expect(only()).not.toBeNull();
    // One of those that failed beside it does not undo a success.
    second?.succeeded({ firstContentMs: 1 });
    expect(registry.health(DEPLOYMENT).state).toBe("closed");
  });

  it("admits only some calls at once in a pause that the provider asked for, until one has content", async () => {
    const { registry, fail, time } = startRegistry(100, 2);
    fail("rate_limited", 5000);
    const [first, second] = [
      registry.of(DEPLOYMENT).admit({ needs: NEEDS }),
      registry.of(DEPLOYMENT).admit({ needs: NEEDS }),
    ];
    expect([first === null, second === null, registry.of(DEPLOYMENT).admit({ needs: NEEDS })]).toEqual([
      false,
      false,
      null,
    ]);
    expect(registry.of(DEPLOYMENT).blockedBy(NEEDS).fault).toBe("rate_limited");
    second?.released();
    const third = registry.of(DEPLOYMENT).admit({ needs: NEEDS });
    expect([third === null, registry.of(DEPLOYMENT).admit({ needs: NEEDS })]).toEqual([false, null]);
    first?.answered();
    expect([
      registry.of(DEPLOYMENT).admit({ needs: NEEDS }) === null,
      registry.of(DEPLOYMENT).pauseEndMs(NEEDS),
    ]).toEqual([false, null]);
    fail("rate_limited", 5000);
    await time.advance(5000);
    expect([
      third,
      ...Array.from({ length: 5 }, () => registry.of(DEPLOYMENT).admit({ needs: NEEDS })),
    ]).not.toContain(null);
  });

  it("drops the oldest pair of provider and model when there are too many", () => {
    const { registry, fail } = startRegistry();
    fail("server_error");
    fail("server_error");
    for (let other = 0; other < 4095; other++) registry.of({ provider: "lab", model: `m${other}` });
    expect(registry.health(DEPLOYMENT).state).toBe("open");
    registry.of({ provider: "lab", model: "one too many" }).admit({ needs: NEEDS });
    expect(registry.health(DEPLOYMENT)).toMatchObject({ state: "closed", error_rate: null });
  });
});
