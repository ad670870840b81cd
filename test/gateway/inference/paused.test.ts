import { describe, expect, it } from "vitest";
import {
  type Pause,
  type PausesInForce,
  pausedThing,
  pauseNamesOf,
} from "../../../src/gateway/pauses/pause.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, fails } from "../../fakes/provider.js";
import { FakeRouter } from "../../fakes/router.js";
import { rejectionOf } from "../../support/errors.js";
import { asCompletion, contextOf, named, requestFor, routed, startInference } from "./harness.js";

const ENDS = "2026-01-02T04:00:00.000Z";

/** What a list of pauses means for deployments. */
function pausing(...pauses: readonly Partial<Pause>[]): PausesInForce {
  const all = pauses.map((pause) => ({ kind: "model", redirect_to: null, ends_at: ENDS, ...pause }) as Pause);
  return {
    any: all.length > 0,
    admit() {},
    ofDeployment(deployment) {
      const provider = pausedThing({ kind: "provider", target: deployment.provider });
      return all.find((pause) => [...pauseNamesOf(deployment), provider].includes(pausedThing(pause)));
    },
  };
}

const lab = () => new FakeProvider("lab", answers("from lab"));
const cloud = () => new FakeProvider("cloud", answers("from cloud"));

describe("A request for a paused model", () => {
  it("is refused with the model, the end of the pause and the remedy, without a call", async () => {
    const provider = lab();
    const { inference, trace } = startInference([provider], { pauses: pausing({ target: "model-a" }) });
    const error = await rejectionOf(inference.run(requestFor(), contextOf()), Error);
    expect(error).toMatchObject({ code: "model_paused", status: 503 });
    expect(error.message).toBe(
      `The model "model-a" is paused until ${ENDS}. Name another model, send \`fallbacks\`, or ask for "auto", which leaves ` +
        "paused models out. An operator can end the pause.",
    );
    expect(provider.calls).toEqual([]);
    expect(trace()).toMatchObject({
      model: "model-a",
      provider: null,
      status: "error",
      error: { code: "model_paused" },
    });
  });

  it("says that it is the provider that is paused", async () => {
    const pauses = pausing({ kind: "provider", target: "lab", ends_at: null });
    const { inference } = startInference([lab()], { pauses });
    await expect(inference.run(requestFor(), contextOf())).rejects.toThrow(
      'The model "model-a" is served by the provider "lab", which is paused until an operator ends the pause.',
    );
  });

  it("goes to its fallbacks", async () => {
    const deployments = [deploymentOf("lab", "model-a"), deploymentOf("lab", "model-b")];
    const pauses = pausing({ target: "model-a" });
    const { inference } = startInference([lab()], { deployments, pauses });
    const answer = await inference.run(requestFor({ fallbacks: ["model-b"] }), contextOf());
    expect(answer.model).toBe("model-b");
    expect(answer.attempts.map(({ model, code }) => [model, code])).toEqual([
      ["model-a", "paused"],
      ["model-b", "ok"],
    ]);
  });

  it("goes to another provider where only one is paused", async () => {
    const pauses = pausing({ kind: "provider", target: "lab" });
    const paused = lab();
    const { inference } = startInference([paused, cloud()], { pauses });
    expect(await inference.run(requestFor(), contextOf())).toMatchObject({ provider: "cloud" });
    expect(paused.calls).toEqual([]);
  });

  it("is refused when a named provider is paused, though another one serves the model", async () => {
    const pauses = pausing({ kind: "provider", target: "lab" });
    const { inference } = startInference([lab(), cloud()], { pauses });
    await expect(
      inference.run(requestFor({ choice: named("model-a", "lab") }), contextOf()),
    ).rejects.toMatchObject({ code: "model_paused" });
  });
});

describe("A redirect", () => {
  const deployments = ["model-a", "model-b", "model-c"].map((model) => deploymentOf("lab", model));

  it("has the other model answer, and the trace name both", async () => {
    const pauses = pausing({ target: "model-a", redirect_to: "model-b" });
    const { inference, trace } = startInference([lab()], { deployments, pauses });
    const answer = asCompletion(await inference.run(requestFor(), contextOf()));
    expect(answer).toMatchObject({ model: "model-b", provider: "lab" });
    expect(trace()).toMatchObject({
      model: "model-b",
      status: "success",
      attempts: [
        { model: "model-a", code: "paused", status: null, message: `not called: paused until ${ENDS}` },
        { model: "model-b", code: "ok" },
      ],
    });
  });

  it("is followed by the redirect of its target", async () => {
    const pauses = pausing(
      { target: "model-a", redirect_to: "model-b" },
      { target: "model-b", redirect_to: "model-c" },
    );
    const { inference } = startInference([lab()], { deployments, pauses });
    expect(await inference.run(requestFor(), contextOf())).toMatchObject({ model: "model-c" });
  });

  it("holds for a request that names the provider, by another name of it too", async () => {
    const pauses = pausing({ target: "model-a", redirect_to: "model-b" });
    const { inference } = startInference([lab()], { deployments, pauses });
    const request = requestFor({ choice: named("model-a", "lab-ai") });
    expect(await inference.run(request, contextOf())).toMatchObject({ model: "model-b" });
  });

  it("in a circle ends as a refusal", async () => {
    const pauses = pausing(
      { target: "model-a", redirect_to: "model-b" },
      { target: "model-b", redirect_to: "model-a" },
    );
    const { inference } = startInference([lab()], { deployments, pauses });
    await expect(inference.run(requestFor(), contextOf())).rejects.toMatchObject({ code: "model_paused" });
  });

  it("reserves the cost of the model that answers", async () => {
    const priced = [
      deploymentOf("lab", "model-a", { price: priceOf(1, 1) }),
      deploymentOf("lab", "model-b", { price: priceOf(100, 100) }),
    ];
    const costOf = async (pauses: PausesInForce) => {
      const { inference, limiter } = startInference([lab()], { deployments: priced, pauses });
      await inference.run(requestFor(), contextOf());
      return limiter.reservations.at(-1)?.estimate.costUsd ?? 0;
    };
    const [plain, redirected] = [
      await costOf(pausing()),
      await costOf(pausing({ target: "model-a", redirect_to: "model-b" })),
    ];
    expect(redirected).toBeCloseTo(100 * plain, 8);
  });

  it("leaves the error of a model that fails as it is", async () => {
    const pauses = pausing({ target: "model-a", redirect_to: "model-b" });
    const provider = new FakeProvider("lab", fails("rate_limited", { status: 429 }));
    const { inference } = startInference([provider], { deployments, pauses, settings: { retries: 0 } });
    await expect(inference.run(requestFor(), contextOf())).rejects.toMatchObject({
      code: "upstream_rate_limited",
    });
  });
});

describe("A routed request", () => {
  const deployments = [
    deploymentOf("lab", "medium", { price: priceOf(1, 2) }),
    deploymentOf("lab", "small"),
    deploymentOf("cloud", "medium"),
  ];

  it("asks the router to leave paused models out, and says what the others cost elsewhere", async () => {
    const router = new FakeRouter();
    const pauses = pausing({ target: "small" }, { kind: "provider", target: "lab" });
    const { inference } = startInference([lab(), cloud()], { deployments, router, pauses });
    const answer = await inference.run(requestFor({ choice: routed(["medium", "small"]) }), contextOf());
    const [asked] = router.requests;
    expect(["medium", "small"].map((model) => asked?.isPaused?.(model))).toEqual([false, true]);
    expect(asked?.factsOf?.("medium")).toMatchObject({ provider: "cloud", price: null });
    expect(answer).toMatchObject({ model: "medium", provider: "cloud" });
  });

  it("asks nothing more of the router without a pause", async () => {
    const router = new FakeRouter();
    const { inference } = startInference([lab()], { deployments, router });
    await inference.run(requestFor({ choice: routed(["medium", "small"]) }), contextOf());
    expect(router.requests[0]).not.toHaveProperty("isPaused");
  });
});

it("Embeddings are never redirected: vectors of different models cannot be compared", async () => {
  const deployments = ["emb-a", "emb-b"].map((model) => deploymentOf("lab", model, { api: "embeddings" }));
  const pauses = pausing({ target: "emb-a", redirect_to: "emb-b" });
  const { inference } = startInference([lab()], { deployments, pauses });
  const request = {
    choice: { type: "named", model: "emb-a", provider: undefined },
    body: { input: "hi" },
  } as const;
  await expect(
    inference.embed({ ...request, fallbacks: [], metadata: {} }, contextOf()),
  ).rejects.toMatchObject({ code: "model_paused" });
});
