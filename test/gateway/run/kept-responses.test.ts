import { describe, expect, it } from "vitest";
import { keptKey } from "../../../src/gateway/conversations/stored-responses.js";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import {
  type CallOptions,
  type KeptCall,
  ProviderFault,
  type StreamBatches,
  type StreamEvent,
} from "../../../src/gateway/providers/provider.js";
import { cutOff, FakeProvider, PLAIN_USAGE, type Script, streams } from "../../fakes/provider.js";
import { responsesForTest } from "../conversations/responses-for-test.js";
import { contextOf, named, readAll, requestFor, startInference } from "./harness.js";

const background = requestFor({
  kind: "responses",
  choice: named("model-a"),
  native: {
    request: { api: "responses", body: { background: true }, headers: {}, replaceable: false },
    use: "required",
    need: { param: "background", what: "a response made in the background" },
  },
});

const queued = { id: "resp_1", object: "response", status: "queued", output: [] };
const BEGUN: Script = {
  type: "completion",
  completion: { choices: [], native: queued },
  usage: null,
};

/** An event of a run; the last one has the answer. */
const said = (sequence_number: number, content?: string): StreamEvent => ({
  chunk: {
    choices: content === undefined ? [] : [{ index: 0, delta: { content }, finish_reason: "stop" }],
    native: {
      type: "response.in_progress",
      sequence_number,
      ...(sequence_number === 0 && { response: queued }),
    },
  },
  usage: content === undefined ? null : PLAIN_USAGE,
  isRunning: true,
});

/** A provider that keeps responses. */
class KeepingProvider extends FakeProvider {
  readonly asked: string[] = [];

  async kept({ method, id }: KeptCall, _options: CallOptions): Promise<JsonObject> {
    this.asked.push(`${method} ${id}`);
    return queued;
  }

  async keptEvents(_call: KeptCall, options: CallOptions): Promise<StreamBatches> {
    const call = { upstreamModel: "", api: "responses", body: { messages: [] }, stream: true } as const;
    const reply = await this.send(call, options);
    if (reply.kind !== "stream") throw new TypeError("a stream is scripted");
    return reply.batches;
  }
}

function started(script: Script = BEGUN) {
  const provider = new KeepingProvider("openai", script);
  provider.natives = new Set(["responses"]);
  const { stored: responses } = responsesForTest();
  responses.remember(keptKey(contextOf().principal.id, "resp_1"), { provider: "openai", model: "model-a" });
  return { provider, ...startInference([provider], { responses }) };
}

describe("A run in the background", () => {
  it("is traced when it has begun, and counts as its prompt and what it may generate", async () => {
    const { run, traced, limiter } = started();
    expect(await run(background)).toMatchObject({ completion: { native: queued } });
    const usage = { prompt_tokens: expect.any(Number), completion_tokens: 512, estimated: true };
    expect(await traced()).toMatchObject({ status: "success", usage });
    expect(limiter.reservations[0]?.settled).toHaveLength(1);
  });

  it("is passed on from its first event, and billed by the last", async () => {
    const { open, trace } = started(streams([said(0)], [said(1)], [said(2, "Done.")]));
    const answer = await open(background);
    expect(await readAll(answer)).toHaveLength(3);
    expect(answer.usage()).toMatchObject({ prompt_tokens: 10, completion_tokens: 4 });
    expect(trace()).toMatchObject({ status: "success", streamed: true, content: { output: "Done." } });
  });

  it("goes on when its events break off, and the error says from where the rest can be had", async () => {
    const answer = await started(streams([said(0)], [said(1)], cutOff())).open(background);
    await expect(readAll(answer)).rejects.toMatchObject({
      code: "upstream_error",
      message: expect.stringMatching(
        /The run goes on; GET \/v1\/responses\/resp_1\?stream=true&starting_after=1 /,
      ),
    });
  });

  it("that has failed does not go on", async () => {
    const answer = await started(streams([said(0)], [said(1, "")], cutOff())).open(background);
    await expect(readAll(answer)).rejects.not.toThrow("The run goes on");
  });
});

describe("A response that a provider keeps", () => {
  const call = { method: "GET", id: "resp_1", query: "" } as const;

  it("is asked for at that provider, and once deleted at none", async () => {
    const { inference, provider } = started();
    expect(await inference.askForKept(call, contextOf())).toMatchObject({ body: queued, model: "model-a" });
    await inference.askForKept({ ...call, method: "DELETE" }, contextOf());
    await expect(inference.askForKept(call, contextOf())).rejects.toMatchObject({ code: "not_found" });
    expect(provider.asked).toEqual(["GET resp_1", "DELETE resp_1"]);
  });

  it("that no one keeps for the caller is asked for nowhere", async () => {
    const { inference, provider } = started();
    const asked = inference.askForKept({ ...call, id: "resp_9" }, contextOf());
    await expect(asked).rejects.toMatchObject({ code: "not_found" });
    expect(provider.asked).toEqual([]);
  });

  it("is no longer asked for by a client that leaves", async () => {
    const { provider, inference } = started();
    provider.kept = (_call, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const client = new AbortController();
    const asked = inference.askForKept(call, contextOf(client.signal));
    setImmediate(() => client.abort());
    await expect(asked).rejects.toMatchObject({ code: "client_disconnected" });
  });

  it("goes on when its events do not, and the error says from where they can be had", async () => {
    const { inference, time, provider } = started(streams([said(7)], "hang"));
    const { batches } = await inference.followKept(call, contextOf());
    const reading = expect(readAll({ batches } as never)).rejects.toMatchObject({
      code: "upstream_timeout",
      message: expect.stringMatching(
        /60000 ms\. The run goes on; GET \/v1\/responses\/resp_1\?stream=true&starting_after=7 /,
      ),
    });
    await time.advance(60_000);
    await reading;
    expect([provider.openStreams, time.running]).toEqual([0, 0]);
  });

  it("says so when the provider has no events of it", async () => {
    const gone = new ProviderFault("model_not_found", "gone", { status: 404 });
    const { inference } = started({ type: "throw", error: gone });
    await expect(inference.followKept(call, contextOf())).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("without `stream`, the response itself can be read"),
    });
  });
});
