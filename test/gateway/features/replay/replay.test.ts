import { describe, expect, it } from "vitest";
import type { Decision, RouteRequest } from "../../../../src/engine/router/decision.js";
import type { Router } from "../../../../src/engine/router/router.js";
import { SextantError } from "../../../../src/foundation/errors.js";
import { seededRandom } from "../../../../src/foundation/random.js";
import { AnswerCosts } from "../../../../src/gateway/features/replay/answer-costs.js";
import {
  type PastRequest,
  Replay,
  type ReplayRouter,
} from "../../../../src/gateway/features/replay/replay.js";

/** Three models, each expected to cost ten times the one before. */
const EXPECTED_USD: Readonly<Record<string, number>> = { small: 0.001, medium: 0.01, large: 0.1 };
const QUALITY: Readonly<Record<string, number>> = { small: 0.6, medium: 0.8, large: 0.9 };
const STDERR = 0.03;

/** Chooses `large` below .3, `medium` below .7, then `small`; longer prompts cost more. */
function plantedRouter(): ReplayRouter {
  const decide = ({ messages, models = [], costWeight = 0 }: RouteRequest): Decision => {
    const text = messages[0]?.content as string;
    if (text === "refused") throw new SextantError("insufficient_models", "too few");
    const model = costWeight < 0.3 ? "large" : costWeight < 0.7 ? "medium" : "small";
    const candidates = models.map((name) => ({
      model: name,
      expectedQuality: QUALITY[name] as number,
      qualityStderr: STDERR,
      expectedCostUsd: (EXPECTED_USD[name] as number) * text.length,
    }));
    const selected = candidates.find((candidate) => candidate.model === model);
    return {
      candidates,
      selectedModel: model,
      expectedQuality: selected?.expectedQuality,
      expectedCostUsd: selected?.expectedCostUsd,
    } as unknown as Decision;
  };
  return {
    profileVersion: "planted@1",
    profiles: () =>
      Object.keys(QUALITY).map((model) => ({ model })) as unknown as ReturnType<Router["profiles"]>,
    liveModels: () => Object.keys(QUALITY),
    prepareMany: async (requests) => {
      requests.forEach(decide);
      return requests.map((request) => ({ decideAt: (costWeight) => decide({ ...request, costWeight }) }));
    },
  };
}

const CANDIDATES = Object.keys(QUALITY);

/** Traffic of which a share went to each model, billed at that many times what is expected. */
function traffic(
  seed: number,
  { count = 600, billing }: { count?: number; billing: Record<string, number> },
) {
  const random = seededRandom(seed);
  const noise = () => Math.exp(0.8 * (random() + random() + random() - 1.5));
  const requests = Array.from({ length: count }, (): PastRequest => {
    const model = random() < 0.5 ? "large" : random() < 0.6 ? "medium" : "small";
    const text = "x".repeat(1 + Math.floor(20 * random()));
    const expected = (EXPECTED_USD[model] as number) * text.length;
    return {
      messages: [{ role: "user", content: text }],
      model,
      candidates: CANDIDATES,
      promptTokens: 5,
      feedback: null,
      costUsd: expected * (billing[model] as number) * noise(),
    };
  });
  /** What all of it would have been billed at one model. */
  const truth = (model: string): number => {
    const usdPerCharacter = (EXPECTED_USD[model] as number) * (billing[model] as number);
    const costs = requests.map(({ messages, model: own, costUsd }) =>
      own === model
        ? (costUsd as number)
        : usdPerCharacter * (messages[0]?.content?.length as number) * noise(),
    );
    return costs.reduce((sum, cost) => sum + cost, 0);
  };
  return { requests, truth };
}

async function replayed(requests: readonly PastRequest[], costWeights = [0, 0.5, 1]) {
  const replay = new Replay(plantedRouter(), { costWeights });
  await replay.add(requests);
  return replay.summary();
}

const isWithin = (interval: { low: number; high: number } | null | undefined, value: number): boolean =>
  interval != null && interval.low <= value && value <= interval.high;

describe("Replay", () => {
  it("chooses among all models that can be run where a trace does not have all candidates", async () => {
    const request: PastRequest = {
      messages: [{ role: "user", content: "hello" }],
      model: "large",
      costUsd: 1,
      promptTokens: null,
      candidates: null,
      feedback: null,
    };
    const replay = new Replay(plantedRouter(), {
      costWeights: [0, 0.5],
      canRun: (model) => model !== "medium",
    });
    await replay.add([request]);
    const { reports, skipped } = await replay.summary();
    expect(skipped).toEqual({ undecidable: 0 });
    expect(reports[0]).toMatchObject({ requests: 1, changed: 0 });
  });

  it("finds what is billed and expected when nothing changes", async () => {
    const { requests } = traffic(1, { billing: { small: 1, medium: 1, large: 1 } });
    const large = requests.filter(({ model }) => model === "large");
    const [report] = (await replayed(large, [0])).reports;
    const actual = large.reduce((sum, { costUsd }) => sum + (costUsd as number), 0);
    expect(report).toMatchObject({ requests: large.length, changed: 0, moves: [] });
    expect(report?.spend.predictedUsd.value).toBeCloseTo(actual, 9);
    // Whichever requests are drawn: the same ones are compared.
    for (const bound of Object.values(report?.spend.change ?? {})) expect(bound).toBeCloseTo(0, 9);
    expect(report?.quality.change.value).toBe(0);
  });

  it("predicts what other choices are billed, from answers longer than expected", async () => {
    const models = ["large", "medium", "small"] as const;
    const cells: { covered: boolean; coveredChange: boolean; error: number }[] = [];
    for (let seed = 0; seed < 12; seed++) {
      // Each model's answers are billed otherwise than expected, by up to a factor of two.
      const random = seededRandom(1000 + seed);
      const billing = Object.fromEntries(
        models.map((model) => [model, 1.5 * Math.exp(1.2 * (random() - 0.5))]),
      );
      const { requests, truth } = traffic(seed, { billing });
      const { reports } = await replayed(requests);
      for (const [at, model] of models.entries()) {
        const { predictedUsd: predicted, change, actualUsd = 0 } = reports[at]?.spend ?? {};
        const real = truth(model);
        cells.push({
          covered: isWithin(predicted, real),
          coveredChange: isWithin(change, real / actualUsd - 1),
          error: Math.abs((predicted?.value ?? 0) / real - 1),
        });
      }
    }
    const errors = cells.map(({ error }) => error).sort((left, right) => left - right);
    expect(cells.filter(({ covered }) => covered).length / cells.length).toBeGreaterThan(0.9);
    expect(cells.filter(({ coveredChange }) => coveredChange).length / cells.length).toBeGreaterThan(0.9);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.06);
  });

  it("contains what is not known of the models on those prompts in the interval of the quality", async () => {
    const { requests } = traffic(3, { count: 1000, billing: { small: 1, medium: 1, large: 1 } });
    const large = requests.filter(({ model }) => model === "large");
    const change = (await replayed(large, [1])).reports[0]?.quality.change;
    expect(change?.value).toBeCloseTo(-0.3, 9);
    // Two models, each with its error, whatever the number of requests.
    expect((change?.high ?? 0) - (change?.low ?? 0)).toBeCloseTo(2 * 1.96 * STDERR * Math.SQRT2, 6);
  });

  it("leaves out what cannot be decided, and decides the rest", async () => {
    const { requests } = traffic(4, { count: 10, billing: { small: 1, medium: 1, large: 1 } });
    const [first] = requests as [PastRequest];
    const refused = { ...first, messages: [{ role: "user" as const, content: "refused" }] };
    const unknown = { ...first, model: "nobody's" };
    const alone = { ...first, candidates: [] };
    const { reports, skipped } = await replayed([refused, ...requests, unknown, alone]);
    expect([reports[0]?.requests, skipped.undecidable]).toEqual([10, 3]);
  });

  it("compares clients' scores with what was expected", async () => {
    const { requests } = traffic(5, { count: 50, billing: { small: 1, medium: 1, large: 1 } });
    const rated = requests.map((request, index) => ({ ...request, feedback: index < 10 ? 0.5 : null }));
    const expected = rated.slice(0, 10).reduce((sum, { model }) => sum + (QUALITY[model] as number), 0) / 10;
    expect((await replayed(rated)).feedback).toEqual({
      requests: 10,
      mean: 0.5,
      expected: expect.closeTo(expected, 9),
    });
  });
});

describe("AnswerCosts", () => {
  const answers = (model: string, count: number, ratio: number) =>
    Array.from({ length: count }, () => ({ model, billedUsd: ratio, expectedUsd: 1 }));

  it("takes a model's own ratio where many of its answers were billed, and that of all where none was", () => {
    const bills = [answers("a", 1000, 2), answers("b", 1000, 1), answers("c", 1000, 3)];
    const costs = new AnswerCosts(bills.flat());
    expect(costs.ratioOf("a")).toBeCloseTo(2, 1);
    expect(costs.ratioOf("b")).toBeCloseTo(1, 1);
    expect(costs.ratioOf("new")).toBe(2);
    const errorOf = (model: string, usd: number) => costs.errorsOf(new Map([[model, usd]]));
    expect(errorOf("new", 1).above).toBeGreaterThan(1);
    expect(errorOf("a", 1).above).toBeLessThan(0.2);
    // Never below nothing; what is saved is not more than nothing.
    expect(errorOf("new", 1).below).toBeGreaterThan(-1);
    expect(errorOf("new", -1).above).toBeLessThan(1);
  });
});
