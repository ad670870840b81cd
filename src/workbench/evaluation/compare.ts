import { bootstrapEstimates, type Estimate } from "../../foundation/bootstrap.js";
import { groupBy } from "../../foundation/group-by.js";
import { weightedMean } from "../metrics/choices.js";
import { OptionError } from "../workbench-error.js";
import type { EvaluatedDecision, Evaluation } from "./evaluate.js";
import { type Sensitivity, sensitivityOf } from "./sensitivity.js";

/** Two ways of deciding, prompt by prompt. Differences are the second minus the first. */
export interface Comparison {
  /** Prompts that both decided. */
  readonly prompts: number;
  /** Prompts that only one of them decided. */
  readonly unpaired: number;
  readonly quality: Estimate;
  /** How small a loss of quality these prompts show. */
  readonly sensitivity: Sensitivity;
  /** Change of the mean cost as a share of the first one's; null where either has no costs. */
  readonly cost: Estimate | null;
  /** Prompts that go to another model, the largest changes of quality first, then of cost. */
  readonly changed: readonly ChangedDecision[];
  /** The same by pair of models, the most prompts first. */
  readonly moves: readonly Move[];
}

interface ChangedDecision {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly quality: number;
  readonly costUsd: number | null;
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly prompts: number;
  /** Mean over these prompts. */
  readonly quality: number;
  readonly costUsd: number | null;
}

/** @throws OptionError when they have no prompt in common */
export function compareEvaluations(
  first: Pick<Evaluation, "decisions">,
  second: Pick<Evaluation, "decisions">,
  { seed = 0 }: { readonly seed?: number } = {},
): Comparison {
  const pairs = pairUp(first.decisions, second.decisions);
  if (pairs.length === 0) {
    throw new OptionError("The two have no prompt in common. Evaluate both on the same prompts.");
  }
  const tables = {
    before: Float64Array.from(pairs, ([before]) => before.quality),
    after: Float64Array.from(pairs, ([, after]) => after.quality),
    costBefore: Float64Array.from(pairs, ([before]) => before.costUsd ?? Number.NaN),
    costAfter: Float64Array.from(pairs, ([, after]) => after.costUsd ?? Number.NaN),
  };
  const estimates = bootstrapEstimates(
    pairs.length,
    {
      quality: (weights) => weightedMean(tables.after, weights) - weightedMean(tables.before, weights),
      cost: (weights) =>
        weightedMean(tables.costAfter, weights) / weightedMean(tables.costBefore, weights) - 1,
    },
    { seed },
  );
  const changed = pairs.filter(([before, after]) => before.model !== after.model).map(changeOf);
  return {
    prompts: pairs.length,
    unpaired: first.decisions.length + second.decisions.length - 2 * pairs.length,
    quality: estimates.quality,
    sensitivity: sensitivityOf(pairs.map(([before, after]) => after.quality - before.quality)),
    cost: Number.isFinite(estimates.cost.value) ? estimates.cost : null,
    changed: changed.sort(
      (a, b) =>
        Math.abs(b.quality) - Math.abs(a.quality) || Math.abs(b.costUsd ?? 0) - Math.abs(a.costUsd ?? 0),
    ),
    moves: movesOf(changed),
  };
}

type Pair = readonly [EvaluatedDecision, EvaluatedDecision];

function pairUp(first: readonly EvaluatedDecision[], second: readonly EvaluatedDecision[]): Pair[] {
  const byId = new Map(second.map((decision) => [decision.id, decision]));
  return first.flatMap((before): Pair[] => {
    const after = byId.get(before.id);
    return after === undefined ? [] : [[before, after]];
  });
}

const changeOf = ([before, after]: Pair): ChangedDecision => ({
  id: before.id,
  from: before.model,
  to: after.model,
  quality: after.quality - before.quality,
  costUsd: before.costUsd === null || after.costUsd === null ? null : after.costUsd - before.costUsd,
});

function movesOf(changed: readonly ChangedDecision[]): Move[] {
  return [...groupBy(changed, ({ from, to }) => JSON.stringify([from, to])).values()]
    .map((group): Move => {
      const [{ from, to }] = group as [ChangedDecision];
      const costs = group.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
      return {
        from,
        to,
        prompts: group.length,
        quality: mean(group.map(({ quality }) => quality)),
        costUsd: costs.length === 0 ? null : mean(costs),
      };
    })
    .sort((a, b) => b.prompts - a.prompts);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
