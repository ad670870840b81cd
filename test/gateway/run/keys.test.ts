import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import type { KeyedProvider } from "../../../src/gateway/providers/keys/keyed-provider.js";
import type { Attempt } from "../../../src/gateway/traces/trace.js";
import { FakeKey, keyedLab } from "../../fakes/keyed-provider.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { answers, FakeProvider, fails, type Script, streams, textSteps } from "../../fakes/provider.js";
import { readAll, type StartOptions, startInference } from "./harness.js";

/** Inference over the provider `lab` with several keys, whose vendor lives in the same time. */
function startKeyed(
  make: (now: () => number) => KeyedProvider,
  { others = [], ...options }: StartOptions & { readonly others?: readonly FakeProvider[] } = {},
) {
  const time = new ManualTime();
  return startInference([make(time.clock), ...others], { ...options, time });
}

const shown = (attempts: readonly Attempt[]) => attempts.map(({ key, code }) => `${key} ${code}`);

/** One provider a key, each with its script, and other providers of the model. */
function start(keys: Readonly<Record<string, Script>>, options: Parameters<typeof startKeyed>[1] = {}) {
  const providers = Object.entries(keys).map(([key, script]) => ({
    key,
    provider: new FakeProvider("lab", script),
  }));
  const started = startKeyed((clock) => keyedLab(providers, { clock }), options);
  const calls = () => providers.map(({ provider }) => provider.calls.length);
  return { ...started, calls, keyed: (at: number) => providers[at]?.provider };
}

const limited = (retryAfterMs: number) => fails("rate_limited", { status: 429, retryAfterMs });

describe("Several keys of a provider", () => {
  it("are tried one after the other within the request, more often than `maxAttempts`", async () => {
    const [refused, good] = [limited(60_000), answers("hello")];
    const settings = { maxAttempts: 1, retries: 0 };
    const { run, inference, sink } = start({ a: refused, b: refused, c: refused, d: good }, { settings });
    const { attempts } = await run();
    expect(shown(attempts)).toEqual(["a rate_limited", "b rate_limited", "c rate_limited", "d ok"]);
    expect(shown((await run()).attempts)).toEqual(["d ok"]);
    expect(inference.health("lab", "model-a")).toMatchObject({ state: "closed", error_rate: 0 });
    expect(shown(sink.traces[0]?.attempts ?? [])).toEqual(shown(attempts));
  });

  it.each(["openai", "anthropic"] as const)("leave out a key that %s revoked", async (vendor) => {
    const { run, inference } = startKeyed((now) => {
      const keys = ["a", "b"].map((key) => new FakeKey(key, { vendor, requestsPerMinute: 100, now }));
      for (const key of keys) key.account.revoked = key.key === "a";
      return keyedLab(
        keys.map((provider) => ({ provider, key: provider.key })),
        { clock: now },
      );
    });
    expect(shown((await run()).attempts)).toEqual(["a credentials_refused", "b ok"]);
    expect(shown((await run()).attempts)).toEqual(["b ok"]);
    const [a] = inference.healthOfAll().keys;
    expect(a).toMatchObject({ provider: "lab", name: "a", state: "refused", reason: "credentials_refused" });
  });

  it("fail the request with the wait of the first, once all of them rest, and are not called until then", async () => {
    const { run, time, calls, keyed } = start({ a: limited(20_000), b: limited(5000) });
    const refused = { code: "upstream_rate_limited", extra: { retry_after: 5 } };
    await expect(run()).rejects.toMatchObject(refused);
    const attempts = [{ code: "keys_resting", status: null }];
    await expect(run()).rejects.toMatchObject({ ...refused, extra: { retry_after: 5, attempts } });
    expect(calls()).toEqual([1, 1]);
    await time.advance(5000);
    keyed(1)?.recover(answers("hello"));
    expect(shown((await run()).attempts)).toEqual(["b ok"]);
  });

  it("are waited for when a rest is short", async () => {
    const { run, time, calls, keyed } = start({ a: limited(1500) });
    const [first, second] = [run(), run()];
    await time.advance(1499);
    expect(calls()).toEqual([2]);
    keyed(0)?.recover(answers("hello"));
    await time.advance(1);
    expect(shown((await first).attempts)).toEqual(["a rate_limited", "a ok"]);
    expect((await second).provider).toBe("lab");
  });

  it("give way to another provider when all of them are refused", async () => {
    const others = [new FakeProvider("other", answers("hello"))];
    const { run, calls } = start({ a: fails("credentials_refused", { status: 401 }) }, { others });
    expect((await run()).provider).toBe("other");
    expect((await run()).attempts).toMatchObject([{ provider: "other", code: "ok" }]);
    expect(calls()).toEqual([1]);
  });

  it("rotate in streams before the first content, and are in use until the end", async () => {
    const { open, inference } = start({ a: limited(60_000), b: streams(...textSteps(["hel", "lo"])) });
    const answer = await open();
    expect(shown(answer.attempts)).toEqual(["a rate_limited", "b ok"]);
    const inFlight = () => inference.healthOfAll().keys.map(({ in_flight }) => in_flight);
    expect(inFlight()).toEqual([0, 1]);
    await readAll(answer);
    expect(inFlight()).toEqual([0, 0]);
  });

  it("are avoided for a retry after a failure that is not theirs", async () => {
    const { run } = start({ a: fails("server_error", { status: 500 }), b: answers("hello") });
    expect(shown((await run()).attempts)).toEqual(["a server_error", "b ok"]);
  });
});

const storms = fc.integer({ min: 1, max: 5 }).chain((keys) =>
  fc.record({
    vendor: fc.constantFrom("openai" as const, "anthropic" as const),
    limits: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: keys, maxLength: keys }),
    weights: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: keys, maxLength: keys }),
    /** Milliseconds before each request. */
    gaps: fc.array(fc.constantFrom(0, 0, 0, 10, 500, 5000), { minLength: 20, maxLength: 60 }),
    seed: fc.integer(),
  }),
);

type Storm = typeof storms extends fc.Arbitrary<infer Value> ? Value : never;

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
  const { time, inference, run } = started;
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
    const request = run().then(
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
      { numRuns: 20 },
    );
  });
});
