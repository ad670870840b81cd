import { describe, expect, it } from "vitest";
import type { RequestCaps } from "../../../src/gateway/access/request-caps.js";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { answers, cutOff, FakeProvider, streams } from "../../fakes/provider.js";
import { asCompletion, contextOf, named, requestFor, routed, startInference } from "./harness.js";

const deployments = [
  deploymentOf("lab", "large", { price: priceOf(100, 200), contextTokens: 100_000 }),
  deploymentOf("lab", "medium", { price: priceOf(10, 20), contextTokens: 100_000 }),
  deploymentOf("lab", "small", { price: priceOf(1, 2), contextTokens: 100_000 }),
  deploymentOf("own", "medium", { price: priceOf(5, 10) }),
  deploymentOf("own", "unpriced"),
  deploymentOf("lab", "vectors", { price: priceOf(1, 0), api: "embeddings" }),
];
/** About 100 tokens. */
const body = { messages: [{ role: "user", content: "x".repeat(384) }] };
const presets = [
  { name: "thrifty", max_usd_per_request: 0.002, min_cost_weight: 0.6, allowed_models: ["*m*"] },
];

function start(provider = new FakeProvider("lab", answers("hi"))) {
  const own = new FakeProvider("own", answers("hi"));
  const started = startInference([provider, own], { deployments, settings: { presets, retries: 0 } });
  const context = (caps: RequestCaps | undefined) => {
    const { principal, ...rest } = contextOf();
    return { ...rest, principal: { ...principal, caps } };
  };
  const run = async (caps: RequestCaps | undefined, changes: Partial<InferenceRequest>) =>
    asCompletion(await started.inference.run(requestFor({ body, ...changes }), context(caps)));
  const sent = async (caps: RequestCaps, changes: Partial<InferenceRequest>) => {
    const { model, provider: at } = await run(caps, changes);
    return [model, at, provider.calls.at(-1)?.body.max_completion_tokens];
  };
  return { ...started, provider, own, run, sent, context };
}

describe("The models that a key may use", () => {
  it.each([
    ["medium", true],
    ["MEDIUM", true],
    ["m*m", true],
    ["*", true],
    ["lab/m*", true],
    ["med", false],
    ["*ium*ium", false],
    ["m*medium", false],
    ["other/medium", false],
  ])("are those that %s matches", async (glob, expected) => {
    const asking = start().run({ allowed_models: ["o3", glob] }, { choice: named("medium", "lab") });
    if (expected) return expect((await asking).model).toBe("medium");
    await expect(asking).rejects.toMatchObject({
      status: 403,
      code: "not_allowed",
      param: "model",
      message: expect.stringContaining(
        `"medium" is not among \`allowed_models\` of the key, token or preset: o3, ${glob}.`,
      ),
    });
  });

  it("are those at every effort, and at one provider where it is named", async () => {
    const high = deploymentOf("lab", "large:high", { price: priceOf(1, 2) });
    const { inference } = startInference([new FakeProvider("lab", answers("hi"))], { deployments: [high] });
    const { context, sent } = start();
    const asked = requestFor({ choice: named("large:high") });
    expect(await inference.run(asked, context({ allowed_models: ["large"] }))).toMatchObject({
      model: "large:high",
    });
    await expect(inference.run(asked, context({ allowed_models: ["large:low"] }))).rejects.toThrow(
      "not among",
    );
    expect(await sent({ allowed_models: ["lab/*"] }, { choice: named("medium") })).toEqual([
      "medium",
      "lab",
      undefined,
    ]);
  });

  it("hold for fallbacks, embeddings, and what the router chooses from", async () => {
    const started = start();
    const caps = { allowed_models: ["medium", "small"] };
    await expect(
      started.run(caps, { choice: named("medium"), fallbacks: ["small", "large"] }),
    ).rejects.toMatchObject({ param: "fallbacks[1]", code: "not_allowed" });
    const vectors = { type: "named", model: "vectors", provider: undefined } as const;
    const embedding = { choice: vectors, body: { input: "a" }, fallbacks: [], metadata: {} };
    for (const cap of [caps, { max_usd_per_request: 1e-9 }])
      await expect(started.inference.embed(embedding, started.context(cap))).rejects.toMatchObject({
        status: 403,
      });
    await started.run(caps, { choice: routed() });
    const [{ caps: chosen } = {}] = started.router.requests;
    expect(["large", "medium", "small"].map((model) => chosen?.isAllowed(model))).toEqual([
      false,
      true,
      true,
    ]);
    expect(chosen?.said).toBe("`allowed_models` medium, small of the key, token or preset");
    await started.run(undefined, { choice: routed() });
    expect(started.router.requests[1]).not.toHaveProperty("caps");
  });
});

describe("The dollars that one request may cost", () => {
  // The prompt of large costs $.01, and each token of its answer $.0002.
  it.each<[usd: number, changes: Partial<InferenceRequest>, limit: number | undefined]>([
    [0.03, { choice: named("large") }, 100],
    [0.03, { choice: named("large"), body: { ...body, n: 4 } }, 25],
    [0.03, { choice: named("large"), body: { ...body, max_completion_tokens: 60 } }, 60],
    [0.03, { choice: named("large"), body: { ...body, max_completion_tokens: 200 } }, 100],
    [0.01, { choice: named("small") }, 4950],
    [99, { choice: named("small") }, undefined],
  ])("%d limit the answer of %j to %j tokens", async (max_usd_per_request, changes, limit) => {
    expect((await start().sent({ max_usd_per_request }, changes))[2]).toBe(limit);
  });

  it.each([
    [
      "large",
      0.0131,
      '`model` "large" costs more than `max_usd_per_request` of the key, token or preset, 0.0131, for a prompt of about 100 tokens and 16 of an answer. Shorten',
    ],
    ["unpriced", 100, "has no known price, so it cannot be kept to `max_usd_per_request`"],
  ])("refuse %s at %d before anything is sent", async (model, max_usd_per_request, message) => {
    const started = start();
    await expect(started.run({ max_usd_per_request }, { choice: named(model) })).rejects.toMatchObject({
      status: 403,
      code: "not_allowed",
      param: "model",
      message: expect.stringContaining(message),
    });
    expect([started.provider.calls.length, started.sink.traces.length]).toEqual([0, 0]);
  });

  it("count what a call before may have cost, and leave out what the rest does not pay for", async () => {
    const started = start(new FakeProvider("lab", streams(cutOff())));
    const asked = { choice: named("small"), fallbacks: ["large"], stream: true };
    await expect(started.run({ max_usd_per_request: 0.0143 }, asked)).rejects.toThrow();
    await started.traced();
    expect(started.trace().attempts.map(({ code }) => code)).toEqual(["cut_off", "over_budget"]);
  });

  it("are what the router may choose by, a preset's too, with the least weight of both", async () => {
    const started = start();
    const choice = { ...routed(undefined, 0.2), preset: "thrifty" };
    const answer = await started.run({ max_usd_per_request: 0.01, min_cost_weight: 0.3 }, { choice });
    expect(started.router.requests).toMatchObject([{ costWeight: 0.6, caps: { maxCostUsd: 0.002 } }]);
    expect([answer.model, started.own.calls[0]?.body.max_completion_tokens]).toEqual(["medium", 150]);
    await started.inference.decide({ choice, body, metadata: {} }, started.context(undefined));
    expect(started.router.requests[1]).toMatchObject({ costWeight: 0.6, caps: { maxCostUsd: 0.002 } });
  });
});
