/** Requests for embeddings, from limits to traces, over fakes. */
import { describe, expect, it } from "vitest";
import type { EmbeddingRequest } from "../../../src/gateway/run/request.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { answers, embeds, FakeProvider, fails, type Script } from "../../fakes/provider.js";
import { contextOf, named, type StartOptions, startInference } from "./harness.js";

const model = (provider: string, name = "model-e", changes = {}) =>
  deploymentOf(provider, name, { api: "embeddings", price: priceOf(0.02, 0), ...changes });

function start(providers: readonly FakeProvider[], options: StartOptions = {}) {
  const started = startInference(providers, { deployments: [model("lab")], ...options });
  const embed = (name: string, changes: Partial<EmbeddingRequest> = {}) => {
    const choice = { type: "named", model: name, provider: undefined } as const;
    const body = { input: ["a moth", "a drawer"] };
    const request = { choice, body, fallbacks: [], metadata: { team: "search" }, ...changes };
    return started.inference.embed(request, contextOf());
  };
  return { ...started, embed };
}
const lab = (...scripts: readonly Script[]) => new FakeProvider("lab", ...scripts);

describe("An embeddings request", () => {
  it("is sent unchanged, and answered with vectors, usage and cost", async () => {
    const provider = lab(embeds([[1], [2]]));
    const deployments = [model("lab", "model-e", { upstreamModel: "theirs" })];
    const { embed } = start([provider], { deployments });
    const body = { input: ["a moth", "a drawer"], dimensions: 1, user: "u" };
    const answer = await embed("model-e", { body });
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

  it.each([
    ["texts", ["a moth", "a drawer"]],
    ["ids", [[1, 2, 3], [4]]],
  ])("has its tokens counted by the gateway where the provider sends no count: %s", async (_, input) => {
    const { usage } = await start([lab(embeds([[1]], null))]).embed("model-e", { body: { input } });
    expect(usage).toMatchObject({ prompt_tokens: 4, total_tokens: 4, estimated: true });
  });

  it("reserves an estimate of its tokens and settles the actual usage", async () => {
    const { embed, limiter } = start([lab(embeds([[1]]))]);
    await embed("model-e", { body: { input: ["12345678", [1, 2, 3]] } });
    const [reservation] = limiter.reservations;
    expect(reservation?.estimate).toMatchObject({ tokens: 5 });
    expect(reservation?.settled).toEqual([{ tokens: 10, costUsd: 0.0000002 }]);
  });

  const noEmbeddings = lab(answers("no"));
  Object.defineProperty(noEmbeddings, "embed", { value: undefined });
  const said = { status: 400, upstreamMessage: "too many dimensions", upstreamParam: "dimensions" };
  it.each<[string, FakeProvider, string, string | null, string]>([
    [
      "what the provider says when it refuses",
      lab(fails("request_refused", said)),
      "upstream_rejected",
      "dimensions",
      'The provider "lab" refused the request: too many dimensions',
    ],
    [
      "the field that is too long",
      lab(fails("context_length_exceeded", { status: 400 })),
      "context_length_exceeded",
      "input",
      "An input is longer",
    ],
    ["that the provider's API has none", noEmbeddings, "invalid_request", "model", "makes no embeddings"],
  ])("that fails is told %s", async (_, provider, code, param, message) => {
    const failed = start([provider]).embed("model-e");
    await expect(failed).rejects.toMatchObject({ code, param, message: expect.stringContaining(message) });
  });

  it("without a configured provider gets an error that names what would enable one", async () => {
    const { embed } = start([], { deployments: [model("lab", "model-e", { enabled: false })] });
    await expect(embed("model-e")).rejects.toMatchObject({
      code: "no_provider_available",
      message: expect.stringContaining("set LAB_API_KEY"),
    });
  });
});

describe("A model used with the wrong endpoint", () => {
  const started = () =>
    start([lab(answers("hi"))], {
      deployments: [
        model("lab"),
        deploymentOf("lab", "model-a"),
        deploymentOf("off", "model-b", { enabled: false }),
      ],
    });
  const refusal = { code: "invalid_request", param: "model" };

  it.each(["model-a", "model-b", "lab/model-a"])(
    "is refused: %s, a chat model, for embeddings",
    async (name) => {
      const { embed, sink } = started();
      const message = expect.stringContaining(`"${name}" makes no embeddings`);
      await expect(embed(name)).rejects.toMatchObject({ ...refusal, message });
      expect(sink.traces).toEqual([]);
    },
  );

  it.each(["model-e", "sextant"])("is refused: %s, an embedding model, for answers", async (name) => {
    const message = expect.stringContaining(
      `"${name}" makes embeddings and cannot answer. Use POST /v1/embeddings`,
    );
    await expect(started().run({ choice: named(name) })).rejects.toMatchObject({ ...refusal, message });
  });

  it("is refused as a fallback too", async () => {
    const { embed, run } = started();
    const fallback = { code: "invalid_request", param: "fallbacks[0]" };
    await expect(embed("model-e", { fallbacks: ["model-a"] })).rejects.toMatchObject(fallback);
    await expect(run({ fallbacks: ["model-e"] })).rejects.toMatchObject(fallback);
  });
});

describe("The model `sextant`", () => {
  it("is the embedder used for routing: free of charge, with tokens counted by the gateway", async () => {
    const { embed, trace } = start([]);
    expect(await embed("sextant")).toMatchObject({
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
    const { embed } = start([lab(fails("overloaded"))]);
    const choice = { type: "named", model: "sextant", provider: "sextant" } as const;
    expect((await embed("sextant", { choice })).provider).toBe("sextant");
    expect((await embed("model-e", { fallbacks: ["sextant"] })).provider).toBe("sextant");
  });

  it("has only its own number of dimensions", async () => {
    const { embed } = start([]);
    const own = { input: "a moth", dimensions: 2 };
    expect((await embed("sextant", { body: own })).vectors).toEqual([[6, 0]]);
    await expect(embed("sextant", { body: { ...own, dimensions: 3 } })).rejects.toMatchObject({
      code: "invalid_request",
      param: "dimensions",
      message: expect.stringContaining("vectors of 2 numbers"),
    });
  });

  it.each([[[1, 2]], [[[1, 2]]]])("accepts no token ids: %j", async (input) => {
    const refused = { code: "invalid_request", param: "input" };
    await expect(start([]).embed("sextant", { body: { input } })).rejects.toMatchObject(refused);
  });
});

describe("The trace of an embeddings request", () => {
  it("has the input, the tokens, the cost and the attempts, and no answer", async () => {
    const { embed, trace } = start([lab(embeds([[1], [2], [3]]))]);
    await embed("model-e", { body: { input: ["a moth", [1, 2], "a drawer"] } });
    const texts = ["a moth", "[2 token ids]", "a drawer"].map((text) => ({ type: "text", text }));
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
      content: { input: [{ role: "user", content: texts }], output: "" },
    });
  });

  it("has no content where storing content is off", async () => {
    const { embed, trace } = start([lab(embeds([[1]]))], { wantsContent: false });
    await embed("model-e");
    expect(trace().content).toBeNull();
  });
});
