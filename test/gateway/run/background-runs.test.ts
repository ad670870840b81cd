import { describe, expect, it } from "vitest";
import { keptKey } from "../../../src/gateway/conversations/response-memory.js";
import {
  type CallOptions,
  type KeptCall,
  type KeptReply,
  ProviderFault,
  type StreamBatches,
  type StreamEvent,
} from "../../../src/gateway/providers/provider.js";
import type { StoppableInference } from "../../../src/gateway/run/inference.js";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import { FakeProvider, PLAIN_USAGE, type Script, streams } from "../../fakes/provider.js";
import { memoryForTest } from "../conversations/responses-for-test.js";
import { contextOf, named, readAll, requestFor, startInference } from "./harness.js";

const request = (changes: Partial<InferenceRequest> = {}) =>
  requestFor({
    ...changes,
    kind: "responses",
    background: true,
    choice: named("model-a"),
    native: {
      request: { api: "responses", body: { background: true }, headers: {}, replaceable: false },
      use: "required",
      need: { param: "background", what: "a response made in the background" },
    },
  });

const POLL_MS = 10_000;
const choice = (content: string) => ({
  index: 0,
  message: { role: "assistant", content },
  finish_reason: "stop",
});
const running = { id: "resp_1", object: "response", status: "in_progress", output: [] };
const reply = (status: "running" | "answered" | "failed", more: object = {}): KeptReply => ({
  body: { ...running, status, ...more },
  response: {
    status,
    completion: { choices: [choice(status === "running" ? "" : "Done.")] },
    usage: status === "answered" ? PLAIN_USAGE : null,
  },
});

const failed = reply("failed", { error: { code: "server_error", message: "It broke." } });
const gone = new ProviderFault("model_not_found", "gone", { status: 404 });

const BEGUN: Script = {
  type: "completion",
  completion: { choices: [choice("")], native: running, runningId: "resp_1" },
  usage: null,
};

/** An event of a stream, after which the run is in this state. */
const said = (status: "running" | "answered" | "failed", sequence_number: number): StreamEvent => ({
  chunk: { choices: [], native: { type: "response.in_progress", sequence_number } },
  usage: null,
  run: reply(status),
});

/** A provider whose first answer is begun in the background, and what it says when it is asked for it. */
class BackgroundProvider extends FakeProvider {
  readonly asked: string[] = [];
  replies: (KeptReply | ProviderFault)[] = [];

  constructor(script: Script = BEGUN) {
    super("openai", script);
    this.natives = new Set(["responses"]);
  }

  async kept({ method, id }: KeptCall, _options: CallOptions): Promise<KeptReply> {
    this.asked.push(`${method} ${id}`);
    const next = this.replies.shift() ?? reply("running");
    if (next instanceof ProviderFault) throw next;
    return next;
  }

  async keptEvents(): Promise<StreamBatches> {
    throw gone;
  }
}

function started(responses = memoryForTest(), script?: Script) {
  const provider = new BackgroundProvider(script);
  const begun = startInference([provider], { responses });
  return { provider, responses, ...begun, inference: begun.inference as StoppableInference };
}

describe("A run in the background", () => {
  it("is asked for until it has ended, then billed and traced once", async () => {
    const { provider, time, limiter, sink, trace, run } = started();
    provider.replies = [reply("running"), new ProviderFault("overloaded", "busy"), reply("answered")];
    await run(request());
    expect([sink.traces.length, limiter.reservations[0]?.settled.length]).toEqual([0, 0]);
    for (let poll = 0; poll < 5; poll++) await time.advance(POLL_MS);
    expect(provider.asked).toEqual(Array(3).fill("GET resp_1"));
    expect(trace()).toMatchObject({
      status: "success",
      usage: { prompt_tokens: 10, completion_tokens: 4 },
      content: { output: "Done." },
    });
    expect(limiter.reservations[0]?.settled).toEqual([expect.objectContaining({ tokens: 14 })]);
    expect(time.running).toBe(0);
  });

  it("ends at once when its client sees its end", async () => {
    const { provider, inference, trace, time, run } = started();
    await run(request());
    provider.replies = [reply("answered")];
    const call = { method: "GET", id: "resp_1", query: "" } as const;
    expect(await inference.askForKept(call, contextOf())).toMatchObject({ provider: "openai" });
    expect(trace()).toMatchObject({ status: "success" });
    expect(time.running).toBe(0);
  });

  it("is no longer asked for by a client that leaves", async () => {
    const { provider, inference, run } = started();
    await run(request());
    provider.kept = (_call, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const client = new AbortController();
    const asked = inference.askForKept({ method: "GET", id: "resp_1", query: "" }, contextOf(client.signal));
    setImmediate(() => client.abort());
    await expect(asked).rejects.toMatchObject({ code: "client_disconnected" });
  });

  it.each<[string, KeptReply | ProviderFault, string]>([
    ["what the provider says of its failure", failed, "It broke."],
    ["an error where it was deleted before its end", gone, "deleted"],
  ])("is traced with %s", async (_, told, message) => {
    const { provider, run, time, trace } = started();
    provider.replies = [told];
    await run(request());
    await time.advance(POLL_MS);
    const error = { message: expect.stringContaining(message) };
    expect(trace()).toMatchObject({ status: "error", error });
  });

  it("does not hold the end of the process, and is billed by the next one", async () => {
    const first = started();
    await first.run(request());
    first.inference.stopRuns();
    await first.inference.settled();
    expect([first.sink.traces, first.time.running]).toEqual([[], 0]);

    const key = keptKey(contextOf().principal.id, "resp_1");
    const left = await first.responses.find("stored", key);
    if (left === undefined) throw new Error("nothing is left");
    const next = started({
      find: (kind, at) => first.responses.find(kind, at),
      keep: (kept) => first.responses.keep(kept),
      claimRuns: async () => [{ key, stored: left }],
      close: async () => {},
    });
    next.provider.replies = [reply("answered")];
    await next.inference.resumeRuns();
    await next.time.advance(POLL_MS);
    expect(next.trace()).toMatchObject({
      requestId: contextOf().requestId,
      status: "success",
      usage: { prompt_tokens: 10 },
      content: { input: [], output: "Done." },
    });
  });
});

describe("A streamed run in the background", () => {
  it("is not asked for while its events are read, and billed at the one that ends it", async () => {
    const script = streams([said("running", 0)], [said("running", 1)], [said("answered", 2)]);
    const { provider, time, trace, limiter, open } = started(memoryForTest(), script);
    const answer = await open(request());
    expect(await readAll(answer)).toHaveLength(3);
    expect(answer.usage()).toMatchObject({ prompt_tokens: 10, completion_tokens: 4 });
    expect(trace()).toMatchObject({ status: "success", streamed: true, content: { output: "Done." } });
    expect(limiter.reservations[0]?.settled).toHaveLength(1);
    await time.advance(POLL_MS);
    expect([provider.asked, time.running]).toEqual([[], 0]);
  });

  it("is asked for from when its client leaves on", async () => {
    const { provider, time, sink, trace, open } = started(
      memoryForTest(),
      streams([said("running", 0)], "hang"),
    );
    const client = new AbortController();
    const answer = await open(request(), client.signal);
    const reading = readAll(answer);
    client.abort();
    await expect(reading).rejects.toMatchObject({ code: "client_disconnected" });
    expect([sink.traces, provider.openStreams]).toEqual([[], 0]);
    provider.replies = [reply("answered")];
    await time.advance(POLL_MS);
    expect(trace()).toMatchObject({ status: "success", usage: { prompt_tokens: 10 } });
  });

  it("is begun, and billed, although its client left before its first event", async () => {
    const client = new AbortController();
    const { provider, time, trace, open } = started(memoryForTest(), streams([said("running", 0)], "hang"));
    const begun = open(request(), client.signal);
    client.abort();
    await expect(readAll(await begun)).rejects.toMatchObject({ code: "client_disconnected" });
    provider.replies = [reply("answered")];
    await time.advance(POLL_MS);
    expect(trace()).toMatchObject({ status: "success" });
  });

  it("goes on when its events do not, and the error says from where they can be had", async () => {
    const { time, sink, open } = started(memoryForTest(), streams([said("running", 7)], "hang"));
    const answer = await open(request());
    const reading = expect(readAll(answer)).rejects.toMatchObject({
      code: "upstream_timeout",
      message: expect.stringMatching(
        /60000 ms\. The run goes on; GET \/v1\/responses\/resp_1\?stream=true&starting_after=7 /,
      ),
    });
    await time.advance(60_000);
    await reading;
    expect(sink.traces).toEqual([]);
  });

  it("whose events the provider has not is said so", async () => {
    const { inference, run } = started();
    await run(request());
    const call = { method: "GET", id: "resp_1", query: "?stream=true" } as const;
    await expect(inference.followKept(call, contextOf())).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("without `stream`, the response itself can be read"),
    });
  });
});

describe("A response that nobody keeps for the caller", () => {
  it("is not asked for anywhere", async () => {
    const { provider, inference } = started();
    const call = { method: "GET", id: "resp_9", query: "" } as const;
    await expect(inference.askForKept(call, contextOf())).rejects.toMatchObject({ code: "not_found" });
    expect(provider.asked).toEqual([]);
  });
});
