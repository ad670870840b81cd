import type { Candidate } from "../../../src/engine/router/decision.js";

/** A measured candidate of a decision; `facts` replace what a test is about. */
export const candidateOf = (model: string, facts: Partial<Candidate> = {}): Candidate => ({
  model,
  effort: null,
  provider: "acme",
  expectedQuality: 0.8,
  qualityStderr: 0.03,
  expectedCostUsd: 0.001,
  highCostUsd: 0.002,
  answerTokens: { profiled: 200, expected: 200, reasoning: 0 },
  score: 0.5,
  evidence: 10,
  basis: "measured",
  ...facts,
});
