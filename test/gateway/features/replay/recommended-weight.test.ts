import { describe, expect, it } from "vitest";
import type { Decision, RouteRequest } from "../../../../src/engine/router/decision.js";
import type { RoutingBody } from "../../../../src/engine/router/routing-body.js";
import type { ServerDependencies } from "../../../../src/gateway/dependencies.js";
import { WeightRecommender } from "../../../../src/gateway/features/replay/recommended-weight.js";
import { FakeRouter } from "../../../fakes/router.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { NOON, routedTrace, said, USAGE } from "../../traces/trace-for-test.js";
import { RESULT } from "../comparisons/result-for-test.js";

/** From cost weight 0.5 on, easy prompts go to `small`, which is as good. */
class PlantedRouter extends FakeRouter {
  constructor(readonly stderr: number) {
    super(
      [0.01, 0.001].map((costUsd, at) => ({
        model: MODELS[at] ?? "",
        provider: "openai",
        quality: 0.9,
        costUsd,
      })),
    );
  }

  override async prepareMany(requests: readonly RouteRequest[]) {
    const decided = await super.prepareMany(requests);
    return decided.map((prepared, at) => ({
      decideAt: (weight: number): Decision => {
        const decision = prepared.decideAt(weight);
        const isEasy = requests[at]?.messages[0]?.content === "easy";
        const selectedModel = isEasy && weight >= 0.5 ? "small" : "large";
        const candidates = decision.candidates.map((one) => ({ ...one, qualityStderr: this.stderr }));
        const expectedCostUsd = selectedModel === "small" ? 0.001 : 0.01;
        return { ...decision, candidates, selectedModel, expectedCostUsd };
      },
    }));
  }
}

const MODELS = ["large", "small"];
const TRACES = Array.from({ length: 100 }, (_, at) => {
  const content = { input: said(at % 10 === 0 ? "easy" : "hard"), output: "" };
  const usage = { ...USAGE, total_cost_usd: 0.01 };
  const trace = routedTrace({ createdAtMs: NOON + at, model: "large", usage, content });
  const candidates = MODELS.map((model) => ({ model })) as unknown as RoutingBody["candidates"];
  return { ...trace, routing: trace.routing && { ...trace.routing, candidates } };
});
const SAVED = {
  cost_weight: 0.3,
  rule: "knee",
  limit: null,
  prompts: 9,
  saved_at: "",
  is_current: true,
} as const;

/** Equally good answers for 40 % less, compared for all requests and for those of a key. */
const RESULTS = ["all", "of-a-key"].flatMap((comparison) =>
  Array.from({ length: 2000 }, () => ({
    ...RESULT,
    ...{ at: NOON, comparison, with: "auto:0.7", outcome: "same", other: "large", difference: 0 },
    ...{ served_usd: 10, other_usd: 6 },
  })),
);

interface Changes {
  readonly traces?: Pick<ServerDependencies["traces"], "export">;
  readonly stderr?: number;
  readonly saved?: typeof SAVED | null;
  readonly inUse?: number;
  readonly comparisons?: readonly { readonly name: string; readonly with: string; readonly key?: string }[];
}

function recommenderOf({
  traces = new MemoryTraceStore(TRACES),
  stderr = 0.01,
  saved = null,
  inUse = 0.2,
  comparisons = [],
}: Changes = {}) {
  const seen = { ms: NOON + 1000, looks: 0 };
  const limits = { autoCostWeight: inUse };
  const recommender = new WeightRecommender({
    router: new PlantedRouter(stderr),
    now: () => seen.ms,
    yieldThread: async () => {},
    limits,
    ...({
      traces: {
        export(...asked: Parameters<typeof traces.export>) {
          seen.looks += 1;
          return traces.export(...asked);
        },
      },
      catalog: { isRunnable: () => true },
      comparisons: { entries: () => comparisons, results: async () => RESULTS },
      setReports: { sets: () => [{ name: "ours", recommended: saved }] },
    } as unknown as Pick<ServerDependencies, "traces" | "catalog" | "setReports" | "comparisons">),
  });
  return { recommender, seen, limits };
}

describe("WeightRecommender", () => {
  it("recommends the cheapest weight that past traffic finds as good as what would be recommended without it", async () => {
    const { recommender } = recommenderOf();
    expect(recommender.current).toMatchObject({ costWeight: 0.2, basis: "default", requests: null });
    const { evidence, ...found } = await recommender.fresh();
    expect(found).toEqual({ costWeight: 0.5, basis: "traffic", otherwise: 0.2, against: 0.2, requests: 100 });
    // A tenth of the requests for a tenth of the cost.
    expect(evidence).toMatchObject({ spend: { value: expect.closeTo(-0.09, 9) }, quality: { value: 0 } });
    expect(recommender.current.costWeight).toBe(0.5);
  });

  it("compares with the weight in use, below which nothing is cheaper", async () => {
    const inUse = 0.9;
    // Nothing is cheaper than 0.9, which is as good as the default for less.
    expect(await recommenderOf({ inUse }).recommender.fresh()).toMatchObject({
      ...{ costWeight: 0.9, basis: "traffic", otherwise: 0.2, against: 0.2 },
      evidence: { costWeight: 0.9, spend: { value: expect.closeTo(-0.09, 9) } },
    });
    expect(await recommenderOf({ inUse, stderr: 0.3 }).recommender.fresh()).toMatchObject({
      ...{ costWeight: 0.2, basis: "default", against: 0.9, evidence: null },
    });
    const comparisons = [{ name: "all", with: "auto:0.7" }];
    expect((await recommenderOf({ inUse, comparisons }).recommender.fresh()).costWeight).toBe(0.9);
    expect(await recommenderOf({ inUse: 0.1, saved: SAVED }).recommender.fresh()).toMatchObject({
      ...{ costWeight: 0.5, otherwise: 0.3, against: 0.1 },
    });
  });

  it("goes on recommending a weight that is used, and looks again when another one is", async () => {
    const { recommender, seen, limits } = recommenderOf();
    await recommender.fresh();
    limits.autoCostWeight = 0.5;
    expect(recommender.current).toMatchObject({ costWeight: 0.5, basis: "traffic" });
    expect(await recommender.fresh()).toMatchObject({ costWeight: 0.5, basis: "traffic", against: 0.2 });
    expect(seen.looks).toBe(2);
    limits.autoCostWeight = 0.8;
    expect(recommender.current).toMatchObject({ costWeight: 0.2, basis: "default" });
    expect(await recommender.fresh()).toMatchObject({ costWeight: 0.8, basis: "traffic" });
  });

  it.each([
    ["which is not conclusive", { stderr: 0.3 }, 100],
    ["of which there is too little", { traces: new MemoryTraceStore(TRACES.slice(0, 20)) }, 20],
  ])("recommends what the profiles say beside traffic %s, else the default", async (_, changes, requests) => {
    const found = await recommenderOf({ ...changes, saved: SAVED }).recommender.fresh();
    expect(found).toMatchObject({ costWeight: 0.3, basis: "profiles", requests, evidence: null });
    expect(await recommenderOf(changes).recommender.fresh()).toMatchObject({
      costWeight: 0.2,
      basis: "default",
    });
  });

  it("prefers what blind comparisons of all requests have measured", async () => {
    const ofKey = { name: "of-a-key", with: "auto:0.7", key: "key_1" };
    const others = [ofKey, { name: "all", with: "gpt-5.5" }];
    expect((await recommenderOf({ comparisons: others }).recommender.fresh()).basis).toBe("traffic");
    const { recommender, seen } = recommenderOf({
      comparisons: [...others, { name: "all", with: "auto:0.7" }],
    });
    expect(await recommender.fresh()).toMatchObject({
      ...{ costWeight: 0.7, basis: "comparisons", otherwise: 0.2, requests: 2000 },
      evidence: { spend: { value: expect.closeTo(-0.4, 9) }, quality: { value: 0 } },
    });
    expect(seen.looks).toBe(0);
  });

  it("looks at traffic once an hour, and again where traces could not be read", async () => {
    const { recommender, seen } = recommenderOf();
    await Promise.all([recommender.fresh(), recommender.fresh()]);
    for (const [later, looks] of [
      [3_599_000, 1],
      [2000, 2],
    ] as const) {
      seen.ms += later;
      await recommender.fresh();
      expect(seen.looks).toBe(looks);
    }
    const broken = () => {
      throw new Error("The store is down.");
    };
    const down = recommenderOf({ traces: { export: broken } });
    for (const looks of [1, 2]) {
      expect(await down.recommender.fresh()).toMatchObject({
        costWeight: 0.2,
        basis: "default",
        requests: null,
      });
      expect(down.seen.looks).toBe(looks);
    }
  });
});
