import { describe, expect, it } from "vitest";
import type { Candidate, Decision } from "../../../src/engine/router/decision.js";
import { routingBody } from "../../../src/engine/router/routing-body.js";
import { candidateOf } from "./candidate-of.js";

const decisionAmong = (candidates: readonly Candidate[]): Decision => ({
  selectedModel: candidates[0]?.model ?? "",
  selectedProvider: null,
  expectedQuality: 0.5,
  expectedCostUsd: 0.001,
  expectedAnswerTokens: 200,
  score: 0.5,
  costWeight: 0.2,
  confidence: 0.6,
  reason: "best trade",
  exploration: null,
  candidates,
  excluded: [],
  nearestSimilarity: 0.5,
  outOfDistribution: false,
  profileVersion: "v1",
  timingsMs: { embed: 0, search: 0, score: 0, total: 0 },
});

const many = Array.from({ length: 300 }, (_, index) => candidateOf(`m${index}`, { score: 1 - index / 1000 }));
/** As `many`, in which every second one is the effort `high` of the one before. */
const efforts = Array.from({ length: 300 }, (_, at) => {
  const [model, effort] = at % 2 === 0 ? [`m${at}`, null] : [`m${at - 1}:high`, "high"];
  const basis = at < 100 ? "measured" : "placed";
  return candidateOf(model, { effort, basis, score: 1 - at / 1000, expectedCostUsd: 0.001 + at / 1e5 });
});
const names = (candidates: readonly { readonly model: string }[]) => candidates.map(({ model }) => model);

describe("The `routing` of a decision", () => {
  it("has the best of different models among hundreds, with their numbers, or all where they were asked for", () => {
    const body = routingBody(decisionAmong(efforts), { candidates: "best" });
    expect(names(body.candidates)).toEqual(names(efforts.slice(0, 9)));
    expect(Object.keys(body.all_scores)).toEqual(names(body.candidates));
    expect([body.candidates_total, body.candidates_placed]).toEqual([300, 200]);
    expect(JSON.stringify(body).length).toBeLessThan(3200);
    const all = routingBody(decisionAmong(many), { candidates: "all" });
    expect([all.candidates.length, Object.keys(all.all_scores).length]).toEqual([300, 300]);
  });

  it("has the selected one and the best eight where a worse one was kept", () => {
    const kept = many[40] as Candidate;
    const others = many.filter((each) => each !== kept);
    const body = routingBody(decisionAmong([kept, ...others]), { candidates: "best" });
    expect(names(body.candidates)).toEqual([kept.model, ...names(others.slice(0, 8))]);
  });

  it("has the cheapest, the one of highest quality, which savings are compared with, and the frontier between", () => {
    const [cheap, middle, dear] = (
      [
        ["cheap", 0.1, 0.0001],
        ["middle", 0.9, 0.01],
        ["dear", 1, 0.1],
      ] as const
    ).map(([model, expectedQuality, expectedCostUsd], at) =>
      candidateOf(model, { score: -at, expectedQuality, expectedCostUsd }),
    ) as [Candidate, Candidate, Candidate];
    const beaten = candidateOf("beaten", { score: -4, expectedQuality: 0.85, expectedCostUsd: 0.05 });
    const unpriced = candidateOf("unpriced", { score: -5, expectedCostUsd: null });
    const all = [...many, cheap, middle, dear, beaten, unpriced];
    const body = routingBody(decisionAmong(all), { candidates: "best" });
    expect(names(body.candidates)).toEqual([...names(many.slice(0, 9)), "cheap", "middle", "dear"]);
  });

  it("names the preset that the request named, before anything that a client chose the name of", () => {
    const decision = decisionAmong([candidateOf("a")]);
    const named = JSON.stringify(routingBody(decision, { candidates: "all", preset: "support" }));
    expect(named.indexOf('"preset":"support"')).toBeLessThan(named.indexOf('"all_scores"'));
    expect(named).toContain('"preset":"support"');
    expect(routingBody(decision, { candidates: "all" })).not.toHaveProperty("preset");
  });
});
