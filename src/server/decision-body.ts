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

/** The `routing` object. Figures are exact; only the timings are rounded, to a tenth of a microsecond. */
export function routingBody(decision: Decision): DecisionBody["routing"] {
  const { embed, search, score, total } = decision.timingsMs;
  return {
    selected_model: decision.selectedModel,
    selected_provider: decision.selectedProvider,
    expected_quality: decision.expectedQuality,
    expected_error: 1 - decision.expectedQuality,
    expected_cost_usd: decision.expectedCostUsd,
    cost_adjusted_score: decision.score,
    cost_weight: decision.costWeight,
    confidence: decision.confidence,
    reason: decision.reason,
    all_scores: Object.fromEntries(decision.candidates.map(({ model, score }) => [model, score])),
    candidates: decision.candidates.map(candidateBody),
    excluded: decision.excluded.map(({ model, reason }) => ({ model, reason })),
    nearest_similarity: decision.nearestSimilarity,
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
    expected_quality: candidate.expectedQuality,
    quality_stderr: candidate.qualityStderr,
    expected_cost_usd: candidate.expectedCostUsd,
    score: candidate.score,
    evidence: candidate.evidence,
  };
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10_000) / 10_000;
