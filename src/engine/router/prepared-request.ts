import { SextantError } from "../../foundation/errors.js";
import type { PromptFacts } from "../estimation/evidence.js";
import { continueConversation } from "./continue-conversation.js";
import { tradeOffAt } from "./cost-weight.js";
import { decide } from "./decide.js";
import type { Decision, RouteRequest } from "./decision.js";
import { effortReason } from "./effort-reason.js";
import type { Estimates } from "./estimates.js";
import type { Choice } from "./explanation.js";
import type { LiveModels } from "./live-models.js";
import { latenciesOf, latencyReason, withinLimits } from "./request-limits.js";
import { type Screening, screenCandidates } from "./screening.js";
import type { Found } from "./search-sets.js";
import type { Snapshot } from "./snapshot.js";

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
  /** At the request's own cost weight. */
  readonly screening: Screening;
  readonly live: LiveModels;
  readonly prompt: PromptFacts;
  readonly embedMs: number;
  readonly clock: () => number;
}

/** What is known on one side: at cost weight 0, or above it, where the candidates are those with a price. */
interface Side {
  screening: Screening | undefined;
  estimates: Estimates | undefined;
}

export function prepareRequest(
  snapshot: Snapshot,
  vector: Float32Array,
  { request, screening: own, live, prompt, embedMs, clock }: PrepareOptions,
): PreparedRequest {
  const isWeighed = (request.costWeight ?? 0) > 0;
  const free: Side = { screening: isWeighed ? undefined : own, estimates: undefined };
  const weighed: Side = { screening: isWeighed ? own : undefined, estimates: undefined };
  let found: Found | undefined;
  return {
    decideAt(costWeight) {
      const side = costWeight > 0 ? weighed : free;
      side.screening ??= screenCandidates({ ...request, costWeight }, snapshot, live);
      const tradeOff = tradeOffAt(costWeight);
      const searchStarted = clock();
      const near = found ?? snapshot.search(vector, prompt);
      found = near;
      const scoreStarted = clock();
      const { screening, estimates } = estimatedOn(side, { snapshot, near, request });
      const penalty = latenciesOf(screening, estimates, request)?.penalty;
      const options = { tradeOff, pairedCorrelation: snapshot.pairedCorrelation, penalty };
      const { previous, exploration } = request;
      // A conversation is not used to try another model: its model has the prompt cached, and may be in a tool loop.
      const { verdict, sticky, reason } =
        previous === undefined
          ? { verdict: decide(estimates, { ...options, exploration }) }
          : continueConversation(estimates, { ...screening, previous }, options);
      const ended = clock();
      const { selected } = verdict;
      // What was found is large, and nothing is left to be estimated from it.
      if (free.estimates !== undefined && weighed.estimates !== undefined) found = { ...near, evidence: [] };
      return {
        selectedModel: selected.model,
        selectedProvider: selected.provider,
        expectedQuality: selected.expectedQuality,
        expectedCostUsd: selected.expectedCostUsd,
        expectedAnswerTokens: selected.answerTokens.expected,
        score: selected.score,
        costWeight,
        confidence: verdict.confidence,
        reason: `${reason ?? verdict.reason}${effortReason(verdict, costWeight)}${latencyReason(request, selected.expectedMs)}${near.outOfDistribution ? "; no evidence near this prompt" : ""}`,
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

interface Timing {
  readonly snapshot: Snapshot;
  readonly near: Found;
  readonly request: RouteRequest;
}

type Estimated = { readonly screening: Screening; readonly estimates: Estimates };

/** The estimates of the side's candidates, of whom those that keep to the request's limits are left from then on. */
function estimatedOn(side: Side, { snapshot, near, request }: Timing): Estimated {
  const screening = side.screening as Screening;
  if (side.estimates !== undefined) return { screening, estimates: side.estimates };
  const estimates = snapshot.estimate(near, screening);
  side.estimates = estimates;
  if (request.maxLatency === undefined && request.latencyWeight === undefined && request.caps === undefined)
    return { screening, estimates };
  const kept = withinLimits(screening, estimates, request);
  const ofKept = kept === screening ? estimates : snapshot.estimate(near, kept);
  const { expectedMs } = latenciesOf(kept, ofKept, request) ?? {};
  side.screening = kept;
  side.estimates = expectedMs === undefined ? ofKept : { ...ofKept, expectedMs };
  return { screening: kept, estimates: side.estimates };
}

const STEPS = 100;

/** The chosen model at each cost weight: one entry per change, in steps of a hundredth. */
export function choicesOf(request: PreparedRequest): readonly Choice[] {
  const choices: Choice[] = [];
  for (let step = 0; step <= STEPS; step++) {
    const decision = decisionAt(request, step / STEPS);
    if (decision === undefined || decision.selectedModel === choices.at(-1)?.model) continue;
    const { selectedModel: model, expectedQuality, expectedCostUsd } = decision;
    choices.push({ fromCostWeight: step / STEPS, model, expectedQuality, expectedCostUsd });
  }
  return choices;
}

/** Undefined when too few models have a price to compare. */
function decisionAt(request: PreparedRequest, costWeight: number): Decision | undefined {
  try {
    return request.decideAt(costWeight);
  } catch (fault) {
    if (fault instanceof SextantError && fault.code === "insufficient_models") return undefined;
    throw fault;
  }
}
