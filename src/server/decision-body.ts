import type { Candidate, Decision } from "../router/decision.js";
import { ulidOf } from "./request-id.js";
import type { DecisionBody } from "./schemas/decision.js";

export interface DecisionEnvelope {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

/** A decision in the form of API §2. */
export function decisionBody(decision: Decision, { requestId, createdMs }: DecisionEnvelope): DecisionBody {
  return {
    id: `route-${ulidOf(requestId)}`,
    object: "router.decision",
    created: Math.floor(createdMs / 1000),
    model: decision.selectedModel,
    choices: [],
    usage: null,
    request_id: requestId,
    routing: routingBody(decision),
  };
}

/** The `routing` object, its figures rounded far below what they are worth: half the text, and half the time to write it. */
export function routingBody(decision: Decision): DecisionBody["routing"] {
  const { embed, search, score, total } = decision.timingsMs;
  return {
    selected_model: decision.selectedModel,
    selected_provider: decision.selectedProvider,
    expected_quality: figure(decision.expectedQuality),
    expected_error: figure(1 - decision.expectedQuality),
    expected_cost_usd: dollars(decision.expectedCostUsd),
    cost_adjusted_score: figure(decision.score),
    cost_weight: decision.costWeight,
    confidence: figure(decision.confidence),
    reason: decision.reason,
    all_scores: Object.fromEntries(decision.candidates.map(({ model, score }) => [model, figure(score)])),
    candidates: decision.candidates.map(candidateBody),
    excluded: decision.excluded.map(({ model, reason }) => ({ model, reason })),
    nearest_similarity: figure(decision.nearestSimilarity),
    profile_version: decision.profileVersion,
    timings_ms: {
      embed: rounded(embed),
      search: rounded(search),
      score: rounded(score),
      total: rounded(total),
    },
  };
}

function candidateBody(candidate: Candidate): DecisionBody["routing"]["candidates"][number] {
  return {
    model: candidate.model,
    provider: candidate.provider,
    expected_quality: figure(candidate.expectedQuality),
    quality_stderr: figure(candidate.qualityStderr),
    expected_cost_usd: dollars(candidate.expectedCostUsd),
    score: figure(candidate.score),
    evidence: figure(candidate.evidence),
  };
}

/** Qualities, scores and their like: six decimals. */
const figure = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Costs of a request: a hundredth of a nano-dollar. */
const dollars = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 1e11) / 1e11;

/** Timings: a tenth of a microsecond. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 10_000) / 10_000;
