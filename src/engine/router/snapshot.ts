import type { AnchorSet, ModelBills } from "../estimation/anchor-set.js";
import { costAt, decodeRatio } from "../estimation/bills.js";
import type { PromptFacts } from "../estimation/evidence.js";
import { visibleTokens } from "../estimation/expected-tokens.js";
import type { ProfileSummary } from "../estimation/profile-summary.js";
import type { ModelLookup } from "./candidate.js";
import { stepsToCommonScale } from "./common-scale.js";
import { dominatedEfforts } from "./dominated-efforts.js";
import {
  type EstimateRequest,
  estimateCandidates,
  type LengthRatioOf,
  priceOf,
  uncorrected,
} from "./estimate-candidates.js";
import type { Estimates } from "./estimates.js";
import { type AnchorPosition, type Found, searchAnchor, searchSets } from "./search-sets.js";
import { atEffort, findDeployment, joinModels, type SnapshotModel, summaryAt } from "./snapshot-models.js";

/** All data that decisions depend on, combined once: profile sets and catalog facts. Immutable. */
export interface Snapshot {
  readonly version: string;
  /** By model id. */
  readonly models: readonly SnapshotModel[];
  readonly summaries: readonly ProfileSummary[];
  /** Efforts that a choice among all leaves out, and for each another effort of its model that is as good and no more expensive. */
  readonly dominated: ReadonlyMap<string, string>;
  /** What a choice among all considers, whatever is available today. */
  readonly choosable: readonly SnapshotModel[];
  /** Mean cost of a request at each step of the cost weight, over the sets that know it; null where none does. */
  readonly meanCosts: readonly number[] | null;
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

export interface SnapshotOptions {
  /** Factor on the expected length of a model's answers, > 0, which may change at any time. Default: 1 for every model. */
  readonly lengthRatioOf?: LengthRatioOf | undefined;
}

export function createSnapshot(
  sets: readonly AnchorSet[],
  lookup: ModelLookup,
  options?: SnapshotOptions,
): Snapshot {
  const steps = snapshotInSteps(sets, lookup, options);
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

/** The same in steps of a few milliseconds at most, between which requests can be answered. */
export function* snapshotInSteps(
  sets: readonly AnchorSet[],
  lookup: ModelLookup,
  { lengthRatioOf = uncorrected }: SnapshotOptions = {},
): Generator<void, Snapshot, void> {
  // The catalog keeps what it looked up: the joining below finds most of it there.
  for (const model of sets.flatMap((set) => set.models)) {
    lookup(model);
    yield;
  }
  const models = joinModels(sets, lookup);
  yield;
  const dominated = yield* dominatedEfforts(sets, models);
  const choosable = models.filter(({ model, byNameOnly }) => !byNameOnly && !dominated.has(model));
  const scale = stepsToCommonScale(sets);
  const byName = new Map(models.map((model) => [model.model, model]));
  const leftOut = new Set(sets.flatMap((set) => set.leftOut));
  const search = (vector: Float32Array, prompt?: PromptFacts): Found =>
    searchSets(sets, vector, { scale, prompt });
  const estimate = (found: Found, request: EstimateRequest): Estimates =>
    estimateCandidates({ sets, found, request, lengthRatioOf });
  const pairedCorrelation = meanOf(sets.map((set) => set.parameters.pairedCorrelation));
  const find = (name: string) => byName.get(name) ?? findDeployment(name, { byName, lookup });
  return {
    version: versionOf(sets),
    models,
    summaries: summarise(sets, models, dominated),
    dominated,
    choosable,
    meanCosts: meanOfSets(sets),
    pairedCorrelation,
    isProfiled: (name) => byName.has(name) || leftOut.has(name),
    find,
    atEffort: (model, effort) => atEffort(model, { effort, byName }),
    search,
    searchAnchor: (at) => searchAnchor(sets, at, scale),
    estimate,
  };
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
  const price = priceOf(
    model.facts,
    set.columns.bills[column] as ModelBills,
    promptTokens[setNumber] as number,
  );
  if (price === null) return null;
  const { thinkingTokens, verbosity } = set.columns;
  const visible = visibleTokens(set.answerLevels, { answerRatio: 2 ** set.answerLevels.overall });
  const answerTokens = (thinkingTokens[column] as number) + visible * (verbosity[column] as number);
  const bill = decodeRatio((set.prior.overall.length[column] as number) - 1);
  return bill * costAt(price, { promptTokens: promptTokens[setNumber] as number, answerTokens });
}

function meanOfSets(sets: readonly AnchorSet[]): readonly number[] | null {
  const known = sets.flatMap(({ meanCosts }) => (meanCosts === null ? [] : [meanCosts]));
  return known[0]?.map((_, step) => meanOf(known.map((costs) => costs[step] as number))) ?? null;
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
