import type { PromptFacts } from "../estimation/evidence.js";
import { continueConversation } from "./continue-conversation.js";
import { decide } from "./decide.js";
import type { Decision, RouteRequest } from "./decision.js";
import { effortReason } from "./effort-reason.js";
import type { Estimates } from "./estimates.js";
import type { LiveModels } from "./live-models.js";
import { type Screening, screenCandidates } from "./screening.js";
import type { Found, Snapshot } from "./snapshot.js";

/**
 * A request whose prompt is embedded. It is searched for once, and candidates are screened and estimated once for cost weight 0 and once
 * for those above it: a further decision costs the comparison alone.
 */
export interface PreparedRequest {
  /** As `Router.route` decides at that cost weight. @throws SextantError `insufficient_models` where too few candidates have a price */
  decideAt(costWeight: number): Decision;
}

interface PrepareOptions {
  readonly request: RouteRequest;
  readonly screeningAt: ScreeningAt;
  readonly prompt: PromptFacts;
  readonly embedMs: number;
  readonly clock: () => number;
}

/** The candidates at a cost weight: above 0, those with a price. */
export type ScreeningAt = (costWeight: number) => Screening;

export function screeningOf(request: RouteRequest, snapshot: Snapshot, live: LiveModels): ScreeningAt {
  const screenings: { free?: Screening; weighed?: Screening } = {};
  return (costWeight) => {
    const side = costWeight > 0 ? "weighed" : "free";
    screenings[side] ??= screenCandidates({ ...request, costWeight }, snapshot, live);
    return screenings[side];
  };
}

export function prepareRequest(
  snapshot: Snapshot,
  vector: Float32Array,
  { request, screeningAt, prompt, embedMs, clock }: PrepareOptions,
): PreparedRequest {
  const estimated = new Map<Screening, Estimates>();
  let found: Found | undefined;
  const estimatesOf = (near: Found, screening: Screening): Estimates => {
    const estimates = estimated.get(screening) ?? snapshot.estimate(near, screening);
    estimated.set(screening, estimates);
    // What was found is large, and nothing is left to be estimated from it.
    if (estimated.size === 2) found = { ...near, evidence: [] };
    return estimates;
  };
  return {
    decideAt(costWeight) {
      const screening = screeningAt(costWeight);
      // Ahead of what is timed: the first one above 0 calibrates.
      const tradeOff = snapshot.costWeight.tradeOffAt(costWeight);
      const searchStarted = clock();
      const near = found ?? snapshot.search(vector, prompt);
      found = near;
      const scoreStarted = clock();
      const estimates = estimatesOf(near, screening);
      const options = { tradeOff, pairedCorrelation: snapshot.pairedCorrelation };
      const { previous, exploration } = request;
      // A conversation is not used to try another model: its model has the prompt cached, and may be in a tool loop.
      const { verdict, sticky, reason } =
        previous === undefined
          ? { verdict: decide(estimates, { ...options, exploration }) }
          : continueConversation(estimates, { ...screening, previous }, options);
      const ended = clock();
      const { selected } = verdict;
      return {
        selectedModel: selected.model,
        selectedProvider: selected.provider,
        expectedQuality: selected.expectedQuality,
        expectedCostUsd: selected.expectedCostUsd,
        expectedAnswerTokens: selected.answerTokens.expected,
        score: selected.score,
        costWeight,
        confidence: verdict.confidence,
        reason: `${reason ?? verdict.reason}${effortReason(selected, verdict.otherEffort)}${near.outOfDistribution ? "; no evidence near this prompt" : ""}`,
        exploration: verdict.exploration,
        get candidates() {
          return verdict.candidates;
        },
        excluded: screening.excluded,
        nearestSimilarity: near.nearestSimilarity,
        outOfDistribution: near.outOfDistribution,
        ...(sticky === undefined ? {} : { sticky }),
        profileVersion: snapshot.version,
        timingsMs: {
          embed: embedMs,
          search: scoreStarted - searchStarted,
          score: ended - scoreStarted,
          total: embedMs + ended - searchStarted,
        },
      };
    },
  };
}
