import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import type { ChatCompletion, JsonObject } from "../../../src/gateway/providers/chat.js";
import { ClientDisconnected } from "../../../src/gateway/run/cancellation.js";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import {
  answers,
  delta,
  FakeProvider,
  fails,
  PLAIN_USAGE,
  type Script,
  streams,
  textSteps,
} from "../../fakes/provider.js";
import { FakeRouter } from "../../fakes/router.js";
import { rejectionOf } from "../../support/errors.js";
import { asCompletion, named, readAll, routed, startInference } from "./harness.js";

const lab = (...scripts: readonly Script[]) => new FakeProvider("lab", ...scripts);
const user = (content: string) => ({ role: "user", content });

/** Models of the fake router, of which two can be run. */
const ROUTED_DEPLOYMENTS = [
  deploymentOf("lab", "medium", { price: priceOf(1, 2) }),
  deploymentOf("lab", "small"),
  deploymentOf("openai", "large", { enabled: false }),
];

it("A failure has the headers of the limits, and stays what it is", async () => {
  const { run } = startInference([lab(fails("request_refused", { status: 400 }))]);
  expect(await rejectionOf(run(), SextantError)).toMatchObject({
    headers: { "x-ratelimit-limit-requests": "60" },
    status: 400,
    message: expect.stringContaining("refused"),
  });
});

describe("An answer", () => {
  it("is the provider's own, with usage, attempts and headers beside it", async () => {
    const message = { role: "assistant", content: "hi" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    const completion: ChatCompletion = { id: "theirs", choices, system_fingerprint: "fp" };
    const usage = { ...PLAIN_USAGE, details: { prompt_tokens_details: { cached_tokens: 0 } } };
    const { run } = startInference([lab({ type: "completion", completion, usage })]);
    const answer = asCompletion(await run());
    expect(answer.completion).toBe(completion);
    expect(answer).toMatchObject({
      model: "model-a",
      provider: "lab",
      routing: null,
      attempts: [{ provider: "lab", status: 200, code: "ok", message: null, latency_ms: 0 }],
      limitHeaders: { "x-ratelimit-limit-requests": "60" },
      usage: { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 0 } },
    });
  });

  it("is requested by the upstream's own model name, with what the client sent", async () => {
    const provider = lab(answers("hi"));
    const deployment = deploymentOf("lab", "model-a", { upstreamModel: "model-a-2026", api: "completions" });
    const body = { messages: [user("hello")], temperature: 1, top_k: 5 };
    await startInference([provider], { deployments: [deployment] }).run({ body });
    expect(provider.calls).toMatchObject([
      { upstreamModel: "model-a-2026", api: "completions", stream: false, body },
    ]);
  });

  it.each([
    ["from four weeks before its retirement on", true, { from: "2026-12-31", successor: "model-b" }],
    ["not earlier", false, undefined],
  ])("says that the model is retired, %s", async (_, isNear, retirement) => {
    const retiring = { from: "2026-12-31", successor: "model-b", isNear };
    const deployment = deploymentOf("lab", "model-a", { retirement: retiring });
    const { attempts } = asCompletion(
      await startInference([lab(answers("hi"))], { deployments: [deployment] }).run(),
    );
    expect(attempts[0]?.retirement).toEqual(retirement);
  });

  it("never has counts overruled by other fields of the provider's reply", async () => {
    const details = { prompt_tokens: 999, total_cost_usd: 5, estimated: true, cost: 0.1 };
    const { run } = startInference([lab(answers("hi", { ...PLAIN_USAGE, details }))]);
    const { usage } = asCompletion(await run());
    expect(usage).toMatchObject({ prompt_tokens: 10, total_cost_usd: null, cost: 0.1 });
  });

  it("is counted by the gateway when the provider sends no count: texts, tool calls and tools", async () => {
    const call = { id: "c", type: "function", function: { name: "hello", arguments: " world" } };
    const message = { role: "assistant", content: "hello", tool_calls: [call] };
    const completion = { choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
    const { run } = startInference([lab({ type: "completion", completion, usage: null })]);
    const body = { messages: [user("hello"), { role: "assistant", content: "hello" }] };
    // Two messages of 1 token and 4 around each; "hello", and "hello world" of the call.
    expect(asCompletion(await run({ body })).usage).toMatchObject({
      prompt_tokens: 10,
      completion_tokens: 3,
      estimated: true,
    });
    const withTools = asCompletion(await run({ body: { ...body, tools: [{ name: "hello" }] } }));
    expect(withTools.usage.prompt_tokens).toBeGreaterThan(10);
  });
});

describe("The reservation of a request", () => {
  const DEPLOYMENTS = [
    deploymentOf("other", "model-a", { price: priceOf(9, 9) }),
    deploymentOf("lab", "model-a", { price: priceOf(1, 2) }),
    deploymentOf("lab", "model-b"),
    ...ROUTED_DEPLOYMENTS,
  ];
  // 384 / 4 + 4 = 100 tokens.
  const messages = [user("x".repeat(384))];

  it.each<[string, object, InferenceRequest["choice"], number, number | null]>([
    // 100 × 1 / 1e6 + 50 × 2 / 1e6
    ["the prompt and the longest answer allowed", { max_tokens: 50 }, named("model-a", "lab"), 150, 0.0002],
    [
      "`max_completion_tokens` first, for each of `n` answers",
      { max_tokens: 50, max_completion_tokens: 10, n: 3 },
      named("model-a", "lab"),
      130,
      0.00016,
    ],
    ["the cheapest provider's cost", { max_tokens: 50 }, named("model-a"), 150, 0.0002],
    ["a page for an answer without a limit", { max_tokens: null }, named("model-b"), 612, null],
    ["no cost before a model is chosen", { max_tokens: 50 }, routed(), 150, null],
  ])("has %s", async (_, fields, choice, tokens, costUsd) => {
    const providers = [lab(answers("hi")), new FakeProvider("other", answers("hi"))];
    const { run, limiter } = startInference(providers, { deployments: DEPLOYMENTS });
    await run({ choice, body: { messages, ...fields } });
    expect(limiter.reservations[0]?.estimate).toEqual({ tokens, costUsd });
  });
});

describe("Exploration", () => {
  const models = ["large", "medium"];
  const deployments = models.map((model) => deploymentOf("lab", model));

  it("sends a drawn request to another model, and logs the probability in its reply and its trace", async () => {
    const router = new FakeRouter([
      { model: "large", provider: "lab", quality: 0.9, costUsd: 0.01 },
      { model: "medium", provider: "lab", quality: 0.88, costUsd: 0.002 },
    ]);
    const options = { deployments, router, random: 0.05, settings: { exploreShare: 0.1 } };
    const { run, trace } = startInference([lab(answers("hi"))], options);
    const answer = await run({ choice: routed(models) });
    const exploration = { explored: true, probability: 0.1, preferred_model: "large" };
    expect(answer).toMatchObject({ model: "medium", routing: { selected_model: "medium", exploration } });
    expect(trace()).toMatchObject({ model: "medium", routing: { exploration } });
  });

  it("takes no part in decisions that are not executed, and none at a share of 0", async () => {
    const exploring = startInference([lab(answers("hi"))], { deployments, settings: { exploreShare: 0.1 } });
    await exploring.decide();
    const plain = startInference([lab(answers("hi"))], { deployments });
    await plain.run({ choice: routed() });
    for (const { router } of [exploring, plain]) expect(router.requests[0]?.exploration).toBeUndefined();
    expect(plain.trace().routing).not.toHaveProperty("exploration");
  });
});

describe("The cost of a routed request", () => {
  const request = { choice: routed(), body: { messages: [user("x".repeat(384))], max_tokens: 50 } };

  it("is reserved once a model is chosen, at the price of its cheapest deployment", async () => {
    const deployments = [
      deploymentOf("lab", "medium", { price: priceOf(1, 2) }),
      deploymentOf("other", "medium", { price: priceOf(3, 6) }),
      deploymentOf("lab", "small", { price: priceOf(9, 9) }),
    ];
    const providers = [lab(answers("hi")), new FakeProvider("other", answers("hi"))];
    const { run, limiter } = startInference(providers, { deployments });
    await run(request);
    // 100 × 1 / 1e6 + 50 × 2 / 1e6
    expect(limiter.reservations[0]).toMatchObject({ estimate: { costUsd: null }, costs: [0.0002] });
  });

  it("is not reserved where no price is known, nor twice for a named model", async () => {
    const deployments = [deploymentOf("lab", "medium")];
    const { run, limiter } = startInference([lab(answers("hi"))], { deployments });
    await run(request);
    await run({ ...request, choice: named("medium") });
    expect(limiter.reservations.map(({ costs }) => costs)).toEqual([[null], []]);
  });

  it("beyond the budget is refused before anything is sent, without a trace or a charge", async () => {
    const provider = lab(answers("hi"));
    const { run, limiter, sink } = startInference([provider], { deployments: ROUTED_DEPLOYMENTS });
    limiter.costRefusal = new SextantError("budget_exceeded", "That is too much.");
    await expect(run(request)).rejects.toMatchObject({ code: "budget_exceeded" });
    expect([provider.calls.length, sink.traces.length]).toEqual([0, 0]);
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 0, costUsd: 0 }]);
  });
});

describe("The trace of a request", () => {
  it("has the caller, the request, the model and the cost", async () => {
    const { run, trace } = startInference([lab(answers("Hello!"))]);
    const { usage, attempts } = asCompletion(await run());
    const used = { prompt_tokens: 10, completion_tokens: 4, total_cost_usd: null };
    expect(trace()).toEqual({
      requestId: "req_01",
      kind: "chat",
      model: "model-a",
      requestedModel: "model-a",
      provider: "lab",
      source: "tests",
      principal: "key_1",
      status: "success",
      createdAtMs: 1_763_600_000_000,
      latencyMs: 0,
      ttftMs: 0,
      streamed: false,
      finishReason: "stop",
      usage,
      attempts: [{ ...attempts[0], usage: used }],
      routing: null,
      error: null,
      metadata: { team: "search" },
      content: { input: [user("hello")], output: "Hello!" },
    });
    expect(usage).toMatchObject({ ...used, total_tokens: 14, latency_ms: 0, ttft_ms: 0 });
  });

  it("has the reasoning of an answer apart from it", async () => {
    const message = { role: "assistant", content: "4", reasoning_content: "Two and two." };
    const completion = { choices: [{ index: 0, message, finish_reason: "stop" }] };
    const { run, trace } = startInference([lab({ type: "completion", completion, usage: PLAIN_USAGE })]);
    await run();
    expect(trace().content).toMatchObject({ output: "4", reasoning: "Two and two." });
  });

  it("has the beginning of a prompt and of an answer that are too long", async () => {
    const { run, trace } = startInference([lab(answers("Hello!"))], {
      settings: { traceMaxTextCharacters: 4 },
    });
    await run();
    const note = (whole: number) =>
      `\n[cut: 4 of ${whole} characters are kept (SEXTANT_TRACE_MAX_TEXT_CHARACTERS)]`;
    expect(trace().content).toEqual({ input: [user(`hell${note(5)}`)], output: `Hell${note(6)}` });
  });

  it("has no content where storing content is off, whatever happens", async () => {
    const provider = lab(
      answers("WORD", null),
      fails("request_refused", { status: 400, upstreamMessage: "WORD" }),
      streams(...textSteps(["WORD"], null)),
      streams([delta({ content: "WORD", reasoning: "WORD" })], "hang"),
    );
    const { run, open, decide, sink, time } = startInference([provider], { wantsContent: false });
    const body = { messages: [user("WORD")] };
    await run({ body });
    await run({ body }).catch(() => {});
    await readAll(await open({ body }));
    const reading = readAll(await open({ body })).catch(() => {});
    await time.advance(60_000);
    await reading;
    await decide({ body });
    expect(sink.traces.map(({ content }) => content)).toEqual([null, null, null, null, null]);
    expect(JSON.stringify(sink.traces)).not.toContain("WORD");
  });

  it("is written for a model that nobody serves, because that is an error of the configuration", async () => {
    const { run, trace, limiter } = startInference([lab(answers("hi"))], { deployments: ROUTED_DEPLOYMENTS });
    await expect(run({ choice: named("large") })).rejects.toMatchObject({ code: "no_provider_available" });
    const error = { code: "no_provider_available" };
    expect(trace()).toMatchObject({ status: "error", error, model: null, attempts: [], usage: null });
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 0, costUsd: 0 }]);
  });

  it.each<[string, Partial<InferenceRequest>, string, AbortSignal?]>([
    ["an unknown model", { choice: named("nobody") }, "model_not_found"],
    ["an unknown fallback", { fallbacks: ["nobody"] }, "model_not_found"],
    ["an unknown provider", { choice: named("model-a", "nobody") }, "provider_not_found"],
    ["candidates without a profile", { choice: routed(["large", "nobody"]) }, "missing_profiles"],
    ["too few candidates", { choice: routed(["large"]) }, "insufficient_models"],
    ["a client that left, too", { choice: named("nobody") }, "model_not_found", AbortSignal.abort()],
  ])(
    "is not written for a request refused for %s, whose reservation is returned",
    async (_, changes, code, signal) => {
      const { run, sink, limiter } = startInference([lab(answers("hi"))]);
      await expect(run(changes, signal)).rejects.toMatchObject({ code });
      expect(sink.traces).toEqual([]);
      expect(limiter.reservations.map(({ settled }) => settled)).toEqual([[{ tokens: 0, costUsd: 0 }]]);
    },
  );

  it("is not written for a request beyond its limits, which reserves nothing", async () => {
    const provider = lab(answers("hi"));
    const { run, decide, sink, limiter } = startInference([provider]);
    limiter.refusal = new SextantError("rate_limit_exceeded", "Slow down.", { extra: { retry_after: 3 } });
    await expect(run()).rejects.toBe(limiter.refusal);
    await expect(decide()).rejects.toBe(limiter.refusal);
    expect([sink.traces.length, limiter.reservations.length, provider.calls.length]).toEqual([0, 0, 0]);
  });
});

describe("A routed request", () => {
  const started = (...scripts: readonly Script[]) =>
    startInference([lab(...scripts)], { deployments: ROUTED_DEPLOYMENTS });

  it("runs on the best available model, and carries the decision", async () => {
    const { run, router, trace } = started(answers("hi"));
    const body = { messages: [user("hello")], max_tokens: 20, tools: [{ type: "function" }] };
    const answer = await run({ kind: "router", choice: routed(undefined, 0.5), body });
    const [asked] = router.requests;
    const { messages } = body;
    expect(asked).toMatchObject({ costWeight: 0.5, maxTokens: 20, needsTools: true, messages });
    const canRun = ["large", "medium", "small", "nobody"].filter((model) => asked?.canRun?.(model));
    expect(canRun).toEqual(["medium", "small"]);
    // The fake router ranks what cannot be run first: it is passed over.
    expect(answer).toMatchObject({ model: "medium", provider: "lab", routing: { selected_model: "large" } });
    expect(trace()).toMatchObject({ kind: "router", model: "medium", routing: { cost_weight: 0.5 } });
    expect(trace().routing).toBe(answer.routing);
  });

  it("estimates its prompt once, for limits and decision, and counts it only where the provider does not", async () => {
    const { run, router, limiter, counted } = started(answers("hi"), answers("hi", null));
    const prompt = "hello ".repeat(100);
    const request = { choice: routed(), body: { messages: [user(prompt)], max_tokens: 20 } };
    await run(request);
    const reserved = limiter.reservations[0]?.estimate.tokens ?? 0;
    expect(router.requests[0]?.promptTokens).toBe(reserved - 20);
    expect(counted).toEqual([]);
    await run(request);
    expect(counted.filter(([text]) => text === prompt)).toHaveLength(1);
  });

  it("restricted to one provider is decided at its price, with and without execution", async () => {
    const deployments = [
      deploymentOf("cheap", "large", { price: priceOf(1, 2) }),
      deploymentOf("lab", "large", { price: priceOf(3, 4), contextTokens: 5000 }),
      deploymentOf("lab", "medium"),
    ];
    const { run, decide, router } = startInference([lab(answers("hi"))], { deployments });
    const choice = { ...routed(), provider: "lab-ai" };
    await decide({ choice });
    await run({ choice });
    const facts = {
      provider: "lab",
      price: { inputUsdPerMtok: 3, outputUsdPerMtok: 4 },
      contextTokens: 5000,
    };
    expect(router.requests.map(({ factsOf }) => factsOf?.("large"))).toMatchObject([facts, facts]);
    expect(router.requests.map(({ promptTokens }) => promptTokens)).toEqual([6, 6]);
    await decide();
    expect(router.requests.at(-1)?.factsOf).toBeUndefined();
  });

  it("passes messages whose `content` is missing to the router as messages without content", async () => {
    const { run, router } = started(answers("hi"));
    const messages = [user("hello"), { role: "assistant", tool_calls: [] }];
    await run({ choice: routed(), body: { messages } });
    expect(router.requests[0]?.messages[1]).toEqual({ role: "assistant", content: null });
  });

  it("is traced as cancelled when its client disconnects during the decision", async () => {
    const client = new AbortController();
    class SlowRouter extends FakeRouter {
      override async route(): Promise<never> {
        client.abort();
        client.signal.throwIfAborted();
        throw new Error("not reached");
      }
    }
    const { run, trace } = startInference([lab(answers("hi"))], { router: new SlowRouter() });
    await expect(run({ choice: routed() }, client.signal)).rejects.toThrow(ClientDisconnected);
    expect(trace()).toMatchObject({ error: { code: "client_disconnected" }, attempts: [] });
  });
});

it("The settings' fallbacks of a named model are used where the request has none", async () => {
  const settings = { retries: 0, fallbacks: { small: ["spare"] } };
  const deployments = [...ROUTED_DEPLOYMENTS, deploymentOf("lab", "spare")];
  const tried = async (fallbacks: readonly string[], model = "small") => {
    const provider = lab(fails("server_error"), answers("at last"));
    const { run } = startInference([provider], { deployments, settings });
    return (await run({ choice: named(model), fallbacks })).attempts.map((attempt) => attempt.model);
  };
  expect(await tried([])).toEqual(["small", "spare"]);
  expect(await tried(["medium"])).toEqual(["small", "medium"]);
  await expect(tried([], "medium")).rejects.toMatchObject({ code: "upstream_error" });
});

describe("The effort of a request", () => {
  const body = { messages: [user("hello")] };
  const low = { body: { ...body, reasoning_effort: "low" } };
  const off = { thinking: { type: "disabled" } };
  const request = { api: "messages", body: off, headers: {}, replaceable: true } as const;
  const switchedOff = { effort: null, native: { request, use: "usual", need: null } } as const;

  it("is the chosen model's, unless the request names one, which the decision is then for", async () => {
    const provider = lab(answers("hi"));
    const router = new FakeRouter([
      { model: "deep:high", provider: "lab", quality: 0.9, costUsd: 0.01 },
      { model: "deep", provider: "lab", quality: 0.8, costUsd: 0.01 },
    ]);
    const effortParameters = { none: off };
    const deployments = [
      deploymentOf("lab", "deep:high", { parameters: { reasoning: { effort: "high" } }, effortParameters }),
      deploymentOf("lab", "deep", { effortParameters }),
    ];
    const { run } = startInference([provider], { deployments, router });
    const sent = async (asked: Partial<InferenceRequest>) => {
      await run({ choice: routed(), body, ...asked });
      const { reasoning, reasoning_effort, thinking }: JsonObject = provider.calls.at(-1)?.body ?? {};
      return [router.requests.at(-1)?.effort, reasoning, reasoning_effort, thinking];
    };
    expect(await sent({})).toEqual([undefined, { effort: "high" }, undefined, undefined]);
    expect(await sent(low)).toEqual(["low", undefined, "low", undefined]);
    expect(await sent(switchedOff)).toEqual(["none", undefined, undefined, off.thinking]);
  });

  const ok = answers("hi");
  it.each<[string | undefined, string, Partial<InferenceRequest>, Script, Script?]>([
    [undefined, "a model without one", { choice: named("deep") }, ok],
    ["low", "the request's own", { choice: named("deep"), ...low }, ok],
    ["none", "thinking that is switched off", { choice: named("deep"), ...switchedOff }, ok],
    ["low", "the named model's", { choice: named("deep:low") }, ok],
    ["low", "a fallback's", { choice: named("deep"), fallbacks: ["deep:low"] }, fails("server_error"), ok],
    ["thinking", "the decision's", { choice: routed() }, ok],
    ["low", "the request's own before the decision's", { choice: routed(), ...low }, ok],
  ])("is recorded as %s: %s", async (effort, _, asked, ...scripts) => {
    const { run, trace } = deep(...scripts.filter((script) => script !== undefined));
    await run(asked).catch(() => {});
    expect(trace().effort).toBe(effort);
  });

  function deep(...scripts: readonly Script[]) {
    const router = new FakeRouter([
      { model: "deep:thinking", effort: "thinking", provider: "lab", quality: 0.9, costUsd: 0.01 },
    ]);
    const thinks = { chat_template_kwargs: { enable_thinking: true } };
    const deployments = [
      deploymentOf("lab", "deep:thinking", { parameters: thinks }),
      deploymentOf("lab", "deep:low", { parameters: { reasoning: { effort: "low" } } }),
      deploymentOf("lab", "deep"),
    ];
    return startInference([lab(...scripts)], { deployments, router, settings: { retries: 0 } });
  }
});

describe("A decision without execution", () => {
  it("considers all profiled models, uses no tokens, and is traced with the chosen model", async () => {
    const options = { deployments: ROUTED_DEPLOYMENTS };
    const { decide, router, trace, limiter } = startInference([lab(answers("hi"))], options);
    const decided = await decide({ choice: routed(undefined, 0.2), metadata: { team: "search" } });
    expect(decided).toMatchObject({
      routing: { selected_model: "large", selected_provider: "openai" },
      limitHeaders: { "x-ratelimit-limit-requests": "60" },
    });
    expect(router.requests[0]?.models).toBeUndefined();
    expect(router.requests[0]?.canRun).toBeDefined();
    expect(trace()).toMatchObject({
      kind: "router",
      status: "success",
      model: "large",
      provider: "openai",
      usage: null,
      ttftMs: null,
      finishReason: null,
      attempts: [],
      metadata: { team: "search" },
      content: { input: [user("hello")], output: "" },
    });
    expect(trace().routing).toBe(decided.routing);
    const nothing = { tokens: 0, costUsd: 0 };
    expect(limiter.reservations).toMatchObject([{ estimate: nothing, settled: [nothing] }]);
  });

  it("is traced when there are no profiles, and not when the request was invalid", async () => {
    const empty = startInference([], { router: new FakeRouter([]) });
    const error = { code: "no_profiles_available" };
    await expect(empty.decide()).rejects.toMatchObject(error);
    expect(empty.trace()).toMatchObject({ status: "error", error, model: null });
    const wrong = startInference([]);
    await expect(wrong.decide({ choice: routed(["large"]) })).rejects.toThrow();
    expect(wrong.sink.traces).toEqual([]);
  });
});
