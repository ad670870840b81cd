import type { AnchorSet, ModelBills, StoredCalibration } from "../estimation/anchor-set.js";
import { type Basis, jointBasis } from "../estimation/basis.js";
import {
  agentThinking,
  costAt,
  decodeRatio,
  middlePrice,
  type TokenPrice,
  usualAgentUsd,
} from "../estimation/bills.js";
import { type Evidence, gatherEvidence, type PromptFacts, shiftOdds } from "../estimation/evidence.js";
import { hiddenFactor, visibleTokens } from "../estimation/expected-tokens.js";
import type { ProfileSummary } from "../estimation/profile-summary.js";
import { qualityAtEffort } from "../estimation/relatives.js";
import { withoutAnchor } from "../search/anchor-index.js";
import { overallQuality, placeOfBestOverall, restsOnLittle, withoutUncertainGain } from "./best-overall.js";
import type { ModelFacts, ModelLookup } from "./candidate.js";
import { stepsToCommonScale } from "./common-scale.js";
import { type CostWeightCalibration, calibrateCostWeight, type Priced } from "./cost-weight.js";
import { dominatedEfforts } from "./dominated-efforts.js";
import { type DerivedEffort, derivedEfforts, type ProfileColumn, splitEffort } from "./effort-dial.js";
import { allocateEstimates, type Estimated, type Estimates } from "./estimates.js";
import { calibrationToStore, storedEstimates } from "./stored-calibration.js";

/** All data that decisions depend on, combined once: profile sets, catalog facts and the calibrated cost weight. Immutable. */
export interface Snapshot {
  readonly version: string;
  /** By model id. */
  readonly models: readonly SnapshotModel[];
  readonly summaries: readonly ProfileSummary[];
  /** Efforts that a choice among all leaves out, and for each another effort of its model that is as good and no more expensive. */
  readonly dominated: ReadonlyMap<string, string>;
  readonly costWeight: CostWeightCalibration;
  /** What is stored of the calibration, of a snapshot of that set alone. */
  readonly calibrationOf: (set: AnchorSet) => StoredCalibration;
  readonly pairedCorrelation: number;
  /** A candidate by its id, or by the name of a deployment that uses its profile. */
  find(name: string): SnapshotModel | undefined;
  /** The model under its own name, with what is expected of it at the effort that a request names: the nearest one that it has. */
  atEffort(model: SnapshotModel, effort: string): SnapshotModel;
  /** Whether there is a profile of that name, loaded or not. */
  isProfiled(name: string): boolean;
  search(vector: Float32Array, prompt?: PromptFacts): Found;
  /** As for the prompt of an anchor, were it unknown: it is left out of its own neighbours. */
  searchAnchor(at: AnchorPosition): Found;
  estimate(found: Found, request: EstimateRequest): Estimates;
}

export interface SnapshotModel extends Estimated {
  /** The model without its effort. */
  readonly base: string;
  readonly facts: ModelFacts;
  /** False when neither a price nor measured costs are known. */
  readonly costKnown: boolean;
  /** Lower bound of its quality over all topics: `overallQuality` in best-overall.ts. */
  readonly overallQuality: number;
  /** Whether it has few or no graded answers and no published scores. */
  readonly restsOnLittle: boolean;
  /** What its estimates rest on in each set that knows it. At least one. */
  readonly profileColumns: readonly ProfileColumn[];
  /** Whether it is a candidate only where a request names it: an effort that no one measured, of a set that holds what its owner did. */
  readonly byNameOnly: boolean;
}

/** An anchor of one of the sets. */
interface AnchorPosition {
  readonly set: number;
  readonly anchor: number;
}

/** Evidence per set, in the order of the sets. */
export interface Found {
  readonly evidence: readonly Evidence[];
  /** What was read of the prompt itself. */
  readonly prompt: PromptFacts;
  readonly nearestSimilarity: number;
  /** True when estimates are based more on overall performance than on similar prompts. */
  readonly outOfDistribution: boolean;
}

interface EstimateRequest {
  readonly candidates: readonly SnapshotModel[];
  readonly promptTokens: number;
  readonly maxTokens: number | undefined;
}

/** Profiled prompts the cost weight is calibrated on. */
const CALIBRATION_PROMPTS = 1024;

export interface SnapshotOptions {
  /** Factor on the expected length of a model's answers, > 0, which may change at any time. Default: 1 for every model. */
  readonly lengthRatioOf?: LengthRatioOf | undefined;
}

export type LengthRatioOf = (model: string) => number;

export function createSnapshot(
  sets: readonly AnchorSet[],
  lookup: ModelLookup,
  { lengthRatioOf = uncorrected }: SnapshotOptions = {},
): Snapshot {
  const models = joinModels(sets, lookup);
  const dominated = dominatedEfforts(sets, models);
  const choosable = models.filter(({ model, byNameOnly }) => !byNameOnly && !dominated.has(model));
  const priced = choosable.filter(({ costKnown }) => costKnown);
  const scale = stepsToCommonScale(sets);
  const byName = new Map(models.map((model) => [model.model, model]));
  const leftOut = new Set(sets.flatMap((set) => set.leftOut));
  const search = (vector: Float32Array, prompt?: PromptFacts): Found =>
    searchSets(sets, vector, { scale, prompt });
  const estimate = (found: Found, request: EstimateRequest): Estimates =>
    estimateAll({ sets, found, request, lengthRatioOf });
  const pairedCorrelation = meanOf(sets.map((set) => set.parameters.pairedCorrelation));
  const find = (name: string) => byName.get(name) ?? findDeployment(name, { byName, lookup });
  return {
    version: versionOf(sets),
    models,
    summaries: summarise(sets, models, dominated),
    dominated,
    costWeight: calibrateCostWeight(calibrationPrompts({ sets, scale }, priced)),
    calibrationOf: (set) =>
      calibrationToStore(set, priced, calibrationPrompts({ sets: [set], scale: [0] }, priced)),
    pairedCorrelation,
    isProfiled: (name) => byName.has(name) || leftOut.has(name),
    find,
    atEffort: (model, effort) => atEffort(model, { effort, byName }),
    search,
    searchAnchor: (at) => searchAnchor(sets, at, scale),
    estimate,
  };
}

const uncorrected: LengthRatioOf = () => 1;

function joinModels(sets: readonly AnchorSet[], lookup: ModelLookup): SnapshotModel[] {
  const profileColumns = new Map<string, { set: number; column: number }[]>();
  sets.forEach((set, setNumber) => {
    set.models.forEach((model, column) => {
      profileColumns.set(model, [...(profileColumns.get(model) ?? []), { set: setNumber, column }]);
    });
  });
  const derived = derivedEfforts(sets, [...profileColumns.keys()], lookup);
  return [...profileColumns, ...derived]
    .map(([model, at]) => {
      const facts = lookup(model);
      const isDerived = derived.has(model);
      return {
        model,
        ...splitEffort(model, lookup),
        provider: facts.provider,
        facts,
        profileColumns: at,
        costKnown: facts.price !== null || isPaid(sets, at),
        overallQuality: overallQuality(sets, at),
        basis: isDerived ? ("placed" as const) : basisIn(sets, at),
        restsOnLittle: at.every((profileColumn) => restsOnLittle(summaryAt(sets, profileColumn))),
        byNameOnly: isDerived && at.every(({ set }) => sets[set]?.candidates === "all"),
      };
    })
    .sort((a, b) => (a.model < b.model ? -1 : 1));
}

function basisIn(sets: readonly AnchorSet[], at: SnapshotModel["profileColumns"]): Basis {
  const [first, ...rest] = at.map(({ set, column }) => summaryAt(sets, { set, column }).basis);
  return jointBasis([first as Basis, ...rest]);
}

const summaryAt = (
  sets: readonly AnchorSet[],
  { set, column }: SnapshotModel["profileColumns"][number],
): ProfileSummary => (sets[set] as AnchorSet).summaries[column] as ProfileSummary;

function isPaid(sets: readonly AnchorSet[], at: SnapshotModel["profileColumns"]): boolean {
  return at.some(({ set, column }) => sets[set]?.columns.bills[column]?.isPaid === true);
}

function atEffort(
  model: SnapshotModel,
  { effort, byName }: { readonly effort: string; readonly byName: ReadonlyMap<string, SnapshotModel> },
): SnapshotModel {
  const efforts = byName.get(model.base)?.facts.efforts;
  const asked = byName.get(efforts?.byWord[effort] ?? "");
  if (asked === undefined) return model;
  const { profileColumns, overallQuality, basis, restsOnLittle } = asked;
  return { ...model, effort: asked.effort ?? effort, profileColumns, overallQuality, basis, restsOnLittle };
}

/** Aliases are followed this far: a deployment may name a model's undated name, and that a dated one. */
const LONGEST_CHAIN = 3;

function findDeployment(
  name: string,
  { byName, lookup }: { readonly byName: ReadonlyMap<string, SnapshotModel>; readonly lookup: ModelLookup },
): SnapshotModel | undefined {
  const facts = lookup(name);
  let profiled: SnapshotModel | undefined;
  let { profile } = facts;
  for (let step = 0; step < LONGEST_CHAIN && profiled === undefined && profile !== undefined; step++) {
    profiled = byName.get(profile);
    profile = lookup(profile).profile;
  }
  if (profiled === undefined) return undefined;
  return { ...profiled, model: name, provider: facts.provider, facts, costKnown: facts.price !== null };
}

interface SearchOptions {
  /** Steps of log-odds that bring each set to the common scale. */
  readonly scale: readonly number[];
  readonly prompt?: PromptFacts | undefined;
  /** An anchor to exclude from its own neighbours. */
  readonly skip?: AnchorPosition;
}

function searchAnchor(sets: readonly AnchorSet[], at: AnchorPosition, scale: readonly number[]): Found {
  const { difficulty, vectorOf, answerLevels } = sets[at.set] as AnchorSet;
  // Not a number for multiple choice, whose answers say nothing of lengths.
  const answerTokens = answerLevels.expectedTokens?.[at.anchor] ?? Number.NaN;
  const prompt = {
    ...(difficulty === null ? {} : { difficulty: difficulty.ofAnchor[at.anchor] as number }),
    ...(Number.isNaN(answerTokens) ? {} : { answerTokens }),
  };
  return searchSets(sets, vectorOf(at.anchor), { scale, prompt, skip: at });
}

function searchSets(
  sets: readonly AnchorSet[],
  vector: Float32Array,
  { scale, prompt = {}, skip }: SearchOptions,
): Found {
  const evidence = sets.map((set, setNumber) => {
    const skipped = skip?.set === setNumber ? skip.anchor : -1;
    const neighbours = set.index.search(vector, set.parameters.neighbours + (skipped < 0 ? 0 : 1));
    const near = skipped < 0 ? neighbours : withoutAnchor(neighbours, skipped);
    return onCommonScale(gatherEvidence(set, vector, near, prompt), scale[setNumber] ?? 0);
  });
  const nearest = evidence.map((setEvidence) => setEvidence.nearestSimilarity);
  return {
    evidence,
    prompt,
    nearestSimilarity: nearest.length === 0 ? 0 : Math.max(...nearest),
    outOfDistribution: sets.every((set, index) => hasNoneNear(evidence[index] as Evidence, set)),
  };
}

/**
 * Whether no evidence is near a prompt: it is out-of-distribution, and its similarity to every anchor is below the
 * first quarter between the least and the usual similarity of profiled prompts. Similar anchors from several sources
 * are evidence even when they belong to no single source.
 */
function hasNoneNear({ outOfDistribution, nearestSimilarity }: Evidence, { parameters }: AnchorSet): boolean {
  const { inDistributionSimilarity, nearSimilarity } = parameters;
  const nearby = inDistributionSimilarity + (nearSimilarity - inDistributionSimilarity) / 4;
  return outOfDistribution > 0.5 && nearestSimilarity < nearby;
}

function onCommonScale(evidence: Evidence, step: number): Evidence {
  if (step === 0) return evidence;
  return { ...evidence, quality: evidence.quality.map((quality) => shiftOdds(quality, step)) };
}

interface EstimateContext {
  readonly sets: readonly AnchorSet[];
  readonly found: Found;
  readonly request: EstimateRequest;
  readonly lengthRatioOf: LengthRatioOf;
}

/** Estimates for all candidates, without uncertain gains over the best overall. */
function estimateAll(context: EstimateContext): Estimates {
  const { candidates } = context.request;
  const estimates = allocateEstimates(candidates);
  const { difficulty = Number.NaN } = context.found.prompt;
  const prompt = {
    difficulty,
    hiddenFactor: hiddenFactor(difficulty),
    isAgentWork: context.found.prompt.isAgentWork === true,
    sets: context.sets.map((set, setNumber) => promptInSet(set, setNumber, context.found)),
  };
  for (let entry = 0; entry < candidates.length; entry++)
    estimateModel(entry, { context, prompt, into: estimates });
  const best = placeOfBestOverall(candidates);
  const { quality, stderr } = estimates;
  const bestProfile = candidates[best]?.profileColumns;
  const least = { quality: quality[best] as number, stderr: stderr[best] as number };
  for (let entry = 0; entry < candidates.length; entry++) {
    const { restsOnLittle, profileColumns } = candidates[entry] as SnapshotModel;
    // Deployments of one model are equal, and the cheapest is chosen.
    if (profileColumns === bestProfile || (quality[entry] as number) < least.quality) continue;
    const expected = { quality: quality[entry] as number, stderr: stderr[entry] as number, restsOnLittle };
    quality[entry] = withoutUncertainGain(expected, least);
  }
  return estimates;
}

/** What the answers to a prompt have in common, whatever the model. */
interface PromptEstimate {
  /** In tiers; NaN when unknown. */
  readonly difficulty: number;
  readonly hiddenFactor: number;
  readonly isAgentWork: boolean;
  readonly sets: readonly PromptInSet[];
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

/** For a model with profiles in several sets, the precision-weighted mean. @param into receives the entry */
function estimateModel(
  entry: number,
  {
    context: { request, lengthRatioOf },
    prompt,
    into,
  }: { readonly context: EstimateContext; readonly prompt: PromptEstimate; readonly into: Estimates },
): void {
  const { model, facts, profileColumns, costKnown } = request.candidates[entry] as SnapshotModel;
  const lengthRatio = lengthRatioOf(model);
  const { promptTokens, maxTokens: most = Number.POSITIVE_INFINITY } = request;
  let precision = 0;
  let quality = 0;
  let effective = 0;
  let cost = 0;
  let highCost = 0;
  let profiled = 0;
  let expected = 0;
  let reasoning = 0;
  for (let at = 0; at < profileColumns.length; at++) {
    const { set, column, derived } = profileColumns[at] as ProfileColumn;
    const { columns, evidence, visible, highOverMean, agentUsd } = prompt.sets[set] as PromptInSet;
    let own = evidence.quality[column] as number;
    let stderr = evidence.stderr[column] as number;
    let thinkingTokens = columns.thinkingTokens[column] as number;
    if (derived !== undefined) {
      const reference = { quality: own, stderr };
      const expected = qualityAtEffort(derived, evidence, prompt.difficulty);
      own = isBeyond(derived) ? withoutUncertainGain(expected, reference) : expected.quality;
      stderr = expected.stderr;
      ({ thinkingTokens } = derived);
    }
    const weight = 1 / (stderr * stderr);
    const hidden = thinkingTokens * prompt.hiddenFactor;
    const whole = hidden + visible * (columns.verbosity[column] as number);
    const answerTokens = Math.min(whole * lengthRatio, most);
    precision += weight;
    quality += weight * own * chanceOfAnAnswer(hidden * lengthRatio, most);
    effective += evidence.effective[column] as number;
    profiled += weight * Math.min(whole, most);
    expected += weight * answerTokens;
    reasoning += weight * Math.min(hidden * lengthRatio, most);
    const bills = columns.bills[column] as ModelBills;
    const price = priceOf(facts, bills);
    if (price === null) continue;
    const task = prompt.isAgentWork
      ? agentTaskUsd(price, { columns, column, thinkingTokens, usual: agentUsd })
      : 0;
    const single = task > 0 ? evidence.billTrust : 1;
    const bill = (weight * single * (evidence.billRatio[column] as number)) / 1e6;
    const highTokens = Math.min(answerTokens * highOverMean, most);
    const inputUsd = price.inputUsdPerMtok * promptTokens;
    const unlike = weight * (1 - single) * task;
    cost += unlike + bill * (inputUsd + price.outputUsdPerMtok * answerTokens);
    highCost += unlike * highOverMean + bill * (inputUsd + price.outputUsdPerMtok * highTokens);
  }
  into.quality[entry] = quality / precision;
  into.stderr[entry] = Math.sqrt(1 / precision);
  into.costUsd[entry] = costKnown ? cost / precision : Number.POSITIVE_INFINITY;
  into.highCostUsd[entry] = costKnown ? highCost / precision : Number.POSITIVE_INFINITY;
  into.profiledTokens[entry] = profiled / precision;
  into.expectedTokens[entry] = expected / precision;
  into.reasoningTokens[entry] = reasoning / precision;
  into.effective[entry] = effective;
}

/** Whether no measured effort says that more thinking than the reference's gains something. */
const isBeyond = ({ levels, across }: DerivedEffort): boolean => levels > 0 && across === null;

/** The price that bills are ratios to: today's list price where they refer to a list price, or no dollars were recorded. */
export function priceOf(
  { price }: ModelFacts,
  { isListed, isPaid, price: ofBills }: ModelBills,
): TokenPrice | null {
  if (!isPaid) return price;
  return isListed ? (price ?? ofBills) : ofBills;
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

/** Estimates for the prompts that the cost weight is calibrated on: as the set has them, where it is alone and they fit, else computed. */
function* calibrationPrompts(
  { sets, scale }: { readonly sets: readonly AnchorSet[]; readonly scale: readonly number[] },
  candidates: readonly SnapshotModel[],
): Iterable<Priced> {
  if (candidates.length < 2) return;
  const [only, another] = sets;
  const stored = only !== undefined && another === undefined ? storedEstimates(only, candidates) : undefined;
  const prompts = promptsToCalibrateOn(sets);
  for (const [index, { find, promptTokens }] of prompts.entries()) {
    const known = stored?.length === prompts.length ? stored[index] : undefined;
    const request = { candidates, promptTokens, maxTokens: undefined };
    // The meaning of a cost weight must not move with the answers of the day.
    yield known ?? estimateAll({ sets, found: find(scale), request, lengthRatioOf: uncorrected });
  }
}

interface CalibrationPrompt {
  readonly find: (scale: readonly number[]) => Found;
  readonly promptTokens: number;
}

/** The prompts of traffic that the sets come with, else an even sample of their anchors, each without its own scores. */
function promptsToCalibrateOn(sets: readonly AnchorSet[]): readonly CalibrationPrompt[] {
  const traffic = sets.flatMap((set) => set.traffic);
  if (traffic.length > 0)
    return traffic.map(({ vector, tokens, facts }) => ({
      find: (scale) => searchSets(sets, vector, { scale, prompt: facts }),
      promptTokens: tokens,
    }));
  const total = sets.reduce((sum, set) => sum + set.index.size, 0);
  const stride = Math.max(1, total / CALIBRATION_PROMPTS);
  const prompts: CalibrationPrompt[] = [];
  for (let position = stride / 2; position < total; position += stride) {
    const at = locate(sets, Math.floor(position));
    prompts.push({
      find: (scale) => searchAnchor(sets, at, scale),
      promptTokens: sets[at.set]?.promptTokens[at.anchor] as number,
    });
  }
  return prompts;
}

function locate(sets: readonly AnchorSet[], position: number): AnchorPosition {
  let anchor = position;
  for (let set = 0; set < sets.length; set++) {
    const size = (sets[set] as AnchorSet).index.size;
    if (anchor < size) return { set, anchor };
    anchor -= size;
  }
  return { set: sets.length - 1, anchor: 0 };
}

/**
 * One summary for each model: that of the set with the most samples, with the combined evidence of all sets and today's
 * mean cost.
 */
function summarise(
  sets: readonly AnchorSet[],
  models: readonly SnapshotModel[],
  dominated: Snapshot["dominated"],
): ProfileSummary[] {
  const promptTokens = sets.map((set) => meanOf(set.promptTokens));
  const profiled = models.filter(({ profileColumns }) =>
    profileColumns.some(({ derived }) => derived === undefined),
  );
  return profiled.map((model) => {
    const summaries = model.profileColumns.map((profileColumn) => summaryAt(sets, profileColumn));
    const largest = summaries.reduce((a, b) => (b.samples > a.samples ? b : a));
    const published = summaries.flatMap((summary) => summary.published);
    return {
      ...largest,
      basis: model.basis,
      published,
      dominated_by: dominated.get(model.model) ?? null,
      mean_cost_usd: meanCostUsd(model, { sets, promptTokens }),
    };
  });
}

/** Cost of a mean request of the set: mean prompt, and what an answer of medium difficulty costs that is unlike all anchors. */
function meanCostUsd(
  model: SnapshotModel,
  { sets, promptTokens }: { readonly sets: readonly AnchorSet[]; readonly promptTokens: readonly number[] },
): number | null {
  if (!model.costKnown) return null;
  const { set: setNumber, column } = model.profileColumns[0] as SnapshotModel["profileColumns"][number];
  const set = sets[setNumber] as AnchorSet;
  const price = priceOf(model.facts, set.columns.bills[column] as ModelBills);
  if (price === null) return null;
  const { thinkingTokens, verbosity } = set.columns;
  const visible = visibleTokens(set.answerLevels, { answerRatio: 2 ** set.answerLevels.overall });
  const answerTokens = (thinkingTokens[column] as number) + visible * (verbosity[column] as number);
  const bill = decodeRatio((set.prior.overall.length[column] as number) - 1);
  return bill * costAt(price, { promptTokens: promptTokens[setNumber] as number, answerTokens });
}

/** `default@1f0c…`: every set by name and version. */
function versionOf(sets: readonly AnchorSet[]): string {
  return sets.map(({ name, version }) => `${name}@${version}`).join("+");
}

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] as number;
  return values.length === 0 ? 0 : sum / values.length;
}
