import type { Candidate, Decision } from "../../engine/router/decision.js";
import type { Output } from "../context.js";
import { tableFor } from "../table.js";

export interface DecisionTableOptions {
  /** Most candidates to show. */
  readonly limit: number;
  /** What the cost weight means in dollars. */
  readonly meaning: string | null;
  readonly output: Output;
}

/** A decision for a person: candidates with what is expected of them, the chosen one marked, then those left out. */
export function decisionTable(decision: Decision, { limit, meaning, output }: DecisionTableOptions): string {
  const head = [
    "",
    "model",
    "effort",
    "provider",
    "quality",
    "basis",
    "evidence",
    "tokens (hidden)",
    "cost, p90 (USD)",
    "score",
  ];
  const shown = decision.candidates.slice(0, limit);
  const rows = shown.map((candidate) => candidateRow(candidate, decision));
  const hidden = decision.candidates.length - shown.length;
  const lines = [
    tableFor(output, { head, rows }),
    ...(hidden > 0 ? [`… and ${hidden} more candidates (--all shows them)`] : []),
    ...exclusionLines(decision.excluded, limit),
    "",
    `${decision.selectedModel}: ${decision.reason}${bestScore(decision)}`,
    ...(decision.outOfDistribution ? [NO_EVIDENCE_NEAR] : []),
    `confidence ${decision.confidence.toFixed(2)}, nearest profiled prompt ${decision.nearestSimilarity.toFixed(2)}, ` +
      `cost weight ${Number(decision.costWeight.toPrecision(3))}, decided in ${decision.timingsMs.total.toFixed(2)} ms`,
    ...(meaning === null ? [] : [meaning]),
    LEGEND,
  ];
  return lines.join("\n");
}

const LEGEND =
  "basis: measured = graded answers, placed = published scores, or else maker, date and price\n" +
  "evidence: effective number of graded answers to the profiled prompts most similar to this one\n" +
  "tokens: expected length of the answer, hidden reasoning included; p90: what nine of ten such answers cost at most";

/** Names the model with the best score where another one was selected: the next candidate. */
function bestScore({ candidates: [selected, next] }: Decision): string {
  if (selected === undefined || next === undefined || next.score <= selected.score) return "";
  return ` (best score: ${next.model}, ${next.score.toFixed(3)})`;
}

const NO_EVIDENCE_NEAR =
  "No evidence near this prompt: the graded answers counted under evidence are to prompts unlike it, and count little. Expected " +
  "qualities rest on what models do overall, and their errors are wide.";

const REASONS: Readonly<Record<Decision["excluded"][number]["reason"], string>> = {
  context_window: "prompt and answer do not fit the context window",
  images_unsupported: "cannot read images",
  tools_unsupported: "cannot call tools",
  unsupported_parameter: "cannot do what the request asks",
  unknown_price: "price unknown",
  too_slow: "slower than the limit",
  unknown_latency: "times unknown",
  not_allowed: "not allowed",
  too_expensive: "too expensive",
  no_provider: "no provider serves it",
  paused: "paused by an operator",
  retired: "retired by its vendor",
  not_served: "no provider is known to serve it",
};

/** One line a reason, with the models it left out. */
function exclusionLines(excluded: Decision["excluded"], limit: number): string[] {
  const reasons = [...new Set(excluded.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const models = excluded.filter((exclusion) => exclusion.reason === reason).map(({ model }) => model);
    const more = models.length > limit ? `, … (${models.length} models)` : "";
    return `left out, ${REASONS[reason]}: ${models.slice(0, limit).join(", ")}${more}`;
  });
}

function candidateRow(candidate: Candidate, decision: Decision): string[] {
  const selected = candidate.model === decision.selectedModel;
  return [
    selected ? "→" : "",
    candidate.model,
    candidate.effort ?? "default",
    candidate.provider ?? "–",
    `${candidate.expectedQuality.toFixed(3)} ± ${candidate.qualityStderr.toFixed(3)}`,
    candidate.basis,
    candidate.evidence.toFixed(1),
    `${candidate.answerTokens.expected.toFixed(0)} (${candidate.answerTokens.reasoning.toFixed(0)})`,
    candidate.expectedCostUsd === null
      ? "unknown"
      : `${candidate.expectedCostUsd.toPrecision(3)}, ${candidate.highCostUsd?.toPrecision(3)}`,
    candidate.score.toFixed(3),
  ];
}
