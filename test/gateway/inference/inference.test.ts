import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import { CountingLimiter } from "../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../src/gateway/access/limits/period-spend.js";
import { UNLIMITED } from "../../../src/gateway/access/principal.js";
import { ClientDisconnected } from "../../../src/gateway/inference/attempts/cancellation.js";
import type { InferenceRequest } from "../../../src/gateway/inference/request.js";
import type { ChatCompletion } from "../../../src/gateway/providers/chat.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import {
  answers,
  cutOff,
  delta,
  FakeProvider,
  fails,
  finish,
  PLAIN_USAGE,
  role,
  streams,
  textSteps,
} from "../../fakes/provider.js";
import { FakeRouter } from "../../fakes/router.js";
import {
  asCompletion,
  asStream,
  contextOf,
  named,
  readAll,
  requestFor,
  routed,
  type StartOptions,
  startInference,
} from "./harness.js";

const lab = (...scripts: ConstructorParameters<typeof FakeProvider>[1][]) =>
  new FakeProvider("lab", ...scripts);

/** Models of the fake router, of which two can be run. */
const ROUTED_DEPLOYMENTS = [
  deploymentOf("lab", "medium", { price: priceOf(1, 2) }),
  deploymentOf("lab", "small"),
  deploymentOf("openai", "large", { enabled: false }),
];

describe("A failure", () => {
  it("has the headers of the limits, and stays what it is", async () => {
    const { inference } = startInference([lab(fails("request_refused", { status: 400 }))]);
    const failure = await inference.run(requestFor(), contextOf()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SextantError);
    expect(failure).toMatchObject({
      headers: { "x-ratelimit-limit-requests": "60" },
      ...{ status: 400, message: expect.stringContaining("refused") },
    });
  });
});

describe("An answer", () => {
  it("is the provider's own, with usage, attempts and headers beside it", async () => {
    const completion: ChatCompletion = {
      id: "theirs",
      choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
      system_fingerprint: "fp",
    };
    const usage = { ...PLAIN_USAGE, details: { prompt_tokens_details: { cached_tokens: 0 } } };
    const { inference } = startInference([lab({ type: "completion", completion, usage })]);
    const answer = asCompletion(await inference.run(requestFor(), contextOf()));
    expect(answer.completion).toBe(completion);
    expect(answer).toMatchObject({
      model: "model-a",
      provider: "lab",
      routing: null,
      attempts: [
        { provider: "lab", model: "model-a", status: 200, code: "ok", message: null, latency_ms: 0 },
      ],
      limitHeaders: { "x-ratelimit-limit-requests": "60" },
      usage: { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 0 } },
    });
  });

  it("is requested by the upstream's own model name, with what the client sent", async () => {
    const provider = lab(answers("hi"));
    const deployments = [
      deploymentOf("lab", "model-a", { upstreamModel: "model-a-2026", api: "completions" }),
    ];
    const { inference } = startInference([provider], { deployments });
    const body = { messages: [{ role: "user", content: "hello" }], temperature: 1, top_k: 5 };
    await inference.run(requestFor({ body }), contextOf());
    expect(provider.calls).toMatchObject([
      { upstreamModel: "model-a-2026", api: "completions", stream: false, body },
    ]);
  });

  it("never has counts overruled by other fields of the provider's reply", async () => {
    const usage = {
      ...PLAIN_USAGE,
      details: { prompt_tokens: 999, total_cost_usd: 5, estimated: true, cost: 0.1 },
    };
    const { inference } = startInference([lab(answers("hi", usage))]);
    const answer = asCompletion(await inference.run(requestFor(), contextOf()));
    expect(answer.usage).toMatchObject({ prompt_tokens: 10, total_cost_usd: null, cost: 0.1 });
  });

  it("is counted by the gateway when the provider sends no count: texts, tool calls and tools", async () => {
    const call = { id: "c", type: "function", function: { name: "hello", arguments: " world" } };
    const message = { role: "assistant", content: "hello", tool_calls: [call] };
    const completion = { choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
    const { inference } = startInference([lab({ type: "completion", completion, usage: null })]);
    const body = {
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: "hello" },
      ],
    };
    const answer = asCompletion(await inference.run(requestFor({ body }), contextOf()));
    // Two messages of 1 token and 4 around each; "hello", and "hello world" of the call.
    expect(answer.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 3, estimated: true });
    const withTools = await inference.run(
      requestFor({ body: { ...body, tools: [{ name: "hello" }] } }),
      contextOf(),
    );
    expect(asCompletion(withTools).usage.prompt_tokens).toBeGreaterThan(10);
  });

  it("measures its time from the arrival of the request", async () => {
    const { inference, time, trace } = startInference([lab(answers("hi"))]);
    await time.advance(75);
    const answer = asCompletion(await inference.run(requestFor(), contextOf(undefined, 50)));
    expect(answer.usage).toMatchObject({ latency_ms: 25, ttft_ms: 25 });
    expect(trace()).toMatchObject({ latencyMs: 25, ttftMs: 25 });
  });
});

describe("The reservation of a request", () => {
  async function reservedFor(changes: Partial<InferenceRequest>, options: StartOptions = {}) {
    const deployments = [deploymentOf("lab", "model-a", { price: priceOf(1, 2) }), ...ROUTED_DEPLOYMENTS];
    const { inference, limiter } = startInference([lab(answers("hi"))], { deployments, ...options });
    await inference.run(requestFor(changes), contextOf());
    return limiter.reservations[0]?.estimate;
  }
  const messages = [{ role: "user", content: "x".repeat(384) }];

  it("is the estimated prompt and the longest answer that the client allows, and their cost", async () => {
    // 384 / 4 + 4 = 100 tokens in, 50 out: 100 × 1 / 1e6 + 50 × 2 / 1e6
    expect(await reservedFor({ body: { messages, max_tokens: 50 } })).toEqual({
      tokens: 150,
      costUsd: 0.0002,
    });
  });

  it("prefers `max_completion_tokens`, and counts each of `n` answers", async () => {
    const body = { messages, max_tokens: 50, max_completion_tokens: 10, n: 3 };
    expect(await reservedFor({ body })).toEqual({ tokens: 130, costUsd: 0.00016 });
  });

  it("has the cost of the requested provider", async () => {
    const deployments = [
      deploymentOf("other", "model-a", { price: priceOf(9, 9) }),
      deploymentOf("lab", "model-a", { price: priceOf(1, 2) }),
    ];
    const body = { messages, max_tokens: 50 };
    const reserved = await reservedFor({ body, choice: named("model-a", "lab") }, { deployments });
    expect(reserved).toEqual({ tokens: 150, costUsd: 0.0002 });
  });

  it("is a page of text for an answer without a limit", async () => {
    expect((await reservedFor({ body: { messages, max_tokens: null } }))?.tokens).toBe(612);
  });

  it("has no cost while no price is known, as before a model is chosen", async () => {
    expect(await reservedFor({}, { deployments: [deploymentOf("lab", "model-a")] })).toMatchObject({
      costUsd: null,
    });
    expect(await reservedFor({ choice: routed() })).toMatchObject({ costUsd: null });
  });
});

describe("Exploration", () => {
  const deployments = [deploymentOf("lab", "large"), deploymentOf("lab", "medium")];
  const request = requestFor({ choice: routed() });
  const exploring = (random: number) =>
    startInference([lab(answers("hi"))], { deployments, random, settings: { exploreShare: 0.1 } });

  it("sends a drawn request to another model, and logs the probability in its reply and its trace", async () => {
    const models = ["large", "medium"];
    const router = new FakeRouter([
      { model: "large", provider: "lab", quality: 0.9, costUsd: 0.01 },
      { model: "medium", provider: "lab", quality: 0.88, costUsd: 0.002 },
    ]);
    const started = startInference([lab(answers("hi"))], {
      ...{ deployments, router, random: 0.05, settings: { exploreShare: 0.1 } },
    });
    const answer = await started.inference.run(requestFor({ choice: routed(models) }), contextOf());
    const exploration = { explored: true, probability: 0.1, preferred_model: "large" };
    expect(answer).toMatchObject({ model: "medium", routing: { selected_model: "medium", exploration } });
    expect(started.trace()).toMatchObject({ model: "medium", routing: { exploration } });
  });

  it("logs that a decision was certain where nothing else could be tried", async () => {
    // `medium` is known to be worse than `large`, and the cost of `small` is unknown.
    const { inference, trace } = exploring(0.05);
    await inference.run(request, contextOf());
    expect(trace().routing?.exploration).toEqual({
      ...{ explored: false, probability: 1, preferred_model: "large" },
    });
  });

  it("takes no part in decisions that are not executed, and none at a share of 0", async () => {
    const { inference, router } = exploring(0);
    await inference.decide({ choice: routed(), body: request.body, metadata: {} }, contextOf());
    expect(router.requests[0]?.exploration).toBeUndefined();
    const plain = startInference([lab(answers("hi"))], { deployments });
    await plain.inference.run(request, contextOf());
    expect(plain.router.requests[0]?.exploration).toBeUndefined();
    expect(plain.trace().routing).not.toHaveProperty("exploration");
  });
});

describe("The cost of a routed request", () => {
  const body = { messages: [{ role: "user", content: "x".repeat(384) }], max_tokens: 50 };
  const request = requestFor({ choice: routed(), body });

  it("is reserved once a model is chosen, at the price of its most expensive deployment", async () => {
    const deployments = [
      deploymentOf("lab", "medium", { price: priceOf(1, 2) }),
      deploymentOf("other", "medium", { price: priceOf(3, 6) }),
      deploymentOf("lab", "small", { price: priceOf(9, 9) }),
    ];
    const providers = [lab(answers("hi")), new FakeProvider("other", answers("hi"))];
    const { inference, limiter } = startInference(providers, { deployments });
    await inference.run(request, contextOf());
    // 100 × 3 / 1e6 + 50 × 6 / 1e6
    expect(limiter.reservations[0]).toMatchObject({ estimate: { costUsd: null }, costs: [0.0006] });
  });

  it("is not reserved where no price is known, nor twice for a named model", async () => {
    const { inference, limiter } = startInference([lab(answers("hi"))], {
      deployments: [deploymentOf("lab", "medium")],
    });
    await inference.run(request, contextOf());
    await inference.run(requestFor({ choice: named("medium"), body }), contextOf());
    expect(limiter.reservations.map(({ costs }) => costs)).toEqual([[null], []]);
  });

  it("beyond the budget is refused before anything is sent, without a trace or a charge", async () => {
    const provider = lab(answers("hi"));
    const { inference, limiter, sink } = startInference([provider], { deployments: ROUTED_DEPLOYMENTS });
    limiter.costRefusal = new SextantError("budget_exceeded", "That is too much.");
    await expect(inference.run(request, contextOf())).rejects.toMatchObject({ code: "budget_exceeded" });
    expect([provider.calls.length, sink.traces.length]).toEqual([0, 0]);
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 0, costUsd: 0 }]);
  });

  it("keeps any number of concurrent requests within the budget", async () => {
    const spend = new PeriodSpend();
    const limiter = new CountingLimiter(new MemoryCounters({ now: () => 0, spend }), { now: () => 0 });
    const provider = lab(answers("hi"));
    const { inference } = startInference([provider], { deployments: ROUTED_DEPLOYMENTS, limiter });
    const context = contextOf();
    // Each may cost 100 × 1 / 1e6 + 50 × 2 / 1e6 dollars: there is room for five.
    const limits = { ...UNLIMITED, usdPerMonth: 0.00105 };
    const within = { ...context, principal: { ...context.principal, limits } };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, () => inference.run(request, within)),
    );
    const refusals = outcomes.filter(({ status }) => status === "rejected");
    expect([provider.calls.length, refusals.length]).toEqual([5, 35]);
    for (const refusal of refusals) expect(refusal).toMatchObject({ reason: { code: "budget_exceeded" } });
    // What was used in the end, 10 tokens in and 2 out each, leaves room again.
    await inference.run(request, within);
    expect(spend.total("key_1", 0)).toBeLessThan(1_050_000);
  });
});

describe("The trace of a request", () => {
  it("has the caller, the request, the model and the cost", async () => {
    const { inference, trace } = startInference([lab(answers("Hello!"))]);
    await inference.run(requestFor(), contextOf());
    expect(trace()).toEqual({
      requestId: "req_01",
      kind: "chat",
      model: "model-a",
      provider: "lab",
      source: "tests",
      principal: "key_1",
      status: "success",
      createdAtMs: 1_763_600_000_000,
      latencyMs: 0,
      ttftMs: 0,
      streamed: false,
      finishReason: "stop",
      usage: {
        prompt_tokens: 10,
        completion_tokens: 4,
        total_tokens: 14,
        input_cost_usd: null,
        output_cost_usd: null,
        cache_input_cost_usd: null,
        total_cost_usd: null,
        latency_ms: 0,
        ttft_ms: 0,
      },
      attempts: [
        {
          provider: "lab",
          model: "model-a",
          status: 200,
          code: "ok",
          message: null,
          latency_ms: 0,
          usage: { prompt_tokens: 10, completion_tokens: 4, total_cost_usd: null },
        },
      ],
      routing: null,
      error: null,
      metadata: { team: "search" },
      content: { input: [{ role: "user", content: "hello" }], output: "Hello!" },
    });
  });

  it("has the reasoning of the call that answered, apart from the answer", async () => {
    const thinking = (reasoning_content: string) => delta({ reasoning_content });
    const message = { role: "assistant", content: "4", reasoning: "Two and two." };
    const completion = { choices: [{ index: 0, message, finish_reason: "stop" }] };
    const counted = { chunk: null, usage: PLAIN_USAGE };
    const provider = lab(
      { type: "completion", completion, usage: PLAIN_USAGE },
      streams(
        [role(), thinking("Two ")],
        [thinking("and two."), delta({ content: "4" })],
        [finish(), counted],
      ),
      streams([thinking("Two "), counted], cutOff()),
    );
    const { inference, sink } = startInference([provider], { settings: { retries: 0 } });
    await inference.run(requestFor(), contextOf());
    for (let count = 0; count < 2; count++) {
      const stream = asStream(await inference.run(requestFor({ stream: true }), contextOf()));
      await readAll(stream).catch(() => {});
    }
    expect(sink.traces.map(({ content }) => content)).toEqual([
      { input: [{ role: "user", content: "hello" }], output: "4", reasoning: "Two and two." },
      { input: [{ role: "user", content: "hello" }], output: "4", reasoning: "Two and two." },
      { input: [{ role: "user", content: "hello" }], output: "", reasoning: "Two " },
    ]);
  });

  it("has no content where storing content is off, whatever happens", async () => {
    const provider = lab(
      answers("WORD", null),
      fails("request_refused", { status: 400 }),
      streams(...textSteps(["WORD"], null)),
      streams([delta({ content: "WORD", reasoning: "WORD" })], "hang"),
    );
    const { inference, sink, time } = startInference([provider], { wantsContent: false });
    const body = { messages: [{ role: "user", content: "WORD" }] };
    await inference.run(requestFor({ body }), contextOf());
    await inference.run(requestFor({ body }), contextOf()).catch(() => {});
    await readAll(asStream(await inference.run(requestFor({ body, stream: true }), contextOf())));
    const last = asStream(await inference.run(requestFor({ body, stream: true }), contextOf()));
    const reading = readAll(last).catch(() => {});
    await time.advance(60_000);
    await reading;
    await inference.decide({ choice: routed(), body, metadata: {} }, contextOf());
    expect(sink.traces.length).toBe(5);
    expect(sink.traces.map(({ content }) => content)).toEqual([null, null, null, null, null]);
    expect(JSON.stringify(sink.traces)).not.toContain("WORD");
  });

  it("is written for a model that nobody serves, because that is an error of the configuration", async () => {
    const { inference, trace, limiter } = startInference([lab(answers("hi"))], {
      deployments: ROUTED_DEPLOYMENTS,
    });
    await expect(inference.run(requestFor({ choice: named("large") }), contextOf())).rejects.toMatchObject({
      code: "no_provider_available",
    });
    expect(trace()).toMatchObject({
      status: "error",
      error: { code: "no_provider_available" },
      model: null,
      attempts: [],
      usage: null,
    });
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 0, costUsd: 0 }]);
  });

  const refused: readonly [string, Partial<InferenceRequest>, string][] = [
    ["an unknown model", { choice: named("nobody") }, "model_not_found"],
    ["an unknown fallback", { fallbacks: ["nobody"] }, "model_not_found"],
    ["an unknown provider", { choice: named("model-a", "nobody") }, "provider_not_found"],
    ["candidates without a profile", { choice: routed(["large", "nobody"]) }, "missing_profiles"],
    ["too few candidates", { choice: routed(["large"]) }, "insufficient_models"],
  ];
  it.each(refused)(
    "is not written for a request refused for %s, whose reservation is returned",
    async (_, changes, code) => {
      const { inference, sink, limiter } = startInference([lab(answers("hi"))]);
      await expect(inference.run(requestFor(changes), contextOf())).rejects.toMatchObject({ code });
      expect(sink.traces).toEqual([]);
      expect(limiter.reservations.map(({ settled }) => settled)).toEqual([[{ tokens: 0, costUsd: 0 }]]);
    },
  );

  it("is not written for a refused request whose client has also disconnected", async () => {
    const { inference, sink } = startInference([lab(answers("hi"))]);
    const work = inference.run(requestFor({ choice: named("nobody") }), contextOf(AbortSignal.abort()));
    await expect(work).rejects.toMatchObject({ code: "model_not_found" });
    expect(sink.traces).toEqual([]);
  });

  it("is not written for a request beyond its limits, which reserves nothing", async () => {
    const provider = lab(answers("hi"));
    const { inference, sink, limiter } = startInference([provider]);
    limiter.refusal = new SextantError("rate_limit_exceeded", "Slow down.", { extra: { retry_after: 3 } });
    await expect(inference.run(requestFor(), contextOf())).rejects.toBe(limiter.refusal);
    await expect(
      inference.decide({ choice: routed(), body: requestFor().body, metadata: {} }, contextOf()),
    ).rejects.toBe(limiter.refusal);
    expect([sink.traces.length, limiter.reservations.length, provider.calls.length]).toEqual([0, 0, 0]);
  });
});

describe("A routed request", () => {
  it("runs on the best available model, and carries the decision", async () => {
    const { inference, router, trace } = startInference([lab(answers("hi"))], {
      deployments: ROUTED_DEPLOYMENTS,
    });
    const body = {
      messages: [{ role: "user", content: "hello" }],
      max_tokens: 20,
      tools: [{ type: "function" }],
    };
    const answer = await inference.run(
      requestFor({ kind: "router", choice: routed(undefined, 0.5), body }),
      contextOf(),
    );
    const [asked] = router.requests;
    expect(asked).toMatchObject({
      costWeight: 0.5,
      maxTokens: 20,
      needsTools: true,
      messages: body.messages,
    });
    expect(["large", "medium", "small", "nobody"].filter((model) => asked?.canRun?.(model))).toEqual([
      "medium",
      "small",
    ]);
    // The fake router ranks what cannot be run first: it is passed over.
    expect(answer).toMatchObject({ model: "medium", provider: "lab", routing: { selected_model: "large" } });
    expect(trace()).toMatchObject({ kind: "router", model: "medium", routing: { cost_weight: 0.5 } });
    expect(trace().routing).toBe(answer.routing);
  });

  it("estimates its prompt once, for limits and decision, and counts it only where the provider does not", async () => {
    const { inference, router, limiter, counted } = startInference(
      [lab(answers("hi"), answers("hi", null))],
      { deployments: ROUTED_DEPLOYMENTS },
    );
    const body = { messages: [{ role: "user", content: "hello ".repeat(100) }], max_tokens: 20 };
    const run = () => inference.run(requestFor({ choice: routed(), body }), contextOf());
    await run();
    const reserved = limiter.reservations[0]?.estimate.tokens ?? 0;
    expect(router.requests[0]?.promptTokens).toBe(reserved - 20);
    expect(counted).toEqual([]);
    await run();
    expect(counted.filter(([text]) => text === body.messages[0]?.content)).toHaveLength(1);
  });

  it("is decided by all of its prompt, the tools included, with and without execution", async () => {
    const { inference, router } = startInference([lab(answers("hi"))], { deployments: ROUTED_DEPLOYMENTS });
    const tools = [
      { type: "function", function: { name: "search", description: "look it up ".repeat(400) } },
    ];
    const body = { messages: [{ role: "user", content: "hello" }], tools };
    await inference.decide({ choice: routed(), body, metadata: {} }, contextOf());
    await inference.run(requestFor({ choice: routed(), body }), contextOf());
    const [decided, run] = router.requests.map(({ promptTokens }) => promptTokens);
    expect(decided).toBeGreaterThan(1000);
    expect(run).toBe(decided);
  });

  it("is decided without a signal of its own when nobody waits for one", async () => {
    const { inference } = startInference([], { deployments: ROUTED_DEPLOYMENTS });
    const context = {
      ...contextOf(),
      get signal(): AbortSignal {
        throw new Error("read");
      },
    };
    const decided = await inference.decide(
      { choice: routed(), body: requestFor().body, metadata: {} },
      context,
    );
    expect(decided.routing.selected_model).toBe("large");
  });

  it("restricted to one provider is decided at its price, with and without execution", async () => {
    const deployments = [
      deploymentOf("cheap", "large", { price: priceOf(1, 2) }),
      deploymentOf("lab", "large", { price: priceOf(3, 4), contextTokens: 5000 }),
      deploymentOf("lab", "medium"),
    ];
    const { inference, router } = startInference([lab(answers("hi"))], { deployments });
    const choice = { ...routed(), provider: "lab-ai" };
    await inference.decide({ choice, body: requestFor().body, metadata: {} }, contextOf());
    await inference.run(requestFor({ choice }), contextOf());
    expect(router.requests.map(({ factsOf }) => factsOf?.("large"))).toMatchObject([
      { provider: "lab", price: { inputUsdPerMtok: 3, outputUsdPerMtok: 4 }, contextTokens: 5000 },
      { provider: "lab", price: { inputUsdPerMtok: 3, outputUsdPerMtok: 4 }, contextTokens: 5000 },
    ]);
    await inference.decide({ choice: routed(), body: requestFor().body, metadata: {} }, contextOf());
    expect(router.requests.at(-1)?.factsOf).toBeUndefined();
  });
  it("asks the chosen model for its effort, unless the request names one, which the decision is then for", async () => {
    const provider = lab(answers("hi"));
    const models = ["deep:high", "deep"];
    const router = new FakeRouter(
      models.map((model, place) => ({ model, provider: "lab", quality: 0.9 - place / 10, costUsd: 0.01 })),
    );
    const effortParameters = { none: { thinking: { type: "disabled" } } };
    const deployments = [
      deploymentOf("lab", "deep:high", { parameters: { reasoning: { effort: "high" } }, effortParameters }),
      deploymentOf("lab", "deep", { effortParameters }),
    ];
    const { inference } = startInference([provider], { deployments, router });
    const sent = async (fields: object, rest: object = {}) => {
      const body = { messages: [{ role: "user", content: "hello" }], ...fields };
      await inference.run(requestFor({ choice: routed(), body, ...rest }), contextOf());
      return { asked: router.requests.at(-1)?.effort, body: provider.calls.at(-1)?.body };
    };
    const free = await sent({});
    expect(free.asked).toBeUndefined();
    expect(free.body).toMatchObject({ reasoning: { effort: "high" } });
    const low = await sent({ reasoning_effort: "low" });
    expect(low.asked).toBe("low");
    expect(low.body).toMatchObject({ reasoning_effort: "low" });
    expect(low.body).not.toHaveProperty("reasoning");
    const request = {
      api: "messages",
      body: { thinking: { type: "disabled" } },
      headers: {},
      replaceable: true,
    };
    const off = await sent({}, { effort: null, native: { request, use: "usual", need: null } });
    expect(off.asked).toBe("none");
    expect(off.body).toMatchObject({ thinking: { type: "disabled" } });
    expect(off.body).not.toHaveProperty("reasoning");
  });

  it("records the effort that the request names, else that of the decision or of the named model, and none otherwise", async () => {
    const router = new FakeRouter([
      { model: "deep:thinking", effort: "thinking", provider: "lab", quality: 0.9, costUsd: 0.01 },
    ]);
    const deployments = [
      deploymentOf("lab", "deep:thinking", {
        parameters: { chat_template_kwargs: { enable_thinking: true } },
      }),
      deploymentOf("lab", "deep:low", { parameters: { reasoning: { effort: "low" } } }),
      deploymentOf("lab", "deep"),
    ];
    const named = (model: string) => ({ choice: { type: "named", model, provider: undefined } as const });
    const low = { messages: [{ role: "user", content: "hello" }], reasoning_effort: "low" };
    const request = {
      ...{ api: "messages" as const, headers: {}, replaceable: true },
      body: { thinking: { type: "disabled" } },
    };
    const effortOf = async (asked: Partial<InferenceRequest>, ...answer: Parameters<typeof lab>) => {
      const { inference, trace } = startInference([lab(...answer)], {
        deployments,
        router,
        settings: { retries: 0 },
      });
      await inference.run(requestFor(asked), contextOf()).catch(() => {});
      return trace().effort;
    };
    const ok = answers("hi");
    expect(await effortOf(named("deep"), ok)).toBeUndefined();
    expect(await effortOf({ ...named("deep"), body: low }, ok)).toBe("low");
    expect(await effortOf({ ...named("deep"), effort: "max" }, ok)).toBe("max");
    const native = { request, use: "usual", need: null } as const;
    expect(await effortOf({ ...named("deep"), effort: null, native }, ok)).toBe("none");
    expect(await effortOf(named("deep:low"), ok)).toBe("low");
    expect(await effortOf(named("deep:low"), fails("server_error"))).toBe("low");
    expect(await effortOf({ ...named("deep"), fallbacks: ["deep:low"] }, fails("server_error"), ok)).toBe(
      "low",
    );
    expect(await effortOf({ choice: routed() }, ok)).toBe("thinking");
    expect(await effortOf({ choice: routed(), body: low }, ok)).toBe("low");
    const { inference, trace } = startInference([lab()], { deployments, router });
    await inference.decide({ choice: routed(), body: requestFor().body, metadata: {} }, contextOf());
    expect(trace().effort).toBe("thinking");
  });

  it("falls back to the next ranked model, then to the fallbacks", async () => {
    const provider = lab(fails("server_error"), fails("server_error"), answers("at last"));
    const deployments = [...ROUTED_DEPLOYMENTS, deploymentOf("lab", "spare")];
    const { inference } = startInference([provider], { deployments, settings: { retries: 0 } });
    const answer = await inference.run(requestFor({ choice: routed(), fallbacks: ["spare"] }), contextOf());
    expect(answer.attempts.map(({ model, code }) => `${model} ${code}`)).toEqual([
      "medium server_error",
      "small server_error",
      "spare ok",
    ]);
  });

  it("falls back to the settings' fallbacks of a named model where the request has none", async () => {
    const settings = { retries: 0, fallbacks: { small: ["spare"] } };
    const deployments = [...ROUTED_DEPLOYMENTS, deploymentOf("lab", "spare")];
    const tried = async (fallbacks: readonly string[], model = "small") => {
      const provider = lab(fails("server_error"), answers("at last"));
      const { inference } = startInference([provider], { deployments, settings });
      const choice = { type: "named", model, provider: undefined } as const;
      const request = requestFor({ choice, fallbacks });
      return (await inference.run(request, contextOf())).attempts.map((attempt) => attempt.model);
    };
    expect(await tried([])).toEqual(["small", "spare"]);
    expect(await tried(["medium"])).toEqual(["small", "medium"]);
    await expect(tried([], "medium")).rejects.toMatchObject({ code: "upstream_error" });
  });

  it("passes messages whose `content` is missing to the router as messages without content", async () => {
    const { inference, router } = startInference([lab(answers("hi"))], { deployments: ROUTED_DEPLOYMENTS });
    const messages = [
      { role: "user", content: "hello" },
      { role: "assistant", tool_calls: [] },
    ];
    await inference.run(requestFor({ choice: routed(), body: { messages } }), contextOf());
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
    const { inference, trace } = startInference([lab(answers("hi"))], { router: new SlowRouter() });
    await expect(inference.run(requestFor({ choice: routed() }), contextOf(client.signal))).rejects.toThrow(
      ClientDisconnected,
    );
    expect(trace()).toMatchObject({ error: { code: "client_disconnected" }, attempts: [] });
  });
});

describe("A decision without execution", () => {
  it("considers all profiled models, uses no tokens, and is traced with the chosen model", async () => {
    const { inference, router, trace, limiter } = startInference([lab(answers("hi"))], {
      deployments: ROUTED_DEPLOYMENTS,
    });
    const decided = await inference.decide(
      { choice: routed(undefined, 0.2), body: requestFor().body, metadata: { team: "search" } },
      contextOf(),
    );
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
      content: { input: [{ role: "user", content: "hello" }], output: "" },
    });
    expect(trace().routing).toBe(decided.routing);
    expect(limiter.reservations).toMatchObject([
      { estimate: { tokens: 0, costUsd: 0 }, settled: [{ tokens: 0, costUsd: 0 }] },
    ]);
  });

  it("is traced when there are no profiles, and not when the request was invalid", async () => {
    const empty = startInference([], { router: new FakeRouter([]) });
    const request = { choice: routed(), body: requestFor().body, metadata: {} };
    await expect(empty.inference.decide(request, contextOf())).rejects.toMatchObject({
      code: "no_profiles_available",
    });
    expect(empty.trace()).toMatchObject({
      status: "error",
      error: { code: "no_profiles_available" },
      model: null,
    });
    const wrong = startInference([]);
    await expect(
      wrong.inference.decide({ ...request, choice: routed(["large"]) }, contextOf()),
    ).rejects.toThrow();
    expect(wrong.sink.traces).toEqual([]);
  });
});
