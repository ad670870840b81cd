import { describe, expect, it } from "vitest";
import type { ChatCompletion } from "../../../src/gateway/providers/chat.js";
import type { StreamEvent } from "../../../src/gateway/providers/provider.js";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import type { Attempt } from "../../../src/gateway/traces/trace.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import {
  answers,
  FakeProvider,
  fails,
  finish,
  PLAIN_USAGE,
  type Script,
  streams,
} from "../../fakes/provider.js";
import { named, readAll, routed, type StartOptions, startInference } from "./harness.js";

const MODEL = "gpt-4o-mini";
const cheap = deploymentOf("cheap", MODEL, { price: priceOf(1, 1) });
const expensive = deploymentOf("expensive", MODEL, { price: priceOf(2, 2) });

/** An answer by the model of that name. */
function answersAs(model: string) {
  const message = { role: "assistant", content: "hi" };
  const completion: ChatCompletion = { model, choices: [{ index: 0, message, finish_reason: "stop" }] };
  return { type: "completion", completion, usage: PLAIN_USAGE } as const;
}

function streamsAs(model: string) {
  const event = (content: string): StreamEvent => ({
    chunk: { model, choices: [{ index: 0, delta: { content }, finish_reason: null }] },
    usage: null,
  });
  return streams([event("h"), event("i")], [finish(), { chunk: null, usage: PLAIN_USAGE }]);
}

/** The model at a cheap provider and at an expensive one, each with its script. */
function start(scripts: readonly [Script, Script], settings: StartOptions["settings"] = {}) {
  const providers = [new FakeProvider("cheap", scripts[0]), new FakeProvider("expensive", scripts[1])];
  const started = startInference(providers, { deployments: [expensive, cheap], settings });
  /** The provider that answered, once the answer was read. */
  const ask = async (changes: Partial<InferenceRequest> = {}) => {
    const answer = await started.run({ choice: named(MODEL), ...changes });
    if (answer.kind === "stream") await readAll(answer);
    return answer.provider;
  };
  return { ...started, ask, providers };
}

const reasons = (attempts: readonly Attempt[]) =>
  attempts.map(({ provider, host }) => [provider, host?.reason]);

describe("The provider of a model", () => {
  it("is the cheaper one, and the trace says why, with what was expected of each", async () => {
    const { ask, trace } = start([answers("hi"), answers("hi")]);
    expect(await ask()).toBe("cheap");
    const expected = { error_rate: 0.01, ttft_ms: 1000, tokens_per_second: 50 };
    const hosts = [{ provider: "cheap", ...expected }, { provider: "expensive" }];
    expect(trace().attempts).toMatchObject([
      { provider: "cheap", host: { reason: "price", saved_usd: null, hosts } },
    ]);
  });

  it("has its reason on the first attempt alone, also when that failed, and in streams", async () => {
    const failed = start([fails("server_error"), streamsAs(MODEL)], { retries: 0 });
    await failed.ask({ stream: true });
    expect(reasons(failed.trace().attempts)).toEqual([
      ["cheap", "price"],
      ["expensive", undefined],
    ]);
    const answered = start([streamsAs(MODEL), streamsAs(MODEL)]);
    await answered.ask({ stream: true });
    expect(answered.trace().attempts).toMatchObject([
      { host: { reason: "price" }, usage: { prompt_tokens: 10 } },
    ]);
  });

  it("is one that was measured to be faster where speed decides", async () => {
    const { ask, time, providers } = start([answers("slow"), answers("fast")], { hostSort: "latency" });
    const [slow] = providers;
    if (slow)
      slow.send = async () => {
        await time.advance(8000);
        return { kind: "completion", completion: answersAs(MODEL).completion, usage: PLAIN_USAGE };
      };
    // Of two that nothing is known of, the cheaper one.
    expect([await ask(), await ask(), await ask()]).toEqual(["cheap", "expensive", "expensive"]);
  });

  it("is one that the request allows, and OpenRouter gets what is its own", async () => {
    const openrouter = new FakeProvider("openrouter", answers("hi"));
    const deployments = [cheap, deploymentOf("openrouter", MODEL, { price: priceOf(3, 3) })];
    const { run } = startInference([new FakeProvider("cheap", answers("hi")), openrouter], { deployments });
    const asking = (hosts: object) =>
      run({ choice: { ...named(MODEL), hosts } as InferenceRequest["choice"] });
    const hosts = { only: ["deepinfra"], sort: "latency" };
    expect((await asking(hosts)).provider).toBe("openrouter");
    expect(openrouter.calls.map(({ body }) => body.provider)).toEqual([hosts]);
    await expect(asking({ only: ["nowhere"], ignore: ["openrouter"] })).rejects.toMatchObject({
      status: 404,
      code: "provider_not_found",
      message: expect.stringContaining("cheap: `only` does not name it; openrouter: `ignore` names it"),
    });
  });

  it("is named in a decision that is not executed, with the reason", async () => {
    const deployments = [
      deploymentOf("lab", "medium", { price: priceOf(2, 2) }),
      deploymentOf("other", "medium", { price: priceOf(1, 1) }),
      deploymentOf("lab", "small", { price: priceOf(1, 1) }),
    ];
    const { decide } = startInference([new FakeProvider("lab"), new FakeProvider("other")], { deployments });
    const choice = routed(["medium", "small"]);
    const chosen = { selected_provider: "other", host: { reason: "price" } };
    expect((await decide({ choice })).routing).toMatchObject(chosen);
    const { routing } = await decide({ choice: { ...choice, hosts: { ignore: ["other"] } } });
    expect(routing.selected_provider).toBe("lab");
    expect(routing).not.toHaveProperty("host");
  });
});

describe("A reply of another model", () => {
  const OTHER = "gpt-4.1-nano";

  it.each<[string, Script]>([
    ["whole", answersAs(OTHER)],
    ["streamed", streamsAs(OTHER)],
  ])("is recorded, %s", async (_, script) => {
    const { ask, trace } = start([script, answersAs(MODEL)]);
    await ask({ stream: script.type === "stream" });
    expect(trace().attempts).toMatchObject([{ provider: "cheap", code: "ok", served_model: OTHER }]);
  });

  it("has the other providers asked first from then on, a conversation's cache notwithstanding", async () => {
    const { ask, sink } = start([answersAs(OTHER), answersAs(MODEL)]);
    const conversation = { metadata: { conversation_id: "c1" } };
    await ask(conversation);
    await ask(conversation);
    expect(reasons(sink.traces.at(-1)?.attempts ?? [])).toEqual([["expensive", "health"]]);
  });

  it.each<[string, Script]>([
    ["for a dated name", answersAs("gpt-4o-mini-2024-07-18")],
    ["without a name", answers("hi")],
    ["for a word that is no name", answersAs("default")],
  ])("is none %s", async (_, script) => {
    const { ask, trace } = start([script, answersAs(MODEL)], { servedModel: "fail" });
    await ask();
    expect(trace().attempts.map(({ code, served_model }) => [code, served_model])).toEqual([
      ["ok", undefined],
    ]);
  });

  it.each<[string, Script, Script, object]>([
    ["what it used is billed", answersAs(OTHER), answersAs(MODEL), { prompt_tokens: 10 }],
    ["what a stream used is estimated", streamsAs(OTHER), streamsAs(MODEL), { estimated: true }],
  ])(
    "fails where the settings say so: the next provider is asked, and %s",
    async (_, wrong, right, usage) => {
      const { ask, traced } = start([wrong, right], { servedModel: "fail" });
      expect(await ask({ stream: wrong.type === "stream" })).toBe("expensive");
      const message = "cheap was asked for gpt-4o-mini and answered with gpt-4.1-nano.";
      expect((await traced()).attempts).toMatchObject([
        { provider: "cheap", code: "wrong_model", served_model: OTHER, message, usage },
        { provider: "expensive", code: "ok" },
      ]);
    },
  );
});
