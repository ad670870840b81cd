/** Requests for embeddings, from limits to traces, over fakes. */
import { describe, expect, it } from "vitest";
import type { EmbeddingRequest } from "../../../../src/gateway/inference/request.js";
import { deploymentOf, priceOf } from "../../../fakes/deployments.js";
import { answers, embeds, FakeProvider, fails } from "../../../fakes/provider.js";
import { contextOf, named, requestFor, startInference } from "../harness.js";

const model = (provider: string, name = "model-e", changes = {}) =>
  deploymentOf(provider, name, { api: "embeddings", price: priceOf(0.02, 0), ...changes });

const ask = (changes: Partial<EmbeddingRequest> = {}): EmbeddingRequest => ({
  choice: { type: "named", model: "model-e", provider: undefined },
  body: { input: ["a moth", "a drawer"] },
  fallbacks: [],
  metadata: { team: "search" },
  ...changes,
});
const askFor = (name: string, changes: Partial<EmbeddingRequest> = {}) =>
  ask({ choice: { type: "named", model: name, provider: undefined }, ...changes });

describe("An embeddings request", () => {
  it("is sent unchanged, and answered with vectors, usage and cost", async () => {
    const provider = new FakeProvider("lab", embeds([[1], [2]]));
    const { inference } = startInference([provider], {
      deployments: [model("lab", "model-e", { upstreamModel: "theirs" })],
    });
    const body = { input: ["a moth", "a drawer"], dimensions: 1, user: "u" };
    const answer = await inference.embed(ask({ body }), contextOf());
    expect(provider.embeddingCalls).toEqual([{ upstreamModel: "theirs", body }]);
    expect(answer).toMatchObject({ vectors: [[1], [2]], model: "model-e", provider: "lab" });
    expect(answer.usage).toMatchObject({
      prompt_tokens: 10,
      completion_tokens: 0,
      total_tokens: 10,
      input_cost_usd: 0.0000002,
      output_cost_usd: 0,
      cache_input_cost_usd: 0,
      total_cost_usd: 0.0000002,
    });
    expect(answer.usage).not.toHaveProperty("estimated");
  });

  it("has null costs where no price is known", async () => {
    const { inference } = startInference([new FakeProvider("lab", embeds([[1]]))], {
      deployments: [model("lab", "model-e", { price: null })],
    });
    const { usage } = await inference.embed(ask(), contextOf());
    expect([usage.input_cost_usd, usage.total_cost_usd]).toEqual([null, null]);
  });

  it("has its tokens counted by the gateway where the provider sends no count", async () => {
    const { inference } = startInference([new FakeProvider("lab", embeds([[1]], null))], {
      deployments: [model("lab")],
    });
    const { usage } = await inference.embed(ask(), contextOf());
    expect(usage).toMatchObject({ prompt_tokens: 4, total_tokens: 4, estimated: true });
    const body = { input: [[1, 2, 3], [4]] };
    const ids = await inference.embed(ask({ body }), contextOf());
    expect(ids.usage).toMatchObject({ prompt_tokens: 4, estimated: true });
  });

  it("reserves an estimate of its tokens and settles the actual usage", async () => {
    const { inference, limiter } = startInference([new FakeProvider("lab", embeds([[1]]))], {
      deployments: [model("lab")],
    });
    await inference.embed(ask({ body: { input: ["12345678", [1, 2, 3]] } }), contextOf());
    const [reservation] = limiter.reservations;
    expect(reservation?.estimate).toMatchObject({ tokens: 5 });
    expect(reservation?.settled).toEqual([{ tokens: 10, costUsd: 0.0000002 }]);
  });

  it("is retried, then sent to other providers, then to the fallbacks", async () => {
    const first = new FakeProvider("first", fails("server_error", { status: 500 }));
    const second = new FakeProvider("second", fails("overloaded", { status: 503 }), embeds([[2]]));
    const { inference, trace } = startInference([first, second], {
      deployments: [model("first"), model("second", "model-f")],
    });
    const answer = await inference.embed(ask({ fallbacks: ["model-f"] }), contextOf());
    expect(answer).toMatchObject({ vectors: [[2]], model: "model-f", provider: "second" });
    expect(first.embeddingCalls).toHaveLength(2);
    expect(trace().attempts.map(({ provider, code }) => `${provider} ${code}`)).toEqual([
      "first server_error",
      "first server_error",
      "second overloaded",
      "second ok",
    ]);
  });

  it("that a provider refuses gets the provider's message", async () => {
    const said = { status: 400, upstreamMessage: "too many dimensions", upstreamParam: "dimensions" };
    const { inference } = startInference([new FakeProvider("lab", fails("request_refused", said))], {
      deployments: [model("lab")],
    });
    await expect(inference.embed(ask(), contextOf())).rejects.toMatchObject({
      code: "upstream_rejected",
      status: 400,
      param: "dimensions",
      message: 'The provider "lab" refused the request: too many dimensions',
    });
  });

  it("that is too long gets an error that names the field", async () => {
    const { inference } = startInference(
      [new FakeProvider("lab", fails("context_length_exceeded", { status: 400 }))],
      {
        deployments: [model("lab")],
      },
    );
    await expect(inference.embed(ask(), contextOf())).rejects.toMatchObject({
      code: "context_length_exceeded",
      param: "input",
      message: expect.stringContaining("An input is longer"),
    });
  });

  it("to a provider whose API has no embeddings is refused", async () => {
    const provider = new FakeProvider("lab", answers("no"));
    Object.defineProperty(provider, "embed", { value: undefined });
    const { inference } = startInference([provider], { deployments: [model("lab")] });
    await expect(inference.embed(ask(), contextOf())).rejects.toMatchObject({
      code: "invalid_request",
      param: "model",
      message: expect.stringContaining("makes no embeddings"),
    });
  });

  it("without a configured provider gets an error that names what would enable one", async () => {
    const { inference } = startInference([], { deployments: [model("lab", "model-e", { enabled: false })] });
    await expect(inference.embed(ask(), contextOf())).rejects.toMatchObject({
      code: "no_provider_available",
      message: expect.stringContaining("set LAB_API_KEY"),
    });
  });
});

describe("A model used with the wrong endpoint", () => {
  const start = () =>
    startInference([new FakeProvider("lab", answers("hi"))], {
      deployments: [
        model("lab"),
        deploymentOf("lab", "model-a"),
        deploymentOf("off", "model-b", { enabled: false }),
      ],
    });

  it.each(["model-a", "model-b", "lab/model-a"])(
    "is refused: %s, a chat model, for embeddings",
    async (name) => {
      const { inference, sink } = start();
      await expect(inference.embed(askFor(name), contextOf())).rejects.toMatchObject({
        code: "invalid_request",
        param: "model",
        message: expect.stringContaining(`"${name}" makes no embeddings`),
      });
      expect(sink.traces).toEqual([]);
    },
  );

  it("is refused as a fallback too", async () => {
    const { inference } = start();
    const embedded = inference.embed(ask({ fallbacks: ["model-a"] }), contextOf());
    await expect(embedded).rejects.toMatchObject({ code: "invalid_request", param: "fallbacks[0]" });
    const chat = inference.run(requestFor({ fallbacks: ["model-e"] }), contextOf());
    await expect(chat).rejects.toMatchObject({ code: "invalid_request", param: "fallbacks[0]" });
  });

  it.each(["model-e", "sextant"])("is refused: %s, an embedding model, for answers", async (name) => {
    const { inference } = start();
    const run = inference.run(requestFor({ choice: named(name) }), contextOf());
    await expect(run).rejects.toMatchObject({
      code: "invalid_request",
      param: "model",
      message: expect.stringContaining(
        `"${name}" makes embeddings and cannot answer. Use POST /v1/embeddings`,
      ),
    });
  });
});

describe("The model `sextant`", () => {
  it("is the embedder used for routing: free of charge, with tokens counted by the gateway", async () => {
    const { inference, trace } = startInference([]);
    const answer = await inference.embed(askFor("sextant"), contextOf());
    expect(answer).toMatchObject({
      vectors: [
        [6, 0],
        [8, 0],
      ],
      model: "sextant",
      provider: "sextant",
      usage: { prompt_tokens: 4, total_cost_usd: 0, estimated: true },
    });
    expect(trace()).toMatchObject({ model: "sextant", provider: "sextant", attempts: [{ code: "ok" }] });
  });

  it("can be named as a provider, and used as a fallback", async () => {
    const { inference } = startInference([new FakeProvider("lab", fails("overloaded"))], {
      deployments: [model("lab")],
    });
    const choice = { type: "named", model: "sextant", provider: "sextant" } as const;
    expect(await inference.embed(ask({ choice }), contextOf())).toMatchObject({ provider: "sextant" });
    const answer = await inference.embed(ask({ fallbacks: ["sextant"] }), contextOf());
    expect(answer.provider).toBe("sextant");
  });

  it("has only its own number of dimensions", async () => {
    const { inference } = startInference([]);
    const own = { input: "a moth", dimensions: 2 };
    expect((await inference.embed(askFor("sextant", { body: own }), contextOf())).vectors).toEqual([[6, 0]]);
    const other = inference.embed(askFor("sextant", { body: { ...own, dimensions: 3 } }), contextOf());
    await expect(other).rejects.toMatchObject({
      code: "invalid_request",
      param: "dimensions",
      message: expect.stringContaining("vectors of 2 numbers"),
    });
  });

  it("accepts no token ids", async () => {
    const { inference } = startInference([]);
    for (const input of [[1, 2], [[1, 2]]]) {
      const embedded = inference.embed(askFor("sextant", { body: { input } }), contextOf());
      await expect(embedded).rejects.toMatchObject({ code: "invalid_request", param: "input" });
    }
  });
});

describe("The trace of an embeddings request", () => {
  it("has the input, the tokens, the cost and the attempts, and no answer", async () => {
    const { inference, trace } = startInference([new FakeProvider("lab", embeds([[1], [2], [3]]))], {
      deployments: [model("lab")],
    });
    await inference.embed(ask({ body: { input: ["a moth", [1, 2], "a drawer"] } }), contextOf());
    expect(trace()).toMatchObject({
      kind: "embeddings",
      model: "model-e",
      provider: "lab",
      status: "success",
      streamed: false,
      finishReason: null,
      usage: { prompt_tokens: 10, completion_tokens: 0 },
      attempts: [{ provider: "lab", code: "ok" }],
      metadata: { team: "search" },
      content: {
        input: [
          {
            role: "user",
            content: ["a moth", "[2 token ids]", "a drawer"].map((text) => ({ type: "text", text })),
          },
        ],
        output: "",
      },
    });
  });

  it("has no content where storing content is off", async () => {
    const { inference, trace } = startInference([new FakeProvider("lab", embeds([[1]]))], {
      deployments: [model("lab")],
      wantsContent: false,
    });
    await inference.embed(ask(), contextOf());
    expect(trace().content).toBeNull();
  });

  it("has the error when every model failed", async () => {
    const { inference, trace } = startInference([new FakeProvider("lab", fails("overloaded"))], {
      deployments: [model("lab")],
    });
    await expect(inference.embed(ask(), contextOf())).rejects.toMatchObject({ code: "upstream_error" });
    expect(trace()).toMatchObject({ kind: "embeddings", status: "error", error: { code: "upstream_error" } });
  });
});
