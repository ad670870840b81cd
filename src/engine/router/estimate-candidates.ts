import type { AnchorSet, ModelBills } from "../estimation/anchor-set.js";
import { agentThinking, costAt, middlePrice, type TokenPrice, usualAgentUsd } from "../estimation/bills.js";
import type { Evidence } from "../estimation/evidence.js";
import { hiddenFactor, visibleTokens } from "../estimation/expected-tokens.js";
import { type Expectation, qualityAtEffort } from "../estimation/relatives.js";
import { type ModelFacts, ratesAt } from "./candidate.js";
import type { ProfileColumn } from "./effort-dial.js";
import { allocateEstimates, type Estimates } from "./estimates.js";
import type { Found } from "./search-sets.js";
import type { SnapshotModel } from "./snapshot-models.js";

export interface EstimateRequest {
  readonly candidates: readonly SnapshotModel[];
  readonly promptTokens: number;
  readonly maxTokens: number | undefined;
  /** See `RouteRequest.per`. */
  readonly per?: "call" | "task" | undefined;
}

/** Factor on the expected length of a model's answers, > 0. */
export type LengthRatioOf = (model: string) => number;

export const uncorrected: LengthRatioOf = () => 1;

interface EstimateContext {
  readonly sets: readonly AnchorSet[];
  readonly found: Found;
  readonly request: EstimateRequest;
  readonly lengthRatioOf: LengthRatioOf;
}

/** Estimates for all candidates. */
export function estimateCandidates({ sets, found, request, lengthRatioOf }: EstimateContext): Estimates {
  const { candidates } = request;
  const estimates = allocateEstimates(candidates);
  const { difficulty = Number.NaN } = found.prompt;
  const work: Work = {
    request,
    lengthRatioOf,
    into: estimates,
    effort: { difficulty, into: { quality: 0, stderr: 0, ownError: 0 } },
    profiled: { quality: 0, stderr: 0, ownError: 0 },
    hiddenFactor: hiddenFactor(difficulty),
    isTask: request.per === "task",
    sets: sets.map((set, setNumber) => promptInSet(set, setNumber, found)),
  };
  for (let entry = 0; entry < candidates.length; entry++) estimateModel(entry, work);
  return estimates;
}

/** What the estimates of all candidates for a prompt share. One object: one for each of hundreds of candidates would cost as much as the sums. */
interface Work {
  readonly request: EstimateRequest;
  readonly lengthRatioOf: LengthRatioOf;
  /** For efforts without a profile: the difficulty in tiers, NaN when unknown, and where the expectation of one is written. */
  readonly effort: { readonly difficulty: number; readonly into: Expectation };
  /** Where the expectation of a profile is written. */
  readonly profiled: Expectation;
  readonly hiddenFactor: number;
  readonly isTask: boolean;
  readonly sets: readonly PromptInSet[];
  readonly into: Estimates;
}

interface PromptInSet {
  readonly columns: AnchorSet["columns"];
  readonly evidence: Evidence;
  /** Visible tokens of a model of verbosity 1. */
  readonly visible: number;
  readonly agentUsd: number;
  /** 90th percentile of the length over its mean. */
  readonly highOverMean: number;
}

function promptInSet(set: AnchorSet, setNumber: number, { evidence: found, prompt }: Found): PromptInSet {
  const evidence = found[setNumber] as Evidence;
  const visible = visibleTokens(set.answerLevels, { ...prompt, answerRatio: evidence.answerRatio });
  const { columns, agentUsd } = set;
  return { columns, evidence, visible, highOverMean: highOverMean(set, evidence), agentUsd };
}

/** Writes the entry: for a model with profiles in several sets, the precision-weighted mean. */
function estimateModel(entry: number, work: Work): void {
  const { request, hiddenFactor, into } = work;
  const { model, facts, profileColumns, costKnown } = request.candidates[entry] as SnapshotModel;
  const lengthRatio = work.lengthRatioOf(model);
  const { promptTokens, maxTokens: most = Number.POSITIVE_INFINITY } = request;
  let precision = 0;
  let error = 0;
  let quality = 0;
  let effective = 0;
  let cost = 0;
  let highCost = 0;
  let profiled = 0;
  let expected = 0;
  let reasoning = 0;
  for (let at = 0; at < profileColumns.length; at++) {
    const profileColumn = profileColumns[at] as ProfileColumn;
    const { set, column, derived } = profileColumn;
    const { columns, evidence, visible, highOverMean, agentUsd } = work.sets[set] as PromptInSet;
    const { quality: own, stderr, ownError } = expectationOf(profileColumn, evidence, work);
    const thinkingTokens = derived?.thinkingTokens ?? (columns.thinkingTokens[column] as number);
    const weight = 1 / (stderr * stderr);
    const hidden = thinkingTokens * hiddenFactor;
    const whole = hidden + visible * (columns.verbosity[column] as number);
    const answerTokens = Math.min(whole * lengthRatio, most);
    precision += weight;
    error += weight * ownError;
    quality +=
      weight * own * chanceOfAnAnswer(hidden * lengthRatio, most) * (columns.success[column] as number);
    effective += evidence.effective[column] as number;
    profiled += weight * Math.min(whole, most);
    expected += weight * answerTokens;
    reasoning += weight * Math.min(hidden * lengthRatio, most);
    const bills = columns.bills[column] as ModelBills;
    const price = priceOf(facts, bills, promptTokens);
    if (price === null) continue;
    const task = work.isTask ? agentTaskUsd(price, { columns, column, thinkingTokens, usual: agentUsd }) : 0;
    if (task > 0) {
      cost += weight * task;
      highCost += weight * task * highOverMean;
      continue;
    }
    const bill = evidence.billRatio[column] as number;
    const highTokens = Math.min(answerTokens * highOverMean, most);
    // Whatever others were billed, a call costs no more than its prompt and the longest answer that it allows.
    const limit = costAt(price, { promptTokens, answerTokens: most });
    cost += weight * Math.min(limit, bill * costAt(price, { promptTokens, answerTokens }));
    highCost += weight * Math.min(limit, bill * costAt(price, { promptTokens, answerTokens: highTokens }));
  }
  into.quality[entry] = quality / precision;
  into.stderr[entry] = Math.sqrt(1 / precision);
  into.ownError[entry] = error / precision;
  into.costUsd[entry] = costKnown ? cost / precision : Number.POSITIVE_INFINITY;
  into.highCostUsd[entry] = costKnown ? highCost / precision : Number.POSITIVE_INFINITY;
  into.profiledTokens[entry] = profiled / precision;
  into.expectedTokens[entry] = expected / precision;
  into.reasoningTokens[entry] = reasoning / precision;
  into.effective[entry] = effective;
}

/** Overwritten by the next call. */
function expectationOf(
  { column, derived }: ProfileColumn,
  evidence: Evidence,
  { effort, profiled }: Pick<Work, "effort" | "profiled">,
): Expectation {
  profiled.quality = evidence.quality[column] as number;
  profiled.stderr = evidence.stderr[column] as number;
  profiled.ownError = evidence.ownError[column] as number;
  if (derived === undefined) return profiled;
  return qualityAtEffort(derived, evidence, effort);
}

/** The price that bills are ratios to: today's list price where they refer to a list price, or no dollars were recorded. */
export function priceOf(
  { price }: ModelFacts,
  { isListed, isPaid, price: ofBills }: ModelBills,
  promptTokens: number,
): TokenPrice | null {
  const listed = price === null ? null : ratesAt(price, promptTokens);
  if (!isPaid) return listed;
  return isListed ? (listed ?? ofBills) : ofBills;
}

interface AgentTask {
  readonly columns: AnchorSet["columns"];
  readonly column: number;
  /** At the effort that is decided about. */
  readonly thinkingTokens: number;
  /** `AnchorSet.agentUsd` */
  readonly usual: number;
}

/** Dollars that a task of an agent costs: what was paid for others, else what is usual at the model's price; 0 when unknown. */
export function agentTaskUsd(
  price: TokenPrice,
  { columns, column, thinkingTokens, usual }: AgentTask,
): number {
  const { agentTokens } = columns.bills[column] as ModelBills;
  if (Number.isNaN(agentTokens)) return Number.isNaN(usual) ? 0 : usualAgentUsd(usual, price, thinkingTokens);
  const effort = agentThinking(thinkingTokens) / agentThinking(columns.thinkingTokens[column] as number);
  return (agentTokens * middlePrice(price) * effort) / 1e6;
}

/** Deviation of the logarithm of hidden lengths of one model about their expectation (held-out sets: a typical factor of 2). */
const HIDDEN_SPREAD = 0.9;

/** Probability that hidden reasoning leaves room for an answer; logistic approximation of the normal distribution. */
function chanceOfAnAnswer(hidden: number, mostTokens: number): number {
  if (hidden <= 0 || mostTokens === Number.POSITIVE_INFINITY) return 1;
  return 1 / (1 + Math.exp((-1.702 * Math.log(mostTokens / hidden)) / HIDDEN_SPREAD));
}

/** Deviation of the logarithm of a bill for a prompt unlike all anchors (everyday and professional prompts, sets left out). */
const UNKNOWN_SPREAD = 0.8;
const NINETIETH_PERCENTILE = 1.2816;

/** The 90th percentile of a log-normal bill over its mean. */
function highOverMean({ billSpread }: AnchorSet, { outOfDistribution }: Evidence): number {
  const spread = billSpread + outOfDistribution * (UNKNOWN_SPREAD - billSpread);
  return Math.exp(NINETIETH_PERCENTILE * spread - (spread * spread) / 2);
}
