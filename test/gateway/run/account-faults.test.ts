/** Faults of the operator's account at a provider: others are asked, the account rests, and the caller is told of each. */
import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import { ProviderFault, type ProviderFaultCode } from "../../../src/gateway/providers/provider.js";
import type { Attempt } from "../../../src/gateway/traces/trace.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { keyedLab } from "../../fakes/keyed-provider.js";
import { ManualTime, quiet } from "../../fakes/manual-time.js";
import {
  answers,
  embeds,
  FakeProvider,
  fails,
  hangs,
  type Script,
  streams,
  textSteps,
} from "../../fakes/provider.js";
import { rejectionOf } from "../../support/errors.js";
import { asStream, contextOf, named, readAll, startInference, textOf } from "./harness.js";

const MINUTE = 60_000;
const fine = answers("fine");
const refused = fails("credentials_refused", { status: 401, upstreamCode: "invalid_api_key" });
const empty = fails("quota_exhausted", { status: 402, upstreamMessage: "Insufficient Balance" });
const forbidden = fails("credentials_refused", { status: 403 });
const unknown = fails("model_not_found", { status: 404 });
const shown = (attempts: readonly Attempt[]) => attempts.map(({ provider, code }) => `${provider} ${code}`);

/** `model-a` and `model-b` at `bad`, the cheaper, and `model-a` at `good`. */
function start(bad: Script | readonly Script[], good: Script = fine, options = {}) {
  const providers = [
    new FakeProvider("bad", ...[bad].flat()),
    new FakeProvider("good", good),
    new FakeProvider("spare", fine),
  ];
  const deployments = [
    deploymentOf("bad", "model-a", { price: priceOf(1, 1) }),
    deploymentOf("bad", "model-b"),
    deploymentOf("good", "model-a", { price: priceOf(9, 9) }),
    deploymentOf("spare", "model-c"),
  ];
  const calls = () => providers[0]?.calls.length;
  return { ...startInference(providers, { deployments, ...options }), providers, calls };
}

// Reports of gateways that gave up at once, or asked the dead account again with the next request: mnfst/llm-gateway#1986 (2026-05-21),
// theopenco/llmgateway#2652, tashfeenahmed/freellmapi#196 (2026-06-04), anthropics/claude-code#82991 (2026-07-31), HKUDS/nanobot#5052
// (2026-07-23), KarpelesLab/teamclaude#412 (2026-09-17: 4,124 requests in a row), manaflow-ai/subrouter#54 (2026-07-04).
describe.each<[string, Script, "account" | "model"]>([
  ["refused credentials", refused, "account"],
  ["an empty account", empty, "account"],
  ["a spent quota told with 429", fails("quota_exhausted", { status: 429 }), "account"],
  ["a key that Gemini refuses with 400", fails("credentials_refused", { status: 400 }), "account"],
  ["a 403", forbidden, "model"],
  ["an error with 403 inside a reply", fails("credentials_refused", { status: 200 }), "model"],
  ["a model that the account has not got", unknown, "model"],
  ["Groq's 498", fails("overloaded", { status: 498 }), "model"],
])("After %s", (_, fault, rests) => {
  it("the next host is asked, and the first not again for a while", async () => {
    const { run, calls, logLines, inference } = start(fault);
    expect((await run()).attempts).toHaveLength(2);
    expect(shown((await run()).attempts)).toEqual(["good ok"]);
    expect(calls()).toBe(1);
    const { code, status } = fault.type === "throw" ? (fault.error as ProviderFault) : {};
    expect(inference.health("bad", "model-a")).toMatchObject({ state: "open", reason: code });
    const lines = logLines.filter(([level]) => level === "warn");
    const fields = { request_id: "req_01", provider: "bad", model: "model-a", code, status };
    expect(lines).toEqual([["warn", `${rests} rests`, expect.objectContaining(fields)]]);
  });

  it(`a fallback is asked, and another model of that ${rests === "account" ? "account not" : "account too"}`, async () => {
    const { run, providers } = start(fault);
    const first = await run({ choice: named("model-b"), fallbacks: ["model-c"] });
    expect([first.model, first.provider]).toEqual(["model-c", "spare"]);
    providers[0]?.recover(fine);
    const { provider } = await run();
    expect(provider).toBe(rests === "account" ? "good" : "bad");
  });

  it("a stream goes on elsewhere, until its first content", async () => {
    const script = streams(fault.type === "throw" ? (fault.error as ProviderFault) : "hang");
    const { run, calls } = start(script, streams(...textSteps(["fine"])));
    const answer = await run({ stream: true });
    expect(textOf(await readAll(asStream(answer)))).toBe("fine");
    await readAll(asStream(await run({ stream: true })));
    expect(calls()).toBe(1);
  });

  it("the next key of the provider is asked", async () => {
    const time = new ManualTime();
    const keys = [fault, fine].map((script, at) => ({
      key: `key-${at}`,
      provider: new FakeProvider("lab", script),
    }));
    const { run } = startInference([keyedLab(keys, { clock: time.clock })], { time });
    const key = ({ attempts }: { readonly attempts: readonly Attempt[] }) => attempts.map((one) => one.key);
    expect(key(await run())).toEqual(["key-0", "key-1"]);
    expect(key(await run())).toEqual(["key-1"]);
  });
});

describe("A fault of the account", () => {
  it("leads embeddings elsewhere too", async () => {
    const providers = [new FakeProvider("bad", refused), new FakeProvider("good", embeds([[1]]))];
    const deployments = providers.map(({ id }) => deploymentOf(id, "model-e", { api: "embeddings" }));
    const { inference } = startInference(providers, { deployments });
    const request = { choice: named("model-e"), body: { input: ["a moth"] }, fallbacks: [], metadata: {} };
    const embed = () => inference.embed(request as Parameters<typeof inference.embed>[0], contextOf());
    expect([(await embed()).provider, (await embed()).provider]).toEqual(["good", "good"]);
    expect(providers.map(({ embeddingCalls }) => embeddingCalls.length)).toEqual([1, 2]);
  });

  it("leads a count of tokens to the next host, and then to a tokenizer", async () => {
    const asked: string[] = [];
    const host = (id: string, count: () => Promise<number>) => {
      const countTokens = () => {
        asked.push(id);
        return count();
      };
      return Object.assign(new FakeProvider(id, fine), { countTokens, natives: new Set(["messages"]) });
    };
    const refuses = async () => {
      throw new ProviderFault("credentials_refused", "as the test says", { status: 401 });
    };
    const request = { api: "messages", body: {}, headers: {}, replaceable: true } as const;
    const native = { request, use: "required", need: null } as const;
    const body = { messages: [{ role: "user", content: "hello" }] };
    for (const [second, counted] of [
      [async () => 7, { tokens: 7, estimated: false }],
      [refuses, { estimated: true }],
    ] as const) {
      asked.length = 0;
      const { inference } = startInference([host("bad", refuses), host("good", second)]);
      const count = () =>
        inference.countTokens({ choice: named("model-a"), body, native, fallbacks: [] }, contextOf());
      expect(await count()).toMatchObject(counted);
      await count();
      expect(asked).toEqual(counted.estimated ? ["bad", "good"] : ["bad", "good", "good"]);
    }
  });

  it.each<[Script, number]>([
    [refused, 10 * MINUTE],
    [forbidden, MINUTE],
    [fails("quota_exhausted", { status: 429, retryAfterMs: 5000 }), 5000],
  ])("is tried again by one request once it has rested: %#", async (fault, restMs) => {
    const { run, time, calls, inference, providers } = start([fault, hangs]);
    await run();
    await time.advance(restMs - 1);
    expect(shown((await run()).attempts)).toEqual(["good ok"]);
    // Hosts that are well come first for a cooldown more.
    await time.advance(10_001);
    const client = new AbortController();
    const probing = run({}, client.signal).catch(() => undefined);
    await quiet();
    expect(calls()).toBe(2);
    expect(shown((await run()).attempts)).toEqual(["good ok"]);
    client.abort();
    await probing;
    providers[0]?.recover(fine);
    expect((await run()).provider).toBe("bad");
    expect(inference.health("bad", "model-a")).toMatchObject({ state: "closed", reason: null });
  });

  it("is asked all the same where nothing else answers, but not twice in a request", async () => {
    const { run, calls, providers } = start(refused, fails("server_error"), { settings: { retries: 0 } });
    const both = { fallbacks: ["model-b"] };
    await rejectionOf(run(both), SextantError);
    expect(calls()).toBe(1);
    await rejectionOf(run(both), SextantError);
    expect(calls()).toBe(2);
    providers[0]?.recover(fine);
    expect((await run(both)).provider).toBe("bad");
    expect((await run()).provider).toBe("bad");
  });

  // https://github.com/awsl-project/maxx/pull/818 (2026-08-19): one request with a large `max_tokens` took the account from everybody.
  it("is none where OpenRouter says that a shorter answer can be paid", async () => {
    const upstreamMessage = "This request requires more credits, or fewer max_tokens, but can only afford 7.";
    const { run, calls } = start([fails("quota_exhausted", { status: 402, upstreamMessage }), fine]);
    expect((await run()).provider).toBe("good");
    expect([(await run()).provider, calls()]).toEqual(["bad", 2]);
  });

  it.each<[ProviderFaultCode, number]>([
    ["request_refused", 400],
    ["request_refused", 404],
    ["content_filter", 403],
    ["context_length_exceeded", 413],
  ])("is not what a request is refused for itself: %s with %i", async (code, status) => {
    const { run, providers, inference } = start(fails(code, { status }));
    expect(await rejectionOf(run({ fallbacks: ["model-c"] }), SextantError)).toMatchObject({ status });
    expect(providers.map((provider) => provider.calls.length)).toEqual([1, 0, 0]);
    expect(inference.health("bad", "model-a").state).toBe("closed");
  });

  it("that all have is told with each one's status and reason, and with what the operator has to do", async () => {
    const { run, providers } = start(empty, refused);
    providers[2]?.recover(unknown);
    const error = await rejectionOf(run({ fallbacks: ["model-c"] }), SextantError);
    expect(error).toMatchObject({
      status: 502,
      code: "upstream_error",
      headers: { "x-should-retry": "false" },
    });
    expect(error.message).toBe(
      "No model answered. bad model-a: quota_exhausted (HTTP 402): Insufficient Balance; " +
        "good model-a: credentials_refused (HTTP 401); spare model-c: model_not_found (HTTP 404). Name other `fallbacks`. " +
        'The operator of this server has to attend to the account at "bad": top it up or raise its limit; the account at ' +
        '"good": see why it is refused (check the value of GOOD_API_KEY); the account at "spare": get access to the model, or ' +
        "correct its `upstream_model`.",
    );
    expect(error.safeMessage).not.toContain("Insufficient");
    expect(error.extra.attempts).toMatchObject([{ status: 402 }, { status: 401 }, { status: 404 }]);
  });

  it("that rests is told with its reason beside what failed otherwise, which may pass", async () => {
    const { run, providers } = start(refused);
    await run();
    providers[1]?.recover(fails("server_error", { status: 500 }));
    const error = await rejectionOf(run({ choice: named("model-a") }), SextantError);
    expect(shown(error.extra.attempts as Attempt[])).toEqual(
      expect.arrayContaining(["bad circuit_open", "good server_error", "bad credentials_refused"]),
    );
    expect(error.message).toContain(
      "bad model-a: circuit_open (not called: the last failure was credentials_refused)",
    );
    expect(error.message).toContain("Try again later");
    expect(error.headers).not.toHaveProperty("x-should-retry");
  });
});
