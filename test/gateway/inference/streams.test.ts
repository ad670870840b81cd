import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import { ClientDisconnected } from "../../../src/gateway/inference/attempts/cancellation.js";
import type { Provider, StreamEvent } from "../../../src/gateway/providers/provider.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { quiet } from "../../fakes/manual-time.js";
import {
  cutOff,
  delta,
  FakeProvider,
  fails,
  finish,
  PLAIN_USAGE,
  role,
  type StreamStep,
  streams,
  textSteps,
} from "../../fakes/provider.js";
import { asStream, contextOf, readAll, requestFor, startInference, textOf } from "./harness.js";

const PRICE = priceOf(1, 2);
const USAGE_EVENT: StreamEvent = { chunk: null, usage: PLAIN_USAGE };
const SETTINGS = { upstreamFirstContentTimeoutMs: 3000, upstreamIdleTimeoutMs: 1000, retries: 0 };

/** A stream of one provider that has reached its first content. */
async function open(...steps: readonly StreamStep[]) {
  const provider = new FakeProvider("lab", streams(...steps));
  const started = startInference([provider], {
    deployments: [deploymentOf("lab", "model-a", { price: PRICE })],
    settings: SETTINGS,
  });
  const client = new AbortController();
  const answer = asStream(
    await started.inference.run(requestFor({ stream: true }), contextOf(client.signal)),
  );
  return { ...started, provider, client, answer };
}

describe("A stream", () => {
  it("passes on all chunks up to the first content as one batch, then every batch as it arrived", async () => {
    const { answer } = await open(
      [role()],
      [delta({ content: "" })],
      [delta({ content: "Hel" })],
      [delta({ content: "lo" }), delta({ content: "!" })],
      [finish(), USAGE_EVENT],
    );
    const sizes: number[] = [];
    for await (const batch of answer.batches) sizes.push(batch.length);
    expect(sizes).toEqual([3, 2, 1]);
  });

  it("passes on the chunk objects of the provider", async () => {
    const events = [role(), delta({ content: "x", unheard_of: { kept: true } }), finish()];
    const { answer } = await open(events);
    const chunks = await readAll(answer);
    events.forEach(({ chunk }, index) => {
      expect(chunks[index]).toBe(chunk);
    });
  });

  it("uses the provider's last count, from any event", async () => {
    const early: StreamEvent = { ...delta({ content: "a" }), usage: { ...PLAIN_USAGE, completionTokens: 1 } };
    const late: StreamEvent = { ...finish(), usage: { ...PLAIN_USAGE, completionTokens: 7 } };
    const { answer, trace } = await open([early], [late]);
    await readAll(answer);
    // 10 × 1 / 1e6 + 7 × 2 / 1e6
    expect(answer.usage()).toMatchObject({ completion_tokens: 7, total_cost_usd: 0.000024 });
    expect(trace().usage).toBe(answer.usage());
  });

  it("never passes on an empty batch for an event that only has a count", async () => {
    const { answer } = await open([delta({ content: "a" })], [USAGE_EVENT], [finish()]);
    for await (const batch of answer.batches) expect(batch.length).toBeGreaterThan(0);
  });

  it("is counted by the gateway and marked as estimated when the provider sends no count", async () => {
    const { answer, limiter } = await open(...textSteps(["Hello", " world"], null));
    await readAll(answer);
    // "hello" is one token and a message 4 more; "Hello world" is two.
    expect(answer.usage()).toMatchObject({
      prompt_tokens: 5,
      completion_tokens: 2,
      total_tokens: 7,
      total_cost_usd: 0.000009,
      estimated: true,
    });
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 7, costUsd: 0.000009 }]);
  });

  it("has usage only once it has ended", async () => {
    const { answer } = await open(...textSteps(["Hello"]));
    expect(() => answer.usage()).toThrow("once the stream has ended");
    await readAll(answer);
    expect(answer.usage().completion_tokens).toBe(4);
  });

  it("is traced when it has ended, not before", async () => {
    const { answer, sink, trace } = await open(...textSteps(["Hello", " world"]));
    expect(sink.traces).toEqual([]);
    await readAll(answer);
    expect(trace()).toMatchObject({
      status: "success",
      streamed: true,
      finishReason: "stop",
      content: { input: [{ role: "user", content: "hello" }], output: "Hello world" },
      attempts: [{ code: "ok", status: 200 }],
    });
  });

  it("measures its first content and its end from the arrival of the request", async () => {
    const provider = new FakeProvider("lab", streams([role()], [delta({ content: "a" })], "hang"));
    const { inference, time, trace, traced } = startInference([provider], { settings: SETTINGS });
    await time.advance(50);
    const answer = asStream(await inference.run(requestFor({ stream: true }), contextOf(undefined, 20)));
    const reading = readAll(answer).catch((error: unknown) => error);
    await time.advance(1000);
    await reading;
    expect(await traced()).toMatchObject({
      ttftMs: 30,
      latencyMs: 1030,
      usage: { ttft_ms: 30, latency_ms: 1030 },
    });
    expect(trace().attempts[0]?.latency_ms).toBe(1000);
    expect(answer.attempts[0]).toMatchObject({ code: "ok", latency_ms: 0 });
    expect(inference.health("lab", "model-a")).toMatchObject({ error_rate: 1 });
  });

  it("keeps several choices apart in the trace", async () => {
    const { answer, trace } = await open(
      [delta({ content: "one" }, 0), delta({ content: "uno" }, 1)],
      [delta({ content: " two" }, 0), delta({ content: " dos" }, 1)],
      [finish("length", 1), finish("stop", 0), USAGE_EVENT],
    );
    await readAll(answer);
    expect(trace()).toMatchObject({ content: { output: "one two\nuno dos" }, finishReason: "stop" });
  });

  it("leaves no timer, listener or connection behind", async () => {
    const { answer, time, provider } = await open(...textSteps(["Hello"]));
    await readAll(answer);
    expect([time.running, provider.openStreams]).toEqual([0, 0]);
  });
});

describe("The first content of a stream", () => {
  const contents = [
    { content: "x" },
    { refusal: "I cannot" },
    { reasoning_content: "Let me think" },
    { tool_calls: [{ index: 0, id: "call_1", function: { name: "f", arguments: "" } }] },
    { audio: { id: "audio_1" } },
  ];
  it.each(contents)("is %j, after which there is no fallback", async (content) => {
    const first = new FakeProvider("first", streams([role()], [delta(content)], cutOff()));
    const second = new FakeProvider("second", streams(...textSteps(["second"])));
    const { inference } = startInference([first, second]);
    const answer = asStream(await inference.run(requestFor({ stream: true }), contextOf()));
    await expect(readAll(answer)).rejects.toThrow("broke off");
    expect(second.calls.length).toBe(0);
  });

  const empties = [
    { role: "assistant" },
    { role: "assistant", content: "" },
    { content: null, refusal: null },
    { tool_calls: [] },
  ];
  it.each(empties)("is not %j, after which another provider may be called", async (empty) => {
    const first = new FakeProvider("first", streams([delta(empty), USAGE_EVENT], cutOff()));
    const second = new FakeProvider("second", streams(...textSteps(["second"])));
    const { inference } = startInference([first, second]);
    const answer = asStream(await inference.run(requestFor({ stream: true }), contextOf()));
    expect(textOf(await readAll(answer))).toBe("second");
  });

  it("may be the finish reason alone", async () => {
    const { answer } = await open([role()], [finish("content_filter")], [USAGE_EVENT]);
    expect(await readAll(answer)).toHaveLength(2);
  });

  it("is missing from a stream that ends without any, so that another provider is called", async () => {
    const first = new FakeProvider("first", streams([role()]));
    const second = new FakeProvider("second", streams(...textSteps(["second"])));
    const { inference } = startInference([first, second], { settings: { retries: 0 } });
    const answer = await inference.run(requestFor({ stream: true }), contextOf());
    expect(answer.attempts.map(({ code }) => code)).toEqual(["invalid_reply", "ok"]);
    expect(first.openStreams).toBe(0);
  });

  it("cannot be an invalid chunk, which closes the upstream and counts as an internal error", async () => {
    const nonsense = { chunk: { choices: null }, usage: null } as unknown as StreamEvent;
    const provider = new FakeProvider("lab", streams([nonsense], "hang"));
    const { inference, traced, time } = startInference([provider]);
    await expect(inference.run(requestFor({ stream: true }), contextOf())).rejects.toThrow(TypeError);
    expect(provider.calls[0]?.signal.aborted).toBe(true);
    expect((await traced()).error?.code).toBe("internal_error");
    expect(time.running).toBe(0);
  });

  it("has a time limit of its own from the start of the reply, after which another provider is called", async () => {
    const first = new FakeProvider("first", streams([role()], "hang"));
    const second = new FakeProvider("second", streams(...textSteps(["second"])));
    const { inference, time } = startInference([first, second], { settings: SETTINGS });
    const run = inference.run(requestFor({ stream: true }), contextOf());
    await time.advance(2999);
    expect(second.calls.length).toBe(0);
    await time.advance(1);
    expect((await run).attempts.map(({ code }) => code)).toEqual(["timeout", "ok"]);
    expect([first.openStreams, first.calls[0]?.signal.aborted]).toEqual([0, true]);
  });
});

describe("A stream with an invalid chunk after its first content", () => {
  it("breaks off as an internal error, with a trace", async () => {
    const nonsense = { chunk: { choices: [null] }, usage: null } as unknown as StreamEvent;
    const { answer, traced, provider, time } = await open([delta({ content: "Hello" })], [nonsense], "hang");
    await expect(readAll(answer)).rejects.toThrow(TypeError);
    expect(await traced()).toMatchObject({ error: { code: "internal_error" }, content: { output: "Hello" } });
    expect(provider.calls[0]?.signal.aborted).toBe(true);
    expect(time.running).toBe(0);
  });
});

describe("A stream that stalls", () => {
  it("breaks off after the idle limit with `upstream_timeout`", async () => {
    const { answer, time, traced } = await open([delta({ content: "Once" })], "hang");
    const reading = readAll(answer).catch((error: unknown) => error);
    await time.advance(999);
    expect(time.running).toBe(1);
    await time.advance(1);
    const error = await reading;
    expect(error).toBeInstanceOf(SextantError);
    expect(error).toMatchObject({ code: "upstream_timeout", extra: { attempts: [{ code: "timeout" }] } });
    expect(await traced()).toMatchObject({ status: "timeout", content: { output: "Once" } });
    expect(time.running).toBe(0);
  });

  it("does not break off because its reader is slow", async () => {
    const { answer, time } = await open(...textSteps(["a", "b"]));
    const reader = answer.batches[Symbol.asyncIterator]();
    let chunks = 0;
    for (let read = await reader.next(); read.done !== true; read = await reader.next()) {
      chunks += read.value.length;
      await time.advance(100_000);
    }
    expect(chunks).toBe(4);
  });

  it("breaks off at the total limit even if nobody reads", async () => {
    const { time, traced, provider, answer } = await open([delta({ content: "Once" })], "hang");
    await time.advance(600_000);
    expect(await traced()).toMatchObject({ status: "timeout", latencyMs: 600_000 });
    expect(provider.calls[0]?.signal.aborted).toBe(true);
    await expect(readAll(answer)).rejects.toMatchObject({ code: "upstream_timeout" });
  });
});

describe("A client that disconnects from a stream", () => {
  it("aborts the upstream in the same tick; generated tokens are traced, charged and settled", async () => {
    const { answer, client, provider, traced, limiter, time } = await open(
      [role()],
      [delta({ content: "Hello" })],
      [delta({ content: " world" })],
      "hang",
    );
    const reader = answer.batches[Symbol.asyncIterator]();
    await reader.next();
    await reader.next();
    const waiting = reader.next().catch((error: unknown) => error);
    await quiet();
    client.abort();
    expect(provider.calls[0]?.signal.aborted).toBe(true);
    expect(await waiting).toBeInstanceOf(ClientDisconnected);
    expect(await traced()).toMatchObject({
      status: "error",
      error: { code: "client_disconnected" },
      content: { output: "Hello world" },
      usage: { completion_tokens: 2, estimated: true },
      finishReason: null,
      attempts: [{ code: "client_disconnected", status: null }],
    });
    expect(limiter.reservations[0]?.settled).toHaveLength(1);
    expect([provider.openStreams, time.running]).toEqual([0, 0]);
  });

  it("is traced in the same tick when the provider has counted, even if nobody has read", async () => {
    const { client, trace } = await open([{ ...delta({ content: "Hello" }), usage: PLAIN_USAGE }], "hang");
    client.abort();
    expect(trace()).toMatchObject({
      error: { code: "client_disconnected" },
      usage: { completion_tokens: 4 },
      content: { output: "Hello" },
    });
  });

  it("does not affect the provider's health", async () => {
    const { client, inference } = await open([delta({ content: "Hello" })], "hang");
    client.abort();
    expect(inference.health("lab", "model-a").error_rate).toBeNull();
  });

  it("is detected when iteration stops early", async () => {
    const { answer, provider, traced, time } = await open(...textSteps(["Hello", " world"]));
    for await (const _ of answer.batches) break;
    expect(await traced()).toMatchObject({ error: { code: "client_disconnected" } });
    expect(provider.calls[0]?.signal.aborted).toBe(true);
    await quiet();
    expect([provider.openStreams, time.running]).toEqual([0, 0]);
  });

  it("gets and counts nothing more, even from an upstream that continues", async () => {
    let goOn = (): void => {};
    const more = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* deaf() {
      yield [delta({ content: "Hello" })];
      await more;
      yield [delta({ content: " again" })];
    }
    const provider: Provider = {
      id: "lab",
      natives: new Set(),
      send: async () => ({ kind: "stream", batches: deaf() }),
      close: async () => {},
    };
    const { inference, traced } = startInference([provider]);
    const client = new AbortController();
    const answer = asStream(await inference.run(requestFor({ stream: true }), contextOf(client.signal)));
    const reader = answer.batches[Symbol.asyncIterator]();
    await reader.next();
    const waiting = reader.next().catch((error: unknown) => error);
    client.abort();
    goOn();
    expect(await waiting).toBeInstanceOf(ClientDisconnected);
    expect(await traced()).toMatchObject({ content: { output: "Hello" }, usage: { completion_tokens: 1 } });
  });

  it("has no effect once the stream has ended", async () => {
    const { answer, client, trace } = await open(...textSteps(["Hello"]));
    await readAll(answer);
    client.abort();
    expect(trace().status).toBe("success");
  });
});

describe("A stream that probes a circuit breaker", () => {
  it("closes the circuit at the first content and opens it again when it breaks off", async () => {
    const provider = new FakeProvider(
      "lab",
      fails("server_error"),
      streams([delta({ content: "Once" })], cutOff()),
    );
    const settings = { circuitFailures: 1, circuitCooldownMs: 1000, retries: 0 };
    const { inference, time } = startInference([provider], { settings });
    await expect(inference.run(requestFor(), contextOf())).rejects.toThrow(SextantError);
    await time.advance(1000);
    const answer = asStream(await inference.run(requestFor({ stream: true }), contextOf(undefined, 1000)));
    expect(inference.health("lab", "model-a").state).toBe("closed");
    await expect(readAll(answer)).rejects.toThrow("broke off");
    expect(inference.health("lab", "model-a").state).toBe("open");
  });
});
