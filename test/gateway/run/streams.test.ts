import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import type { StreamEvent } from "../../../src/gateway/providers/provider.js";
import { ClientDisconnected } from "../../../src/gateway/run/cancellation.js";
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

const USAGE_EVENT: StreamEvent = { chunk: null, usage: PLAIN_USAGE };
const SETTINGS = { upstreamIdleTimeoutMs: 1000, retries: 0 };

/** A stream of one provider that has reached its first content. */
async function open(...steps: readonly StreamStep[]) {
  const provider = new FakeProvider("lab", streams(...steps));
  const deployments = [deploymentOf("lab", "model-a", { price: priceOf(1, 2) })];
  const started = startInference([provider], { deployments, settings: SETTINGS });
  const client = new AbortController();
  return { ...started, provider, client, answer: await started.open({}, client.signal) };
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

  it("uses the provider's last count, from any event", async () => {
    const counted = (event: StreamEvent, completionTokens: number) => [
      { ...event, usage: { ...PLAIN_USAGE, completionTokens } },
    ];
    const { answer, trace } = await open(counted(delta({ content: "a" }), 1), counted(finish(), 7));
    await readAll(answer);
    // 10 × 1 / 1e6 + 7 × 2 / 1e6
    expect(answer.usage()).toMatchObject({ completion_tokens: 7, total_cost_usd: 0.000024 });
    expect(trace().usage).toBe(answer.usage());
  });

  it("is counted by the gateway and marked as estimated when the provider sends no count", async () => {
    const { answer, limiter } = await open(...textSteps(["Hello", " world"], null));
    await readAll(answer);
    // "hello" is one token and a message 4 more; "Hello world" is two.
    const counts = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, total_cost_usd: 0.000009 };
    expect(answer.usage()).toMatchObject({ ...counts, estimated: true });
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 7, costUsd: 0.000009 }]);
  });

  it("has usage and a trace only once it has ended", async () => {
    const { answer, sink, trace } = await open(...textSteps(["Hello", " world"]));
    expect(() => answer.usage()).toThrow("once the stream has ended");
    expect(sink.traces).toEqual([]);
    await readAll(answer);
    expect(answer.usage().completion_tokens).toBe(4);
    expect(trace()).toMatchObject({
      status: "success",
      streamed: true,
      finishReason: "stop",
      content: { input: [{ role: "user", content: "hello" }], output: "Hello world" },
      attempts: [{ code: "ok", status: 200 }],
    });
  });

  it.each<[string, StreamStep]>([
    ["ends", [finish(), USAGE_EVENT]],
    ["breaks off", cutOff()],
    ["is given up by its client", "hang"],
  ])("keeps its text in what all streams have for theirs, and leaves it when it %s", async (how, end) => {
    const provider = new FakeProvider("lab", streams([role()], [delta({ content: "x".repeat(1000) })], end));
    const settings = { ...SETTINGS, traceBufferBytes: 1016 };
    const { open, sink } = startInference([provider], { settings });
    for (const _ of ["first", "second"]) {
      const answer = await open();
      const read = async () => {
        for await (const _ of answer.batches) if (how === "is given up by its client") return;
      };
      await read().catch(() => {});
      await quiet();
    }
    const kept = sink.traces.map(({ content }) => content?.output.indexOf("\n[cut: 492 of 1000"));
    expect(kept).toEqual([492, 492]);
  });

  it("measures its first content and its end from the arrival of the request", async () => {
    const provider = new FakeProvider("lab", streams([role()], [delta({ content: "a" })], "hang"));
    const { inference, time, traced } = startInference([provider], { settings: SETTINGS });
    await time.advance(50);
    const answer = asStream(await inference.run(requestFor({ stream: true }), contextOf(undefined, 20)));
    const reading = readAll(answer).catch((error: unknown) => error);
    await time.advance(1000);
    await reading;
    expect(await traced()).toMatchObject({
      ttftMs: 30,
      latencyMs: 1030,
      usage: { ttft_ms: 30, latency_ms: 1030 },
      attempts: [{ latency_ms: 1000 }],
    });
    expect(answer.attempts[0]).toMatchObject({ code: "ok", latency_ms: 0 });
    expect(inference.health("lab", "model-a")).toMatchObject({ error_rate: 1 });
  });
});

describe("The first content of a stream", () => {
  /** A stream that begins so and breaks off, at the first of two providers. */
  async function beginning(...steps: readonly StreamStep[]) {
    const first = new FakeProvider("first", streams(...steps));
    const second = new FakeProvider("second", streams(...textSteps(["second"])));
    return { first, second, answer: await startInference([first, second], { settings: SETTINGS }).open() };
  }

  it.each([
    { content: "x" },
    { refusal: "I cannot" },
    { reasoning_content: "Let me think" },
    { tool_calls: [{ index: 0, id: "call_1", function: { name: "f", arguments: "" } }] },
    { audio: { id: "audio_1" } },
  ])("is %j, after which there is no fallback", async (content) => {
    const { answer, second } = await beginning([role()], [delta(content)], cutOff());
    await expect(readAll(answer)).rejects.toThrow("broke off");
    expect(second.calls.length).toBe(0);
  });

  it.each([
    { role: "assistant" },
    { role: "assistant", content: "" },
    { content: null, refusal: null },
    { tool_calls: [] },
  ])("is not %j, after which another provider may be called", async (empty) => {
    const { answer } = await beginning([delta(empty), USAGE_EVENT], cutOff());
    expect(textOf(await readAll(answer))).toBe("second");
  });

  it("is missing from a stream that ends without any, so that another provider is called", async () => {
    const { answer, first } = await beginning([role()]);
    expect(answer.attempts.map(({ code }) => code)).toEqual(["invalid_reply", "ok"]);
    expect(first.openStreams).toBe(0);
  });

  it("may be the finish reason alone", async () => {
    const { answer } = await open([role()], [finish("content_filter")], [USAGE_EVENT]);
    expect(await readAll(answer)).toHaveLength(2);
  });
});

describe("An invalid chunk", () => {
  const nonsense = (choices: unknown) => [{ chunk: { choices }, usage: null } as unknown as StreamEvent];

  it("before the first content closes the upstream, and is an internal error", async () => {
    const provider = new FakeProvider("lab", streams(nonsense(null), "hang"));
    const started = startInference([provider]);
    await expect(started.open()).rejects.toThrow(TypeError);
    expect(provider.calls[0]?.signal.aborted).toBe(true);
    expect((await started.traced()).error?.code).toBe("internal_error");
    expect(started.time.running).toBe(0);
  });

  it("after it breaks the stream off as an internal error, with a trace", async () => {
    const first = [delta({ content: "Hello" })];
    const { answer, traced, provider, time } = await open(first, nonsense([null]), "hang");
    await expect(readAll(answer)).rejects.toThrow(TypeError);
    expect(await traced()).toMatchObject({ error: { code: "internal_error" }, content: { output: "Hello" } });
    expect(provider.calls[0]?.signal.aborted).toBe(true);
    expect(time.running).toBe(0);
  });
});

describe("A stream that stalls", () => {
  it("does not break off because its reader is slow", async () => {
    const { answer, time } = await open(...textSteps(["a", "b"]));
    let chunks = 0;
    for await (const batch of answer.batches) {
      chunks += batch.length;
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
    const { answer, client, provider, inference, traced, limiter, time } = await open(
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
    expect(inference.health("lab", "model-a").error_rate).toBeNull();
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

  it("is detected when iteration stops early", async () => {
    const { answer, provider, traced, time } = await open(...textSteps(["Hello", " world"]));
    for await (const _ of answer.batches) break;
    expect(await traced()).toMatchObject({ error: { code: "client_disconnected" } });
    expect(provider.calls[0]?.signal.aborted).toBe(true);
    await quiet();
    expect([provider.openStreams, time.running]).toEqual([0, 0]);
  });

  it("gets and counts nothing more, even from an upstream that continues", async () => {
    let goOn = () => {};
    const more = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* deaf() {
      yield [delta({ content: "Hello" })];
      await more;
      yield [delta({ content: " again" })];
    }
    const provider = new FakeProvider("lab");
    provider.send = async () => ({ kind: "stream", batches: deaf() });
    const client = new AbortController();
    const { open, traced } = startInference([provider]);
    const reading = readAll(await open({}, client.signal));
    client.abort();
    goOn();
    await expect(reading).rejects.toThrow(ClientDisconnected);
    expect(await traced()).toMatchObject({ content: { output: "Hello" }, usage: { completion_tokens: 1 } });
  });

  it("has no effect once the stream has ended", async () => {
    const { answer, client, trace } = await open(...textSteps(["Hello"]));
    await readAll(answer);
    client.abort();
    expect(trace().status).toBe("success");
  });
});

it("A stream that probes a circuit closes it at its first content, and opens it again when it breaks off", async () => {
  const broken = streams([delta({ content: "Once" })], cutOff());
  const provider = new FakeProvider("lab", fails("server_error"), broken);
  const settings = { circuitFailures: 1, circuitCooldownMs: 1000, retries: 0 };
  const { run, inference, time, open: begin } = startInference([provider], { settings });
  const state = () => inference.health("lab", "model-a").state;
  await expect(run()).rejects.toThrow(SextantError);
  await time.advance(1000);
  const answer = await begin();
  expect(state()).toBe("closed");
  await expect(readAll(answer)).rejects.toThrow("broke off");
  expect(state()).toBe("open");
});
