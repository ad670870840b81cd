import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { seededRandom } from "../../../../src/foundation/random.js";
import type { PooledKey } from "../../../../src/gateway/providers/keys/key-pool.js";
import type { KeyedProvider } from "../../../../src/gateway/providers/keys/keyed-provider.js";
import type { Attempt } from "../../../../src/gateway/traces/trace.js";
import { FakeKey, keyedLab } from "../../../fakes/keyed-provider.js";
import { ManualTime } from "../../../fakes/manual-time.js";
import { answers, FakeProvider, fails, streams, textSteps } from "../../../fakes/provider.js";
import { asStream, contextOf, readAll, requestFor, type StartOptions, startInference } from "../harness.js";

/** Inference over the provider `lab` with several keys, whose vendor lives in the same time. */
function startKeyed(
  make: (now: () => number) => KeyedProvider,
  { others = [], ...options }: StartOptions & { readonly others?: readonly FakeProvider[] } = {},
) {
  const time = new ManualTime();
  return startInference([make(time.clock), ...others], { ...options, time });
}

const shown = (attempts: readonly Attempt[]) => attempts.map(({ key, code }) => `${key} ${code}`);

const attemptsOf = (error: unknown): readonly Attempt[] =>
  error instanceof SextantError ? (error.extra.attempts as Attempt[]) : [];

const run = ({ inference, time }: ReturnType<typeof startKeyed>, changes = {}) =>
  inference.run(requestFor(changes), contextOf(undefined, time.clock()));

describe("Several keys of a provider", () => {
  it("are tried one after the other within the request, more often than `maxAttempts`", async () => {
    const refused = ["a", "b", "c", "d"].map((key) => ({
      key,
      provider: new FakeProvider("lab", fails("rate_limited", { status: 429, retryAfterMs: 60_000 })),
    }));
    const good = { key: "e", provider: new FakeProvider("lab", answers("hello")) };
    const started = startKeyed((clock) => keyedLab([...refused, good], { clock }), {
      settings: { maxAttempts: 1, retries: 0 },
    });
    const { attempts } = await run(started);
    expect(shown(attempts)).toEqual([...["a", "b", "c", "d"].map((key) => `${key} rate_limited`), "e ok"]);
    expect(shown((await run(started)).attempts)).toEqual(["e ok"]);
    expect(started.inference.health("lab", "model-a")).toMatchObject({ state: "closed", error_rate: 0 });
    expect(shown(started.sink.traces[0]?.attempts ?? [])).toEqual(shown(attempts));
  });

  it.each(["openai", "anthropic"] as const)("leave out a key that %s revoked", async (vendor) => {
    const keys: FakeKey[] = [];
    const started = startKeyed((now) => {
      for (const key of ["a", "b"]) keys.push(new FakeKey(key, { vendor, requestsPerMinute: 100, now }));
      const [first] = keys;
      if (first !== undefined) first.account.revoked = true;
      return keyedLab(
        keys.map((provider) => ({ provider, key: provider.key })),
        { clock: now },
      );
    });
    expect(shown((await run(started)).attempts)).toEqual(["a credentials_refused", "b ok"]);
    expect(shown((await run(started)).attempts)).toEqual(["b ok"]);
    const [a] = started.inference.healthOfAll().keys;
    expect(a).toMatchObject({ provider: "lab", name: "a", state: "refused", reason: "credentials_refused" });
  });

  it("fail the request with the wait of the first, once all of them rest, and are not called until then", async () => {
    const scripts = [20_000, 5000].map((retryAfterMs) =>
      fails("rate_limited", { status: 429, retryAfterMs }),
    );
    const providers = scripts.map((script) => new FakeProvider("lab", script));
    const started = startKeyed((clock) =>
      keyedLab(
        providers.map((provider, at) => ({ provider, key: `k${at}` })),
        { clock },
      ),
    );
    await expect(run(started)).rejects.toMatchObject({
      code: "upstream_rate_limited",
      extra: { retry_after: 5 },
    });
    const error: unknown = await run(started).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "upstream_rate_limited", extra: { retry_after: 5 } });
    expect(attemptsOf(error)).toMatchObject([{ code: "keys_resting", status: null }]);
    expect(providers.map(({ calls }) => calls.length)).toEqual([1, 1]);
    await started.time.advance(5000);
    providers[1]?.recover(answers("hello"));
    expect(shown((await run(started)).attempts)).toEqual(["k1 ok"]);
  });

  it("are waited for when a rest is short", async () => {
    const provider = new FakeProvider(
      "lab",
      fails("rate_limited", { status: 429, retryAfterMs: 1500 }),
      answers("hello"),
    );
    const started = startKeyed((clock) => keyedLab([{ provider, key: "a" }], { clock }));
    const [first, second] = [run(started), run(started)];
    await started.time.advance(1499);
    expect(provider.calls.length).toBe(2);
    await started.time.advance(1);
    expect(shown((await first).attempts)).toEqual(["a rate_limited", "a ok"]);
    expect((await second).provider).toBe("lab");
  });

  it("give way to another provider when all of them are refused", async () => {
    const provider = new FakeProvider("lab", fails("credentials_refused", { status: 401 }));
    const other = new FakeProvider("other", answers("hello"));
    const started = startKeyed((clock) => keyedLab([{ provider, key: "a" }], { clock }), { others: [other] });
    expect((await run(started)).provider).toBe("other");
    expect((await run(started)).attempts).toMatchObject([{ provider: "other", code: "ok" }]);
    expect(provider.calls.length).toBe(1);
  });

  it("rotate in streams before the first content, and are in use until the end", async () => {
    const limits: Partial<PooledKey> = { maxConcurrency: 1 };
    const bad = new FakeProvider("lab", fails("rate_limited", { status: 429, retryAfterMs: 60_000 }));
    const good = new FakeProvider("lab", streams(...textSteps(["hel", "lo"])));
    const started = startKeyed((clock) =>
      keyedLab(
        [
          { provider: bad, key: "a", limits },
          { provider: good, key: "b", limits },
        ],
        { clock },
      ),
    );
    const answer = asStream(await run(started, { stream: true }));
    expect(shown(answer.attempts)).toEqual(["a rate_limited", "b ok"]);
    const inFlight = () => started.inference.healthOfAll().keys.map(({ in_flight }) => in_flight);
    expect(inFlight()).toEqual([0, 1]);
    await readAll(answer);
    expect(inFlight()).toEqual([0, 0]);
  });

  it("are avoided for a retry after a failure that is not theirs", async () => {
    const failing = new FakeProvider("lab", fails("server_error", { status: 500 }));
    const good = new FakeProvider("lab", answers("hello"));
    const started = startKeyed((clock) =>
      keyedLab(
        [
          { provider: failing, key: "a" },
          { provider: good, key: "b" },
        ],
        { clock },
      ),
    );
    expect(shown((await run(started)).attempts)).toEqual(["a server_error", "b ok"]);
  });
});

interface Storm {
  readonly vendor: "openai" | "anthropic";
  readonly limits: readonly number[];
  readonly weights: readonly number[];
  /** Milliseconds before each request. */
  readonly gaps: readonly number[];
  readonly seed: number;
}

const storms: fc.Arbitrary<Storm> = fc.integer({ min: 1, max: 5 }).chain((keys) =>
  fc.record({
    vendor: fc.constantFrom("openai" as const, "anthropic" as const),
    limits: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: keys, maxLength: keys }),
    weights: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: keys, maxLength: keys }),
    gaps: fc.array(fc.constantFrom(0, 0, 0, 10, 500, 5000), { minLength: 20, maxLength: 60 }),
    seed: fc.integer(),
  }),
);

/** A storm: requests come faster than the keys together allow. */
async function weather({ vendor, limits, weights, gaps, seed }: Storm) {
  const keys: FakeKey[] = [];
  const started = startKeyed(
    (now) => {
      for (const [at, requestsPerMinute] of limits.entries())
        keys.push(new FakeKey(`k${at}`, { vendor, requestsPerMinute, now }));
      return keyedLab(
        keys.map((provider, at) => ({ provider, key: provider.key, limits: { weight: weights[at] ?? 1 } })),
        { clock: now, random: seededRandom(seed) },
      );
    },
    { settings: { retryMaxWaitMs: 1 } },
  );
  const { time, inference } = started;
  const usableNow = () =>
    inference.healthOfAll().keys.filter(({ state, models }) => {
      const model = models.find(({ upstream_model: name }) => name === "model-a");
      return state === "usable" && (model === undefined || model.state === "usable");
    });
  let answered = 0;
  const failedWhileUsable: unknown[] = [];
  const running: Promise<void>[] = [];
  for (const gap of gaps) {
    await time.advance(gap);
    const request = run(started).then(
      () => {
        answered += 1;
      },
      () => {
        if (usableNow().length > 0) failedWhileUsable.push(usableNow());
      },
    );
    running.push(request);
  }
  await time.advance(10);
  await Promise.all(running);
  return { keys, answered, failedWhileUsable };
}

/** Calls of a key that its vendor had asked not to make yet. */
function callsInRest({ account }: FakeKey): number {
  let restUntilMs = Number.NEGATIVE_INFINITY;
  let broken = 0;
  for (const { atMs, status, retryAfterMs } of account.calls) {
    if (atMs < restUntilMs) broken += 1;
    if (status === 429) restUntilMs = atMs + retryAfterMs;
  }
  return broken;
}

describe("A storm of refusals", () => {
  it("fails no request while a key may be used, and uses no key while it rests", async () => {
    await fc.assert(
      fc.asyncProperty(storms, async (storm) => {
        const { keys, answered, failedWhileUsable } = await weather(storm);
        expect(failedWhileUsable).toEqual([]);
        expect(keys.map(callsInRest)).toEqual(keys.map(() => 0));
        const allowed = keys.flatMap(({ account }) => account.calls.filter(({ status }) => status === 200));
        expect(allowed.length).toBe(answered);
      }),
      { numRuns: 60 },
    );
  });
});
