import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import { ProviderFault } from "../../../src/gateway/providers/provider.js";
import { ClientDisconnected } from "../../../src/gateway/run/cancellation.js";
import type { Attempt } from "../../../src/gateway/traces/trace.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { quiet } from "../../fakes/manual-time.js";
import { answers, FakeProvider, fails, hangs, type Script } from "../../fakes/provider.js";
import { rejectionOf } from "../../support/errors.js";
import { named, type StartOptions, startInference } from "./harness.js";

/** Runs a request and remembers what became of it, so that time can pass meanwhile. */
function begin(
  providers: readonly FakeProvider[],
  options: StartOptions & { fallbacks?: readonly string[] } = {},
) {
  const started = startInference(providers, options);
  const client = new AbortController();
  const result = started.run({ fallbacks: options.fallbacks ?? [] }, client.signal).then(
    (answer) => ({ answer, error: undefined }),
    (error: unknown) => ({ answer: undefined, error }),
  );
  return { ...started, client, result };
}

async function failureOf(result: Promise<{ readonly error: unknown }>): Promise<SextantError> {
  const { error } = await result;
  if (error instanceof SextantError) return error;
  throw error ?? new Error("it did not fail");
}

const shown = (attempts: readonly Attempt[]): readonly string[] =>
  attempts.map(({ provider, model, code }) => `${provider} ${model} ${code}`);

const attemptsOf = (error: SextantError) => shown(error.extra.attempts as Attempt[]);

const lab = (...scripts: readonly Script[]) => new FakeProvider("lab", ...scripts);

describe("Retries", () => {
  it("wait for a random part of 250 ms, doubled in every round up to `retryMaxWaitMs`", async () => {
    const failing = fails("server_error");
    const provider = lab(failing, failing, failing, answers("at last"));
    const settings = { retries: 3, retryMaxWaitMs: 800 };
    const { time, result } = begin([provider], { settings, random: 0.5 });
    await quiet();
    const calls = [];
    for (const ms of [124, 1, 249, 1, 399, 1]) {
      await time.advance(ms);
      calls.push(provider.calls.length);
    }
    expect(calls).toEqual([1, 2, 2, 3, 3, 4]);
    expect((await result).answer?.attempts.map(({ code }) => code)).toEqual([
      ...["server_error", "server_error", "server_error"],
      "ok",
    ]);
    expect(time.running).toBe(0);
  });

  it("wait at least as long as the upstream asks", async () => {
    const provider = lab(fails("rate_limited", { status: 429, retryAfterMs: 1500 }), answers("at last"));
    const { time, result } = begin([provider]);
    await time.advance(1499);
    expect(provider.calls.length).toBe(1);
    await time.advance(1);
    expect((await result).answer?.provider).toBe("lab");
  });

  it("skip a provider that asks for a longer wait than allowed, and report the wait to the client", async () => {
    const provider = lab(fails("rate_limited", { status: 429, retryAfterMs: 2001 }), answers("never asked"));
    const error = await failureOf(begin([provider]).result);
    expect([error.code, error.extra.retry_after]).toEqual(["upstream_rate_limited", 2.001]);
    expect(provider.calls.length).toBe(1);
  });

  it("call the provider that is available first, each not before its time", async () => {
    const slow = new FakeProvider("slow", fails("rate_limited", { retryAfterMs: 900 }), answers("slow"));
    const limited = fails("rate_limited", { retryAfterMs: 300 });
    const soon = new FakeProvider("soon", limited, fails("server_error"));
    const { time, result } = begin([slow, soon]);
    await time.advance(300);
    expect([slow.calls.length, soon.calls.length]).toEqual([1, 2]);
    await time.advance(599);
    expect(slow.calls.length).toBe(1);
    await time.advance(1);
    expect((await result).answer?.provider).toBe("slow");
  });

  it("start after every provider of the model was called once", async () => {
    const first = new FakeProvider("first", fails("server_error"));
    const second = new FakeProvider("second", fails("overloaded"));
    const { time, result } = begin([first, second], { random: 0.1 });
    await time.advance(25);
    expect(attemptsOf(await failureOf(result))).toEqual([
      "first model-a server_error",
      "second model-a overloaded",
      "first model-a server_error",
      "second model-a overloaded",
    ]);
  });

  it("skip a provider that reached a time limit", async () => {
    const slow = new FakeProvider("slow", hangs);
    const flaky = new FakeProvider("flaky", fails("server_error"), answers("fine"));
    const { time, result } = begin([slow, flaky], { settings: { upstreamHeadersTimeoutMs: 1000 } });
    await time.advance(1000);
    expect(shown((await result).answer?.attempts ?? [])).toEqual([
      "slow model-a timeout",
      "flaky model-a server_error",
      "flaky model-a ok",
    ]);
  });

  it.each<[string, StartOptions["settings"], Script]>([
    ["`maxAttempts` calls", { maxAttempts: 1, retries: 9 }, fails("server_error")],
    ["a failure that opened the circuit", { circuitFailures: 1, retries: 3 }, fails("server_error")],
    [
      "a wait that would exceed the time of the request",
      { upstreamTotalTimeoutMs: 1000 },
      fails("rate_limited", { retryAfterMs: 1000 }),
    ],
  ])("are none after %s, and nothing is waited for", async (_, settings, script) => {
    const { result, time } = begin([lab(script)], { settings, random: 0.9 });
    expect(attemptsOf(await failureOf(result))).toHaveLength(1);
    expect([time.clock(), time.running]).toEqual([0, 0]);
  });
});

it("Fallbacks follow in order, each model with its retries", async () => {
  const failing = fails("server_error");
  const provider = lab(failing, failing, failing, answers("at last"));
  const deployments = ["model-a", "model-b", "model-c"].map((model) => deploymentOf("lab", model));
  const { result } = begin([provider], { deployments, fallbacks: ["model-b", "model-c"] });
  const { answer } = await result;
  expect(provider.calls.map(({ upstreamModel }) => upstreamModel)).toEqual([
    ...["model-a", "model-a"],
    ...["model-b", "model-b"],
  ]);
  expect(answer).toMatchObject({ model: "model-b", provider: "lab" });
});

describe("A provider that keeps failing", () => {
  it("is skipped until its cooldown is over, then probed by one request", async () => {
    // It is cheaper, so that it is the first choice whenever its health allows it.
    const deployments = [
      deploymentOf("bad", "model-a", { price: priceOf(1, 1) }),
      deploymentOf("good", "model-a", { price: priceOf(9, 9) }),
    ];
    const bad = new FakeProvider("bad", fails("server_error"), fails("server_error"), answers("well again"));
    const good = new FakeProvider("good", answers("fine"));
    const settings = { circuitFailures: 2, circuitCooldownMs: 1000, retries: 0 };
    const { inference, run, result, time } = begin([bad, good], { settings, deployments });
    const state = () => inference.health("bad", "model-a").state;
    await result;
    await run();
    expect(state()).toBe("open");
    expect((await run()).attempts).toMatchObject([{ provider: "good", code: "ok" }]);
    await time.advance(1000);
    expect(state()).toBe("half_open");
    // Closed circuits come first: for a cooldown, the probe waits for a request that has no better provider.
    expect((await run()).provider).toBe("good");
    expect((await run({ choice: named("model-a", "bad") })).provider).toBe("bad");
    expect(state()).toBe("closed");
  });

  it("is called all the same where nothing else serves the request", async () => {
    const bad = new FakeProvider("bad", fails("server_error"), fails("server_error"), answers("well again"));
    const settings = { circuitFailures: 1, circuitCooldownMs: 8000, retries: 3 };
    const { inference, run, result } = begin([bad], { settings });
    await failureOf(result);
    expect(inference.health("bad", "model-a").state).toBe("open");
    expect(attemptsOf(await rejectionOf(run(), SextantError))).toEqual(["bad model-a server_error"]);
    expect((await run()).provider).toBe("bad");
    expect(inference.health("bad", "model-a").state).toBe("closed");
  });

  it("is called by a few requests at once at most; the others fail with the reason and the wait", async () => {
    const bad = new FakeProvider("bad", fails("server_error"), hangs);
    const settings = { circuitFailures: 1, circuitCooldownMs: 8000 };
    const { run, result, sink, time } = begin([bad], { settings, circuitProbes: 2 });
    await failureOf(result);
    await time.advance(500);
    const client = new AbortController();
    const waiting = [1, 2].map(() => rejectionOf(run({}, client.signal), ClientDisconnected));
    await quiet();
    const error = await rejectionOf(run(), SextantError);
    const message = "not called: the last failure was server_error";
    const attempt = { provider: "bad", model: "model-a", status: null, code: "circuit_open", message };
    expect(error).toMatchObject({
      code: "upstream_error",
      extra: { attempts: [{ ...attempt, latency_ms: 0 }], retry_after: 7.5 },
    });
    expect(bad.calls.length).toBe(3);
    expect(sink.traces[1]).toMatchObject({ status: "error", model: null, provider: null });
    client.abort();
    await Promise.all(waiting);
  });

  it("is called in the end when no fallback answered", async () => {
    const bad = new FakeProvider("bad", fails("server_error"), answers("well again"));
    const spare = new FakeProvider("spare", answers("fine"), fails("overloaded"));
    const settings = { circuitFailures: 1, retries: 0, circuitCooldownMs: 60_000 };
    const { run, result } = begin([bad, spare], { settings });
    await result;
    expect(shown((await run()).attempts)).toEqual([
      "spare model-a overloaded",
      "bad model-a circuit_open",
      "bad model-a ok",
    ]);
  });

  it("is reported once in a request, whatever the number of rounds", async () => {
    const { result } = begin([new FakeProvider("bad", fails("server_error"))], {
      settings: { circuitFailures: 1, retries: 0, circuitCooldownMs: 60_000 },
      deployments: ["model-a", "model-b"].map((model) => deploymentOf("bad", model)),
      fallbacks: ["model-b", "model-b"],
    });
    expect(attemptsOf(await failureOf(result))).toEqual([
      "bad model-a server_error",
      "bad model-b server_error",
      "bad model-b circuit_open",
    ]);
  });
});

describe("A provider that asks for fewer requests", () => {
  const WAIT_7_S = fails("rate_limited", { status: 429, retryAfterMs: 7000 });

  it("and has no alternative gives 429 with its wait, however often, and answers as soon as it can", async () => {
    const provider = lab(...Array.from({ length: 12 }, () => WAIT_7_S), answers("at last"));
    const { run, result } = begin([provider]);
    await failureOf(result);
    for (let request = 1; request < 12; request++) {
      const error = await rejectionOf(run(), SextantError);
      expect([error.code, error.status, error.extra.retry_after]).toEqual(["upstream_rate_limited", 429, 7]);
    }
    expect((await run()).provider).toBe("lab");
  });

  it("is not called by further requests until then, but for a few at once: they get 429 and a trace", async () => {
    const provider = lab(WAIT_7_S, hangs);
    const { run, result, time, sink } = begin([provider], { circuitProbes: 1 });
    await failureOf(result);
    await time.advance(2000);
    const client = new AbortController();
    const waiting = run({}, client.signal).catch(() => undefined);
    await quiet();
    const error = await rejectionOf(run(), SextantError);
    expect([error.code, error.extra.retry_after]).toEqual(["upstream_rate_limited", 5]);
    expect([provider.calls.length, sink.traces.length]).toEqual([2, 2]);
    client.abort();
    await waiting;
  });

  it("is called by later requests after the wait, when that is short", async () => {
    const provider = lab(fails("rate_limited", { retryAfterMs: 1800 }), answers("at last"));
    const { run, result, time } = begin([provider], { settings: { retries: 0 } });
    await failureOf(result);
    await time.advance(300);
    const later = run();
    await time.advance(1499);
    expect(provider.calls.length).toBe(1);
    await time.advance(1);
    expect((await later).provider).toBe("lab");
  });

  it("and whose circuit that opened, because there was an alternative, is still told as 429", async () => {
    const providers = ["first", "second"].map((id) => new FakeProvider(id, WAIT_7_S));
    const settings = { circuitFailures: 1 };
    const { inference, run, result } = begin(providers, { settings, circuitProbes: 1 });
    expect((await failureOf(result)).status).toBe(429);
    expect(inference.health("first", "model-a").state).toBe("open");
    const error = await rejectionOf(run(), SextantError);
    expect([error.status, error.extra.retry_after]).toEqual([429, 10]);
  });
});

describe("Time limits", () => {
  it("end a call whose reply does not begin, and then the request with 504", async () => {
    const { time, result, trace } = begin([lab(hangs)], { settings: { upstreamHeadersTimeoutMs: 700 } });
    await time.advance(700);
    const limit = "upstream_headers_timeout_ms";
    expect(await failureOf(result)).toMatchObject({
      status: 504,
      code: "upstream_timeout",
      extra: { attempts: [{ status: null, code: "timeout", latency_ms: 700, limit }] },
    });
    expect(trace()).toMatchObject({ status: "timeout", latencyMs: 700, model: "model-a", provider: "lab" });
    expect(time.running).toBe(0);
  });

  it("end the whole request at the total limit, counted from the arrival, without fallbacks", async () => {
    const slow = new FakeProvider("slow", fails("server_error"), hangs);
    const spare = new FakeProvider("spare", answers("too late"));
    const { time, result } = begin([slow, spare], {
      settings: { upstreamTotalTimeoutMs: 5000, retries: 1 },
      deployments: [deploymentOf("slow", "model-a"), deploymentOf("spare", "model-b")],
      fallbacks: ["model-b"],
    });
    await time.advance(5000);
    const error = await failureOf(result);
    expect(error.code).toBe("upstream_timeout");
    expect(attemptsOf(error)).toEqual(["slow model-a server_error", "slow model-a timeout"]);
    expect(error.message).toContain("The time limit of the request was reached");
    expect(spare.calls.length).toBe(0);
  });
});

describe("A client that disconnects", () => {
  it("aborts the pending call in the same tick, without further attempts", async () => {
    const slow = new FakeProvider("slow", hangs);
    const spare = new FakeProvider("spare", answers("unwanted"));
    const { client, result, time, trace, limiter, inference } = begin([slow, spare]);
    await time.advance(40);
    client.abort();
    expect(slow.calls[0]?.signal.aborted).toBe(true);
    expect((await result).error).toBeInstanceOf(ClientDisconnected);
    expect(spare.calls.length).toBe(0);
    expect(trace()).toMatchObject({
      status: "error",
      error: { code: "client_disconnected" },
      model: "model-a",
      provider: "slow",
      usage: null,
      latencyMs: 40,
      attempts: [{ provider: "slow", status: null, code: "client_disconnected", latency_ms: 40 }],
    });
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 0, costUsd: 0 }]);
    expect(inference.health("slow", "model-a").error_rate).toBeNull();
    expect(time.running).toBe(0);
  });

  it("ends a wait between attempts", async () => {
    const provider = lab(fails("server_error"));
    const { client, result, time } = begin([provider], { random: 0.9 });
    await quiet();
    client.abort();
    expect((await result).error).toBeInstanceOf(ClientDisconnected);
    expect([provider.calls.length, time.running]).toEqual([1, 0]);
  });
});

it("An unexpected error in an adapter ends the request, is traced without its text, and is not the provider's", async () => {
  const broken = lab({ type: "throw", error: new TypeError("SECRET is not a function") });
  const { inference, result, trace, time } = begin([broken]);
  expect((await result).error).toBeInstanceOf(TypeError);
  const message = "Something went wrong inside the server.";
  expect(trace().error).toEqual({ code: "internal_error", message });
  expect(trace().attempts).toMatchObject([{ code: "internal_error", status: null }]);
  expect(inference.health("lab", "model-a").error_rate).toBeNull();
  expect(time.running).toBe(0);
});

describe("The error for a refused request", () => {
  const told = async (script: Script) => failureOf(begin([lab(script)]).result);

  it("names the provider, the status, the code and the field, and passes the field on", async () => {
    const details = { status: 400, upstreamCode: "unsupported_value", upstreamParam: "temperature" };
    const error = await told(fails("request_refused", details));
    const said = '"lab" refused the request (HTTP 400, code unsupported_value, field temperature)';
    expect(error.message).toContain(said);
    expect(error.param).toBe("temperature");
  });

  it("explains why a request was not sent", async () => {
    const reason = "`stop` must be a string";
    const fault = new ProviderFault("request_refused", reason, { upstreamParam: "stop" });
    const error = await told({ type: "throw", error: fault });
    expect(error).toMatchObject({ code: "invalid_request", param: "stop" });
    expect(error.message).toContain(`cannot be sent to the provider "lab": ${reason}.`);
  });
});
