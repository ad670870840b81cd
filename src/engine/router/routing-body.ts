import type { Exclusion } from "./candidate.js";
import type { CostWeightMeaning } from "./cost-weight.js";
import type {
  Candidate,
  CandidateParts,
  DecidingAnchor,
  Decision,
  PromptReading,
  Stickiness,
} from "./decision.js";
import type { Explored } from "./exploration.js";

/** A decision as clients and traces see it: the `routing` object of the API. `api/routing.ts` has its schema. */
export type RoutingBody = Readonly<ReturnType<typeof routingBody>>;

/** Of the best that are shown of a choice among all models, beside the selected one. */
const SHOWN_CANDIDATES = 8;
/** Between candidates that are taken from the Pareto frontier, from its one end to the other. */
const FRONTIER_STEPS = 4;

export interface RoutingBodyOptions {
  /** `best`: the selected candidate and the best eight, where there may be hundreds; see `bestOf`. */
  readonly candidates: "best" | "all";
  /** The preset that the request named, if any. */
  readonly preset?: string | undefined;
  /** The model whose effort alone was chosen. */
  readonly effortOf?: string | undefined;
  /** Most tokens of an answer, where the request limits them. */
  readonly maxTokens?: number | undefined;
  /** What the reason says besides, as a clause. */
  readonly note?: string | undefined;
}

/** The `routing` object, with figures rounded well below their standard errors: half the size, and half the time to serialise. */
export function routingBody(
  decision: Decision,
  { candidates, preset, effortOf, maxTokens, note }: RoutingBodyOptions = { candidates: "all" },
) {
  const { embed, search, score, total } = decision.timingsMs;
  const shown = candidates === "all" ? decision.candidates : bestOf(decision.candidates);
  return {
    selected_model: decision.selectedModel,
    selected_provider: decision.selectedProvider,
    expected_quality: figure(decision.expectedQuality),
    expected_error: figure(1 - decision.expectedQuality),
    expected_cost_usd: dollars(decision.expectedCostUsd),
    expected_answer_tokens: tokens(decision.expectedAnswerTokens),
    cost_adjusted_score: figure(decision.score),
    cost_weight: decision.costWeight,
    ...(preset !== undefined && { preset }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    confidence: figure(decision.confidence),
    ...(effortOf !== undefined && { effort_saved_usd: savedByEffort(decision, effortOf) }),
    reason: note === undefined ? decision.reason : `${decision.reason}; ${note}`,
    ...(decision.exploration !== null && { exploration: explorationBody(decision.exploration) }),
    all_scores: Object.fromEntries(shown.map(({ model, score }) => [model, figure(score)])),
    candidates: shown.map(candidateBody),
    candidates_total: decision.candidates.length,
    candidates_placed: placedAmong(decision.candidates),
    ...(decision.anchors !== undefined && { anchors: decision.anchors.map(anchorBody) }),
    ...(decision.prompt !== undefined && { prompt: promptBody(decision.prompt) }),
    ...(decision.meaning !== undefined && { cost_weight_meaning: meaningBody(decision.meaning) }),
    excluded: exclusionBodies(decision.excluded),
    nearest_similarity: figure(decision.nearestSimilarity),
    out_of_distribution: decision.outOfDistribution,
    ...stickyBody(decision.sticky),
    profile_version: decision.profileVersion,
    timings_ms: {
      embed: rounded(embed),
      search: rounded(search),
      score: rounded(score),
      total: rounded(total),
    },
  };
}

/** What the chosen effort is expected to cost less than the model's default; null where that is not known. */
function savedByEffort({ candidates, expectedCostUsd }: Decision, effortOf: string): number | null {
  const usual = candidates.find(({ model }) => model === effortOf)?.expectedCostUsd ?? null;
  return usual === null || expectedCostUsd === null ? null : dollars(usual - expectedCostUsd);
}

function placedAmong(candidates: readonly Candidate[]): number {
  let placed = 0;
  for (const { basis } of candidates) if (basis === "placed") placed += 1;
  return placed;
}

/**
 * The selected one, the best eight by score, and what a choice is to be compared with: the cheapest, the one of highest expected
 * quality, and others of the Pareto frontier between them. Some microseconds for 300.
 *
 * @param candidates the selected one first, then by score
 * @returns in that order
 */
function bestOf(candidates: readonly Candidate[]): readonly Candidate[] {
  const shown = candidates.slice(0, SHOWN_CANDIDATES + 1);
  if (shown.length === candidates.length) return candidates;
  const frontier = frontierOf(candidates);
  const steps = Array.from({ length: FRONTIER_STEPS + 1 }, (_, step) =>
    Math.round((step * (frontier.length - 1)) / FRONTIER_STEPS),
  );
  const others = new Set(steps.map((step) => frontier[step] ?? 0).filter((at) => at > SHOWN_CANDIDATES));
  return [...shown, ...[...others].sort((a, b) => a - b).map((at) => candidates[at] as Candidate)];
}

/** Those that no other one beats on both quality and cost, the cheapest first. */
function frontierOf(candidates: readonly Candidate[]): number[] {
  const frontier: number[] = [];
  const costs: number[] = [];
  const qualities: number[] = [];
  for (let at = 0; at < candidates.length; at++) {
    const { expectedCostUsd: cost, expectedQuality: quality } = candidates[at] as Candidate;
    if (cost === null) continue;
    // Costs rise along the frontier, and so do qualities.
    let place = costs.length;
    while (place > 0 && (costs[place - 1] as number) > cost) place -= 1;
    if (!(quality > (qualities[place - 1] ?? -1))) continue;
    let end = place;
    while (end < costs.length && (qualities[end] as number) <= quality) end += 1;
    frontier.splice(place, end - place, at);
    costs.splice(place, end - place, cost);
    qualities.splice(place, end - place, quality);
  }
  return frontier;
}

const anchorBody = ({ id, source, similarity, weight }: DecidingAnchor) => ({
  id,
  source,
  similarity: figure(similarity),
  weight: figure(weight),
});

const promptBody = (prompt: PromptReading) => ({
  tokens: prompt.tokens,
  difficulty: prompt.difficulty === null ? null : figure(prompt.difficulty),
  kinds: prompt.kinds,
  asked_tokens: prompt.askedTokens === null ? null : tokens(prompt.askedTokens),
  visible_tokens: prompt.visibleTokens === null ? null : tokens(prompt.visibleTokens),
});

/** What a cost weight means in dollars, as the API has it. */
export const meaningBody = (meaning: CostWeightMeaning | null) =>
  meaning && {
    mean_cost_usd: dollars(meaning.meanCostUsd),
    usd_per_point: Number.isFinite(meaning.usdPerPoint) ? dollars(meaning.usdPerPoint) : null,
  };

const partsBody = (parts: CandidateParts) => ({
  set: parts.set,
  ...(parts.predecessor !== null && { predecessor: parts.predecessor }),
  visible_tokens: tokens(parts.visibleTokens),
  nearby_ratio: figure(parts.nearbyRatio),
  model_ratio: figure(parts.modelRatio),
  hidden_tokens: tokens(parts.hiddenTokens),
  hidden_tokens_medium: tokens(parts.hiddenTokensMedium),
  difficulty_factor: figure(parts.difficultyFactor),
  length_correction: figure(parts.lengthCorrection),
  bill_ratio: figure(parts.billRatio),
  bill_source: parts.billSource,
  agent_task: parts.agentTask && { usd: figure(parts.agentTask.usd) },
  input_usd_per_mtok: parts.price?.inputUsdPerMtok ?? null,
  output_usd_per_mtok: parts.price?.outputUsdPerMtok ?? null,
});

const explorationBody = ({ explored, probability, preferredModel }: Explored) => ({
  explored,
  probability: figure(probability),
  preferred_model: preferredModel,
});

/** What became of the model of the conversation; absent for a request that continues none. */
interface StickyBody {
  readonly sticky?: {
    readonly kept: boolean;
    readonly previous_model: string;
    readonly reason: Stickiness["reason"];
    readonly saved_usd: number | null;
  };
}

const stickyBody = (sticky: Stickiness | undefined): StickyBody =>
  sticky === undefined
    ? {}
    : {
        sticky: {
          kept: sticky.kept,
          previous_model: sticky.previousModel,
          reason: sticky.reason,
          saved_usd: dollars(sticky.savedUsd),
        },
      };

type ExclusionBody = ReturnType<typeof exclusionBody>;

const bodies = new WeakMap<readonly Exclusion[], readonly ExclusionBody[]>();

/** Cached per list: decisions among all models share their list of exclusions. */
function exclusionBodies(excluded: readonly Exclusion[]): readonly ExclusionBody[] {
  const made = bodies.get(excluded) ?? excluded.map(exclusionBody);
  bodies.set(excluded, made);
  return made;
}

export const exclusionBody = ({ model, reason, param, retiredAt }: Exclusion) => ({
  model,
  reason,
  ...(param === undefined ? {} : { param }),
  ...(retiredAt === undefined ? {} : { retired_at: retiredAt }),
});

const written = new WeakMap<RoutingBody, string>();

/**
 * The object as JSON. Cached, because the reply and the trace of a request both need it and serialising sixty numbers
 * is one of the most expensive steps of a request. The object must not change afterwards.
 */
export function routingJson(routing: RoutingBody): string {
  let json = written.get(routing);
  if (json === undefined) {
    json = JSON.stringify(routing);
    written.set(routing, json);
  }
  return json;
}

const candidateBody = (candidate: Candidate) => ({
  model: candidate.model,
  provider: candidate.provider,
  expected_quality: figure(candidate.expectedQuality),
  quality_stderr: figure(candidate.qualityStderr),
  expected_cost_usd: dollars(candidate.expectedCostUsd),
  score: figure(candidate.score),
  evidence: figure(candidate.evidence),
  basis: candidate.basis,
  effort: candidate.effort,
  expected_answer_tokens: tokens(candidate.answerTokens.expected),
  expected_reasoning_tokens: tokens(candidate.answerTokens.reasoning),
  expected_cost_p90_usd: dollars(candidate.highCostUsd),
  ...(candidate.successProbability !== undefined && {
    success_probability: figure(candidate.successProbability),
  }),
  ...(candidate.expectedMs !== undefined && {
    expected_latency_ms: Number.isNaN(candidate.expectedMs) ? null : Math.round(candidate.expectedMs),
  }),
  ...(candidate.parts !== undefined && { parts: partsBody(candidate.parts) }),
});

/** Qualities, scores and similar figures: six decimals. */
const figure = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Costs of a request: a hundredth of a nano-dollar. */
const dollars = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 1e11) / 1e11;

/** Lengths: a tenth of a token. */
const tokens = (value: number): number => Math.round(value * 10) / 10;

/** Timings: a tenth of a microsecond. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 10_000) / 10_000;
