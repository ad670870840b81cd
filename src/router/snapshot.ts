import { thinkingFactor } from "../estimation/thinking.js";
import { withoutAnchor } from "../profiles/anchor-index.js";
import {
  type AnchorSet,
  type EvidenceParameters,
  LENGTH_COST,
  LENGTH_UNKNOWN,
} from "../profiles/anchor-set.js";
import { type Basis, jointBasis } from "../profiles/model-profile.js";
import type { ProfileSummary } from "../profiles/summary.js";
import { overallQuality, placeOfBestOverall, withoutUncertainGain } from "./best-overall.js";
import type { ModelFacts, ModelLookup } from "./candidate.js";
import type { Estimate } from "./decide.js";
import { type Evidence, gatherEvidence, type PromptFacts } from "./evidence.js";
import { calibrateKnob, type Knob } from "./knob.js";

/** Everything decisions depend on, joined once: profile sets, catalog facts and the calibrated knob. Immutable. */
export interface Snapshot {
  readonly version: string;
  /** By model id. */
  readonly models: readonly SnapshotModel[];
  readonly summaries: readonly ProfileSummary[];
  readonly knob: Knob;
  readonly pairedCorrelation: number;
  /** A candidate by its id, or by the name of a deployment that stands on its profile. */
  find(name: string): SnapshotModel | undefined;
  search(vector: Float32Array, prompt?: PromptFacts): Found;
  estimate(found: Found, request: EstimateRequest): Estimate[];
}

export interface SnapshotModel {
  readonly model: string;
  readonly facts: ModelFacts;
  /** False when neither a price nor measured costs are known. */
  readonly costKnown: boolean;
  /** Expected quality over all profiled prompts, in [0, 1]; the mean of its sets, each as large as its samples. */
  readonly overallQuality: number;
  readonly basis: Basis;
  /** Where its profiles are: set and column. At least one. */
  readonly places: readonly { readonly set: number; readonly column: number }[];
}

/** Evidence per set, in the order of the sets. */
interface Found {
  readonly evidence: readonly Evidence[];
  /** On the tokens that models think for a prompt of medium difficulty. */
  readonly thinkingFactor: number;
  readonly nearestSimilarity: number;
  /** True when estimates lean more on what models do overall than on prompts like this one. */
  readonly outOfDistribution: boolean;
}

interface EstimateRequest {
  readonly candidates: readonly SnapshotModel[];
  readonly promptTokens: number;
  readonly maxTokens: number | undefined;
}

/** Answer length assumed for every model alike when a set has no lengths at all: cost then follows price alone (guess). */
const ASSUMED_ANSWER_TOKENS = 256;
/** Profiled prompts the knob is calibrated on. */
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
  const byName = new Map(models.map((each) => [each.model, each]));
  const search = (vector: Float32Array, prompt?: PromptFacts): Found => searchSets(sets, vector, { prompt });
  const estimate = (found: Found, request: EstimateRequest): Estimate[] => {
    return estimateAll(request.candidates, { sets, found, request, lengthRatioOf });
  };
  const pairedCorrelation = meanOf(sets.map((set) => set.parameters.pairedCorrelation));
  return {
    version: versionOf(sets),
    models,
    summaries: summarise(sets, models),
    knob: calibrateKnob({ prompts: calibrationPrompts(sets, models), pairedCorrelation }),
    pairedCorrelation,
    find: (name) => byName.get(name) ?? findDeployment(name, { byName, lookup }),
    search,
    estimate,
  };
}

const uncorrected: LengthRatioOf = () => 1;

function joinModels(sets: readonly AnchorSet[], lookup: ModelLookup): SnapshotModel[] {
  const places = new Map<string, { set: number; column: number }[]>();
  sets.forEach((set, setNumber) => {
    set.models.forEach((model, column) => {
      places.set(model, [...(places.get(model) ?? []), { set: setNumber, column }]);
    });
  });
  return [...places]
    .map(([model, at]) => {
      const facts = lookup(model);
      const costKnown = facts.price !== null || hasMeasuredCost(sets, at);
      const basis = basisIn(sets, at);
      return { model, facts, places: at, costKnown, overallQuality: overallQuality(sets, at), basis };
    })
    .sort((a, b) => (a.model < b.model ? -1 : 1));
}

function basisIn(sets: readonly AnchorSet[], at: SnapshotModel["places"]): Basis {
  const [first, ...rest] = at.map(({ set, column }) => summaryAt(sets, { set, column }).basis);
  return jointBasis([first as Basis, ...rest]);
}

const summaryAt = (
  sets: readonly AnchorSet[],
  { set, column }: SnapshotModel["places"][number],
): ProfileSummary => (sets[set] as AnchorSet).summaries[column] as ProfileSummary;

function hasMeasuredCost(sets: readonly AnchorSet[], at: SnapshotModel["places"]): boolean {
  return at.some(({ set, column }) => sets[set]?.columns.lengthKind[column] === LENGTH_COST);
}

/** A deployment may stand on a model's undated name, and that on a dated one. */
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
  return { ...profiled, model: name, facts, costKnown: facts.price !== null };
}

interface SearchOptions {
  readonly prompt?: PromptFacts | undefined;
  /** An anchor that is not its own neighbour. */
  readonly skip?: { readonly set: number; readonly anchor: number };
}

function searchSets(
  sets: readonly AnchorSet[],
  vector: Float32Array,
  { prompt = {}, skip }: SearchOptions,
): Found {
  const evidence = sets.map((set, setNumber) => {
    const skipped = skip?.set === setNumber ? skip.anchor : -1;
    const neighbours = set.index.search(vector, set.parameters.neighbours + (skipped < 0 ? 0 : 1));
    return gatherEvidence(set, vector, skipped < 0 ? neighbours : withoutAnchor(neighbours, skipped), prompt);
  });
  const nearest = evidence.map((each) => each.nearestSimilarity);
  return {
    evidence,
    thinkingFactor: thinkingFactor(prompt.difficulty ?? Number.NaN),
    nearestSimilarity: nearest.length === 0 ? 0 : Math.max(...nearest),
    outOfDistribution: sets.every((set, place) => (nearest[place] ?? 0) < halfway(set.parameters)),
  };
}

/** Similarity half-way between in distribution and entirely out of it. */
function halfway({ outOfDistributionSimilarity, inDistributionSimilarity }: EvidenceParameters): number {
  return (outOfDistributionSimilarity + inDistributionSimilarity) / 2;
}

interface EstimateContext {
  readonly sets: readonly AnchorSet[];
  readonly found: Found;
  readonly request: Omit<EstimateRequest, "candidates">;
  readonly lengthRatioOf: LengthRatioOf;
}

/** In the order of the candidates; gains over the best overall that are uncertain are taken out. */
function estimateAll(candidates: readonly SnapshotModel[], context: EstimateContext): Estimate[] {
  const estimates = candidates.map((each) => estimateModel(each, context));
  const best = estimates[placeOfBestOverall(candidates)]?.quality ?? Number.NaN;
  for (const each of estimates) each.quality = withoutUncertainGain(each.quality, best);
  return estimates;
}

type WritableEstimate = { -readonly [Member in keyof Estimate]: Estimate[Member] };

/** A model profiled in several sets gets their precision-weighted mean. */
function estimateModel(each: SnapshotModel, context: EstimateContext): WritableEstimate {
  const { sets, found, request, lengthRatioOf } = context;
  const { model, facts, places, costKnown, basis } = each;
  const lengthRatio = lengthRatioOf(model);
  let precision = 0;
  let quality = 0;
  let effective = 0;
  let cost = 0;
  let tokenPrecision = 0;
  let profiled = 0;
  let expected = 0;
  for (let at = 0; at < places.length; at++) {
    const { set, column } = places[at] as SnapshotModel["places"][number];
    const evidence = found.evidence[set] as Evidence;
    const stderr = evidence.stderr[column] as number;
    const weight = 1 / (stderr * stderr);
    precision += weight;
    quality += weight * (evidence.quality[column] as number);
    effective += evidence.effective[column] as number;
    const { columns } = sets[set] as AnchorSet;
    const answer = {
      kind: columns.lengthKind[column] as number,
      length: evidence.length[column] as number,
      thinking: (columns.thinkingTokens[column] as number) * found.thinkingFactor,
      lengthRatio,
    };
    if (answer.kind !== LENGTH_COST) {
      tokenPrecision += weight;
      profiled += weight * answerTokens({ ...answer, lengthRatio: 1 }, request);
      expected += weight * answerTokens(answer, request);
    }
    if (costKnown) cost += weight * (expectedCostUsd(facts, answer, request) ?? 0);
  }
  return {
    model,
    provider: facts.provider,
    quality: quality / precision,
    stderr: Math.sqrt(1 / precision),
    costUsd: costKnown ? cost / precision : null,
    answerTokens:
      tokenPrecision === 0
        ? null
        : { profiled: profiled / tokenPrecision, expected: expected / tokenPrecision },
    effective,
    basis,
  };
}

interface ExpectedAnswer {
  readonly kind: number;
  /** Expected tokens or nano-dollars, as `kind` says. */
  readonly length: number;
  /** Hidden reasoning tokens; measured dollars hold them already. */
  readonly thinking: number;
  /** Factor on expected tokens. */
  readonly lengthRatio: number;
}

function expectedCostUsd(
  facts: ModelFacts,
  answer: ExpectedAnswer,
  request: EstimateContext["request"],
): number | null {
  if (answer.kind === LENGTH_COST) return answer.length / 1e9;
  if (facts.price === null) return null;
  const { inputUsdPerMtok, outputUsdPerMtok } = facts.price;
  return (inputUsdPerMtok * request.promptTokens + outputUsdPerMtok * answerTokens(answer, request)) / 1e6;
}

/** @param answer of a kind other than `LENGTH_COST` */
function answerTokens(
  { kind, length, thinking, lengthRatio }: ExpectedAnswer,
  { maxTokens }: EstimateContext["request"],
): number {
  const tokens = ((kind === LENGTH_UNKNOWN ? ASSUMED_ANSWER_TOKENS : length) + thinking) * lengthRatio;
  return Math.min(tokens, maxTokens ?? tokens);
}

/** Estimates for an even sample of the anchors, each as if it had not been profiled itself. */
function calibrationPrompts(sets: readonly AnchorSet[], models: readonly SnapshotModel[]): Estimate[][] {
  const priced = models.filter((each) => each.costKnown);
  if (priced.length < 2) return [];
  const total = sets.reduce((sum, set) => sum + set.index.size, 0);
  const stride = Math.max(1, total / CALIBRATION_PROMPTS);
  const prompts: Estimate[][] = [];
  for (let position = stride / 2; position < total; position += stride) {
    const at = locate(sets, Math.floor(position));
    const set = sets[at.set] as AnchorSet;
    const prompt =
      set.difficulty === null ? {} : { difficulty: set.difficulty.ofAnchor[at.anchor] as number };
    const found = searchSets(sets, set.vectorOf(at.anchor), { prompt, skip: at });
    const promptTokens = set.promptTokens[at.anchor] as number;
    const request = { promptTokens, maxTokens: undefined };
    // The meaning of a cost weight must not move with the answers of the day.
    prompts.push(estimateAll(priced, { sets, found, request, lengthRatioOf: uncorrected }));
  }
  return prompts;
}

function locate(sets: readonly AnchorSet[], position: number): { set: number; anchor: number } {
  let anchor = position;
  for (let set = 0; set < sets.length; set++) {
    const size = (sets[set] as AnchorSet).index.size;
    if (anchor < size) return { set, anchor };
    anchor -= size;
  }
  return { set: sets.length - 1, anchor: 0 };
}

/** One summary a model: of the set with the most samples, with what all sets rest on and today's mean cost. */
function summarise(sets: readonly AnchorSet[], models: readonly SnapshotModel[]): ProfileSummary[] {
  return models.map((each) => {
    const summaries = each.places.map((place) => summaryAt(sets, place));
    const largest = summaries.reduce((a, b) => (b.samples > a.samples ? b : a));
    const published = summaries.flatMap((summary) => summary.published);
    return { ...largest, basis: each.basis, published, mean_cost_usd: meanCostUsd(sets, each) };
  });
}

/** Cost of a mean request of the set: mean prompt, overall expected length. */
function meanCostUsd(sets: readonly AnchorSet[], each: SnapshotModel): number | null {
  if (!each.costKnown) return null;
  const { set: setNumber, column } = each.places[0] as SnapshotModel["places"][number];
  const set = sets[setNumber] as AnchorSet;
  const length = Math.max(0, (set.prior.overall.length[column] as number) - 1);
  const promptTokens = meanOf(set.promptTokens);
  const kind = set.columns.lengthKind[column] as number;
  const thinking = set.columns.thinkingTokens[column] as number;
  const answer = { kind, length, thinking, lengthRatio: 1 };
  return expectedCostUsd(each.facts, answer, { promptTokens, maxTokens: undefined });
}

/** `default@1f0c…`: every set by name and version. */
function versionOf(sets: readonly AnchorSet[]): string {
  return sets.map(({ name, version }) => `${name}@${version}`).join("+");
}

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let place = 0; place < values.length; place++) sum += values[place] as number;
  return values.length === 0 ? 0 : sum / values.length;
}
