import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import type { ProviderCall, ProviderReply } from "../../../src/gateway/providers/provider.js";
import { type LimitSettings, MeasuredLimit, ModelLimits } from "../../../src/gateway/run/call-limits.js";
import type { Attempt } from "../../../src/gateway/traces/trace.js";
import { deploymentOf } from "../../fakes/deployments.js";
import { keyedLab } from "../../fakes/keyed-provider.js";
import { ManualTime, quiet } from "../../fakes/manual-time.js";
import {
  answers,
  delta,
  FakeProvider,
  finish,
  hangs,
  role,
  type Script,
  streams,
  textSteps,
} from "../../fakes/provider.js";
import { rejectionOf } from "../../support/errors.js";
import {
  contextOf,
  named,
  readAll,
  requestFor,
  type StartOptions,
  startInference,
  textOf,
} from "./harness.js";

const USUAL = {
  upstreamHeadersTimeoutMs: 300_000,
  upstreamIdleTimeoutMs: 60_000,
};

const limitsOf = (modelLimits: LimitSettings["modelLimits"]) => new ModelLimits({ ...USUAL, modelLimits });

describe("The table of limits", () => {
  it("says nothing without entries but what the settings say", () => {
    expect(limitsOf([]).of(deploymentOf("lab", "m"), undefined)).toEqual({
      headers: { ms: 300_000, name: "upstream_headers_timeout_ms" },
      firstContent: { ms: 120_000, name: "first_token_timeout_ms" },
      idle: { ms: 60_000, name: "upstream_idle_timeout_ms" },
    });
  });

  it("takes each limit from the most specific entry that has it", () => {
    const table = limitsOf([
      { idle_timeout_ms: 1, total_timeout_ms: 10 },
      { effort: "high", idle_timeout_ms: 2 },
      { provider: "lab", idle_timeout_ms: 3 },
      { provider: "lab", effort: "high", idle_timeout_ms: 4 },
      { model: "m", idle_timeout_ms: 5, max_output_tokens: 7 },
      { model: "m", effort: "high", idle_timeout_ms: 6 },
      { model: "m", provider: "lab", idle_timeout_ms: 7 },
      { model: "upstream-name", provider: "lab", effort: "high", idle_timeout_ms: 8 },
    ]);
    const idle = (provider: string, model: string, effort?: string) =>
      table.of(deploymentOf(provider, model), effort).idle.ms;
    expect([idle("x", "x"), idle("x", "x", "high"), idle("lab", "x"), idle("lab", "x", "high")]).toEqual([
      1, 2, 3, 4,
    ]);
    expect([idle("x", "m"), idle("x", "m", "high"), idle("lab", "m", "low")]).toEqual([5, 6, 7]);
    const renamed = deploymentOf("lab", "m", { upstreamModel: "upstream-name" });
    expect(table.of(renamed, "high")).toMatchObject({
      idle: { ms: 8, name: "model_limits[7].idle_timeout_ms" },
      total: { ms: 10, name: "model_limits[0].total_timeout_ms" },
      maxOutputTokens: 7,
    });
  });
});

/** Answers after a wait; a stream waits after its first word. */
class WaitingProvider extends FakeProvider {
  waitMs = 0;

  constructor(private readonly time: ManualTime) {
    super("waiting");
  }

  override async send(
    { stream }: ProviderCall,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ProviderReply> {
    const wait = () =>
      new Promise<void>((resolve, reject) => {
        const stop = this.time.timers.after(this.waitMs, resolve);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        signal.addEventListener("abort", stop, { once: true });
      });
    async function* batches() {
      yield [delta({ content: "hel" })];
      await wait();
      yield [finish()];
    }
    if (stream) return { kind: "stream", batches: batches() };
    await wait();
    const { completion, usage } = ANSWER;
    return { kind: "completion", completion, usage };
  }
}

const ANSWER = answers("hello") as Extract<Script, { type: "completion" }>;

const limitedIn = (attempts: readonly Attempt[]) => attempts.map(({ code, limit }) => [code, limit]);

function begin(providers: readonly FakeProvider[], options: StartOptions, changes = {}) {
  const started = startInference(providers, { ...options, settings: { retries: 0, ...options.settings } });
  const { inference, time } = started;
  const run = inference.run(requestFor(changes), contextOf(undefined, time.clock()));
  run.catch(() => {});
  return { ...started, run };
}

describe("Limits of a model", () => {
  it.each<[string, Script]>([
    ["sends nothing", hangs],
    ["stalls before its first token", streams([role()], "hang")],
  ])("fall back from a stream that %s, and name the limit in the attempt", async (_, stalling) => {
    const slow = new FakeProvider("slow", stalling);
    const good = new FakeProvider("good", streams(...textSteps(["hello"])));
    const settings = { modelLimits: [{ provider: "slow", first_token_timeout_ms: 700 }] };
    const { run, time } = begin([slow, good], { settings }, { stream: true });
    await time.advance(699);
    expect(good.calls.length).toBe(0);
    await time.advance(1);
    expect(limitedIn((await run).attempts)).toEqual([
      ["timeout", "model_limits[0].first_token_timeout_ms"],
      ["ok", undefined],
    ]);
  });

  it("allow a first token more time than is usual, too", async () => {
    const slow = new FakeProvider("slow", streams([role()], "hang"));
    const settings = { modelLimits: [{ provider: "slow", first_token_timeout_ms: 300_000 }] };
    const { run, time } = begin([slow], { settings }, { stream: true });
    await time.advance(299_999);
    expect(time.running).toBeGreaterThan(0);
    expect(slow.openStreams).toBe(1);
    const ending = rejectionOf(run, SextantError);
    await time.advance(1);
    expect((await ending).code).toBe("upstream_timeout");
  });

  it.each(["idle_timeout_ms", "total_timeout_ms"] as const)(
    "end a stream with an error after its first content: %s",
    async (limit) => {
      const provider = new FakeProvider("lab", streams([delta({ content: "hel" })], "hang"));
      const settings = { modelLimits: [{ [limit]: 300 }] };
      const { open, time, trace } = startInference([provider], { settings });
      const reading = rejectionOf(readAll(await open()), SextantError);
      await time.advance(299);
      expect(provider.openStreams).toBe(1);
      await time.advance(1);
      const attempts = [{ code: "timeout", limit: `model_limits[0].${limit}` }];
      expect(await reading).toMatchObject({ code: "upstream_timeout", extra: { attempts } });
      expect(trace()).toMatchObject({ status: "timeout", content: { output: "hel" }, attempts });
      expect(time.running).toBe(0);
    },
  );

  it("hold for an effort that the request asks for", async () => {
    const modelLimits = [{ effort: "low", total_timeout_ms: 100 }];
    const asking = (effort: string) =>
      begin([new FakeProvider("lab", hangs)], { settings: { modelLimits } }, { effort });
    const [low, high] = [asking("low"), asking("high")];
    await Promise.all([low.time.advance(100), high.time.advance(100)]);
    expect(limitedIn(low.trace().attempts)).toEqual([["timeout", "model_limits[0].total_timeout_ms"]]);
    expect(high.sink.traces).toEqual([]);
  });

  it("cap the tokens of an answer in what is sent", async () => {
    const provider = new FakeProvider("lab", answers("hello"));
    const settings = { modelLimits: [{ model: "model-a", max_output_tokens: 50 }] };
    await begin([provider], { settings }).run;
    expect(provider.calls[0]?.body).toMatchObject({ max_completion_tokens: 50 });
  });

  it("send further calls elsewhere while as many are under way as they allow", async () => {
    const busy = new FakeProvider("busy", hangs);
    const other = new FakeProvider("other", answers("hello"));
    const settings = { modelLimits: [{ provider: "busy", max_concurrency: 1 }] };
    const { run } = startInference([busy, other], { settings });
    run().catch(() => {});
    await quiet();
    expect((await run()).attempts.map(({ provider, code }) => [provider, code])).toEqual([
      ["busy", "concurrency_limit"],
      ["other", "ok"],
    ]);
    expect(busy.calls.length).toBe(1);
  });

  it("have calls wait for each other where nothing else serves them, in the order in which they came", async () => {
    const texts = ["one", "two", "three"];
    const provider = new FakeProvider("lab", ...texts.map((text) => streams(...textSteps([text]))));
    const settings = { modelLimits: [{ max_concurrency: 1 }] };
    const { open, time } = startInference([provider], { settings });
    const asked = texts.map(() => open());
    for (const [at, answer] of asked.entries()) {
      await time.advance(50);
      expect(provider.calls.length).toBe(at + 1);
      expect(textOf(await readAll(await answer))).toBe(texts[at]);
    }
    expect(time.running).toBe(0);
  });

  it("have calls wait for a key that is in use, until the request's own time is up", async () => {
    const time = new ManualTime();
    const key = { provider: new FakeProvider("lab", hangs), key: "a", limits: { maxConcurrency: 1 } };
    const settings = { upstreamTotalTimeoutMs: 1000 };
    const { run } = startInference([keyedLab([key], { clock: time.clock })], { time, settings });
    const running = [run(), run()].map((asked) => rejectionOf(asked, SextantError));
    await time.advance(1000);
    for (const error of await Promise.all(running)) expect(error).toMatchObject({ code: "upstream_timeout" });
    expect(time.running).toBe(0);
  });
});

describe("Measured timeouts", () => {
  it("follow from the slowest hundredth of the last calls, with a floor", () => {
    const times = new MeasuredLimit(20_000);
    for (let call = 0; call < 49; call++) times.add(10_000);
    expect(times.limit).toBeUndefined();
    times.add(10_000);
    expect(times.limit).toEqual({ ms: 50_000, name: "measured" });
    for (let call = 0; call < 144; call++) times.add(100);
    expect(times.limit?.ms).toBe(20_000);
  });

  it.each<[string, StartOptions["settings"], readonly string[], number]>([
    ["is given up for another provider", {}, ["slow", "good"], 20_000],
    ["is left alone where nothing else can serve it", {}, ["slow"], 300_000],
    ["is left alone where they are off", { measuredTimeouts: false }, ["slow", "good"], 300_000],
  ])("after 50 streams, one that hangs %s", async (_, settings, ids, givenUpMs) => {
    const providers = ids.map((id) => new FakeProvider(id, streams(...textSteps(["hello"]))));
    const { open, time, sink } = startInference(providers, { settings: { retries: 0, ...settings } });
    for (let call = 0; call < 50; call++) await readAll(await open());
    providers[0]?.recover(hangs);
    const asked = open().then(readAll, () => undefined);
    await time.advance(givenUpMs - 1);
    expect(sink.traces).toHaveLength(50);
    await time.advance(1);
    await asked;
    const limit = givenUpMs === 20_000 ? "measured" : "upstream_headers_timeout_ms";
    expect(sink.traces[50]?.attempts[0]).toMatchObject({ code: "timeout", limit });
  });

  it.each<[string, boolean, number, number, boolean]>([
    ["leave a stream alone that stalls for half a minute", true, 100, 29_999, false],
    ["end a stream that stalls before the usual minute is over", true, 100, 30_001, true],
    ["leave a slow model's stream alone, which is often silent for long", true, 10_000, 49_000, false],
    ["give up a whole reply that takes far longer than others", false, 1000, 61_000, true],
    ["leave a whole reply of a slow model alone", false, 40_000, 199_000, false],
  ])("%s", async (_, stream, usualMs, askedMs, isGivenUp) => {
    const time = new ManualTime();
    const waiting = new WaitingProvider(time);
    const good = new FakeProvider("good", answers("hello"));
    const { run, sink } = startInference([waiting, good], { time, settings: { retries: 0 } });
    const ask = async (ms: number) => {
      waiting.waitMs = ms;
      const choice = { ...named("model-a"), hosts: { order: ["waiting"] } };
      const asked = run({ stream, choice }).then((answer) =>
        answer.kind === "stream" ? readAll(answer).catch(() => {}) : undefined,
      );
      await time.advance(ms);
      await asked;
      return limitedIn(sink.traces.at(-1)?.attempts ?? []);
    };
    for (let call = 0; call < 50; call++) await ask(usualMs);
    const [first] = await ask(askedMs);
    expect(first).toEqual(isGivenUp ? ["timeout", "measured"] : ["ok", undefined]);
  });
});
