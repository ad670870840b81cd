import { describe, expect, it } from "vitest";
import type { PausesInForce } from "../../../src/gateway/run/pause.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { PAUSE_ENDS as ENDS, pausing } from "../../fakes/pauses.js";
import { answers, FakeProvider } from "../../fakes/provider.js";
import { contextOf, named, routed, startInference } from "./harness.js";

const lab = (script = answers("from lab")) => new FakeProvider("lab", script);
const cloud = () => new FakeProvider("cloud", answers("from cloud"));

describe("A request for a paused model", () => {
  it("is refused with the model, the end of the pause and the remedy, without a call", async () => {
    const provider = lab();
    const { run, trace } = startInference([provider], { pauses: pausing({ target: "model-a" }) });
    const error = { code: "model_paused" };
    await expect(run()).rejects.toMatchObject({
      ...error,
      status: 503,
      message:
        `The model "model-a" is paused until ${ENDS}. Name another model, send \`fallbacks\`, or ask for "auto", which leaves ` +
        "paused models out. An operator can end the pause.",
    });
    expect(provider.calls).toEqual([]);
    expect(trace()).toMatchObject({ model: "model-a", provider: null, status: "error", error });
  });

  it("says that it is the provider that is paused", async () => {
    const pauses = pausing({ kind: "provider", target: "lab", ends_at: null });
    await expect(startInference([lab()], { pauses }).run()).rejects.toThrow(
      'The model "model-a" is served by the provider "lab", which is paused until an operator ends the pause.',
    );
  });

  it("goes to its fallbacks", async () => {
    const deployments = ["model-a", "model-b"].map((model) => deploymentOf("lab", model));
    const { run } = startInference([lab()], { deployments, pauses: pausing({ target: "model-a" }) });
    const answer = await run({ fallbacks: ["model-b"] });
    expect(answer.attempts.map(({ model, code }) => [model, code])).toEqual([
      ["model-a", "paused"],
      ["model-b", "ok"],
    ]);
  });

  it("goes to another provider where only one is paused, unless it names that one", async () => {
    const paused = lab();
    const pauses = pausing({ kind: "provider", target: "lab" });
    const { run } = startInference([paused, cloud()], { pauses });
    expect(await run()).toMatchObject({ provider: "cloud" });
    await expect(run({ choice: named("model-a", "lab") })).rejects.toMatchObject({ code: "model_paused" });
    expect(paused.calls).toEqual([]);
  });
});

describe("A redirect", () => {
  const deployments = ["model-a", "model-b", "model-c"].map((model) => deploymentOf("lab", model));
  const [toB, onToC, backToA] = [
    { target: "model-a", redirect_to: "model-b" },
    { target: "model-b", redirect_to: "model-c" },
    { target: "model-b", redirect_to: "model-a" },
  ];

  it("has the other model answer, and the trace name both", async () => {
    const { run, trace } = startInference([lab()], { deployments, pauses: pausing(toB) });
    expect(await run()).toMatchObject({ model: "model-b", provider: "lab" });
    const message = `not called: paused until ${ENDS}`;
    expect(trace()).toMatchObject({
      model: "model-b",
      requestedModel: "model-a",
      status: "success",
      attempts: [
        { model: "model-a", code: "paused", status: null, message },
        { model: "model-b", code: "ok" },
      ],
    });
  });

  it("is followed by the redirect of its target, and in a circle ends as a refusal", async () => {
    const followed = startInference([lab()], { deployments, pauses: pausing(toB, onToC) });
    expect(await followed.run()).toMatchObject({ model: "model-c" });
    const circle = startInference([lab()], { deployments, pauses: pausing(toB, backToA) });
    await expect(circle.run()).rejects.toMatchObject({ code: "model_paused" });
  });

  it("holds for a request that names the provider, by another name of it too", async () => {
    const { run } = startInference([lab()], { deployments, pauses: pausing(toB) });
    expect(await run({ choice: named("model-a", "lab-ai") })).toMatchObject({ model: "model-b" });
  });

  it("reserves the cost of the model that answers", async () => {
    const priced = [
      deploymentOf("lab", "model-a", { price: priceOf(1, 1) }),
      deploymentOf("lab", "model-b", { price: priceOf(100, 100) }),
    ];
    const costOf = async (pauses: PausesInForce) => {
      const { run, limiter } = startInference([lab()], { deployments: priced, pauses });
      await run();
      return limiter.reservations.at(-1)?.estimate.costUsd ?? 0;
    };
    expect(await costOf(pausing(toB))).toBeCloseTo(100 * (await costOf(pausing())), 8);
  });
});

describe("A routed request", () => {
  const deployments = [
    deploymentOf("lab", "medium", { price: priceOf(1, 2) }),
    deploymentOf("lab", "small"),
    deploymentOf("cloud", "medium"),
  ];

  it("asks the router to leave paused models out, and says what the others cost elsewhere", async () => {
    const pauses = pausing({ target: "small" }, { kind: "provider", target: "lab" });
    const { run, router } = startInference([lab(), cloud()], { deployments, pauses });
    const answer = await run({ choice: routed(["medium", "small"]) });
    const [asked] = router.requests;
    expect(["medium", "small"].map((model) => asked?.isPaused?.(model))).toEqual([false, true]);
    expect(asked?.factsOf?.("medium")).toMatchObject({ provider: "cloud", price: null });
    expect(answer).toMatchObject({ model: "medium", provider: "cloud" });
  });

  it("asks nothing more of the router without a pause", async () => {
    const { run, router } = startInference([lab()], { deployments });
    await run({ choice: routed(["medium", "small"]) });
    expect(router.requests[0]).not.toHaveProperty("isPaused");
  });
});

it("Embeddings are never redirected: vectors of different models cannot be compared", async () => {
  const deployments = ["emb-a", "emb-b"].map((model) => deploymentOf("lab", model, { api: "embeddings" }));
  const pauses = pausing({ target: "emb-a", redirect_to: "emb-b" });
  const { inference } = startInference([lab()], { deployments, pauses });
  const choice = { type: "named", model: "emb-a", provider: undefined } as const;
  const request = { choice, body: { input: "hi" }, fallbacks: [], metadata: {} };
  await expect(inference.embed(request, contextOf())).rejects.toMatchObject({ code: "model_paused" });
});
