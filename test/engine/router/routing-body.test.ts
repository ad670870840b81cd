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
const names = (candidates: readonly { readonly model: string }[]) => candidates.map(({ model }) => model);

describe("The `routing` of a decision", () => {
  it("has the best eight of hundreds of candidates, with their number, or all where they were asked for", () => {
    const body = routingBody(decisionAmong(many), { candidates: "best" });
    expect(names(body.candidates)).toEqual(names(many.slice(0, 8)));
    expect(Object.keys(body.all_scores)).toEqual(names(many.slice(0, 8)));
    expect(body.candidates_total).toBe(300);
    expect(JSON.stringify(body).length).toBeLessThan(3000);
    const all = routingBody(decisionAmong(many), { candidates: "all" });
    expect([all.candidates.length, Object.keys(all.all_scores).length]).toEqual([300, 300]);
  });

  it("has the selected one and the best eight where a worse one was kept", () => {
    const kept = many[40] as Candidate;
    const others = many.filter((each) => each !== kept);
    const body = routingBody(decisionAmong([kept, ...others]), { candidates: "best" });
    expect(names(body.candidates)).toEqual([kept.model, ...names(others.slice(0, 8))]);
  });

  it("has the candidate of highest quality, which savings are compared with", () => {
    const expensive = candidateOf("expensive", { score: -0.5, expectedQuality: 1.1 });
    const body = routingBody(decisionAmong([...many, expensive]), { candidates: "best" });
    expect(names(body.candidates)).toEqual([...names(many.slice(0, 7)), "expensive"]);
  });

  it("names the preset that the request named, before anything that a client chose the name of", () => {
    const decision = decisionAmong([candidateOf("a")]);
    const named = JSON.stringify(routingBody(decision, { candidates: "all", preset: "support" }));
    expect(named.indexOf('"preset":"support"')).toBeLessThan(named.indexOf('"all_scores"'));
    expect(named).toContain('"preset":"support"');
    expect(routingBody(decision, { candidates: "all" })).not.toHaveProperty("preset");
  });
});
