import type { ModelLookup } from "../../engine/router/candidate.js";
import type { RouteRequest } from "../../engine/router/decision.js";
import type { Router } from "../../engine/router/router.js";
import { bootstrapEstimates, type Estimate, type Statistic } from "../../foundation/bootstrap.js";
import { seededRandom } from "../../foundation/random.js";
import {
  brierScore,
  type CalibrationBin,
  calibrationBins,
  calibrationFloor,
  expectedCalibrationError,
} from "../metrics/calibration.js";
import { reachedBy, weightedMean } from "../metrics/choices.js";
import { averageImprovement, type CostQuality, costSaved, gapClosed } from "../metrics/hull.js";
import { SAME_PROMPT } from "../placement/prompts-of-the-set.js";
import { WorkbenchError } from "../workbench-error.js";
import type { Sweep } from "./choose-weight.js";
import { type GradedCosts, gradedCostsOf } from "./costs.js";
import { type GradedPrompts, type LeftOutOfEvaluation, takePrompts } from "./graded-prompts.js";
import { decideAlong, type RoutedPrompts, routeGraded } from "./route-graded.js";
import { type SweptWeight, sweepWeights } from "./sweep-weights.js";

/** How good the decisions of a router are on prompts whose answers are graded for every model. */
export interface Evaluation {
  readonly profileVersion: string;
  readonly costWeight: number;
  /** Prompts that were decided. */
  readonly prompts: number;
  /** Prompts left out because the profile set was built with them. */
  readonly knownPrompts: number;
  /** Share of the prompts without profiled prompts near them. */
  readonly outOfDistribution: number;
  /**
   * Where costs come from: recorded with the answers, their tokens at list prices, or either (`mixed`); null: fewer than two models have
   * a cost.
   */
  readonly costs: GradedCosts["source"] | null;
  readonly router: QualityAndCost;
  /** One entry for each model, best first. */
  readonly models: readonly EvaluatedModel[];
  /** The single model of highest quality on these prompts, of those with a cost where costs are known: the one to beat. */
  readonly best: string;
  /** Quality of the router minus that of the best single model. */
  readonly gain: Estimate;
  /** Share of the best single model's cost that the router saves; negative when it costs more; null without costs. */
  readonly saved: Estimate | null;
  /** Quality of the best model of each prompt, which is not known beforehand, and of one drawn at random. */
  readonly hindsight: number;
  readonly random: number;
  /** Share of the gap between the best single model and the oracle that is closed; null without a gap. */
  readonly gapClosed: number | null;
  /** Mean cost and quality along the cost weight; empty without costs. */
  readonly sweep: readonly SweepPoint[];
  /** Along the cost weight; null without costs. */
  readonly frontier: {
    /** Mean quality over the costs between the cheapest and the most expensive model, and that of mixtures of single models. */
    readonly averageQuality: number;
    readonly averageQualityOfSingles: number;
    /** Share of the best single model's cost saved at the cheapest weight within half a point of its quality. */
    readonly savedAtEqualQuality: number | null;
  } | null;
  /** Distance of expected from seen quality, and what perfect expectations would show on as many prompts. */
  readonly calibration: {
    readonly error: number;
    readonly ifPerfect: number;
    readonly brier: number;
    /** Means of expected and seen quality by expected quality, the lowest first. */
    readonly bins: readonly CalibrationBin[];
  };
  readonly decisions: readonly EvaluatedDecision[];
  /** Models and prompts of the files, and models of the set, that are not evaluated; null where no files were read. */
  readonly leftOut: (LeftOutOfEvaluation & { readonly unpricedModels: readonly string[] }) | null;
}

/** An evaluation with what it was made from. */
export interface EvaluatedSweep {
  readonly evaluation: Evaluation;
  /** Prompt by prompt along the cost weight; no cost weights without costs. */
  readonly sweep: Sweep;
  /** The same prompts at another cost weight. @throws WorkbenchError as `evaluate` */
  readonly at: (costWeight: number) => Evaluation;
}

interface QualityAndCost {
  readonly quality: Estimate;
  /** Dollars a prompt. */
  readonly costUsd: Estimate | null;
}

interface EvaluatedModel {
  readonly model: string;
  readonly quality: number;
  /** Mean of what the router expects. */
  readonly expectedQuality: number;
  readonly costUsd: number | null;
  /** Share of the prompts for which it is chosen. */
  readonly chosen: number;
}

interface SweepPoint {
  readonly costWeight: number;
  readonly quality: number;
  readonly costUsd: number;
}

export interface EvaluatedDecision {
  readonly id: string;
  readonly benchmark: string;
  readonly model: string;
  /** Of the chosen model's answer. */
  readonly quality: number;
  readonly costUsd: number | null;
  /** Every model, as it was expected among all of them and as it answered; absent unless asked for. */
  readonly candidates?: readonly EvaluatedCandidate[];
}

interface EvaluatedCandidate {
  readonly model: string;
  /** Of its graded answer. */
  readonly quality: number;
  readonly costUsd: number | null;
  /** Null where the model is no candidate for the prompt, as by its context window. */
  readonly expectedQuality: number | null;
  /** Standard error of `expectedQuality`. */
  readonly qualityStderr: number | null;
  readonly expectedCostUsd: number | null;
  /** Length of the answer, hidden reasoning included. */
  readonly expectedTokens: number | null;
}

export interface EvaluateOptions {
  readonly costWeight: number;
  /** Decides along the cost weight, too. Default: true. */
  readonly along?: boolean | undefined;
  /** A cost weight that the sweep has in any case. */
  readonly including?: number | undefined;
  /** What costs are of: a call, or the task of an agent that each prompt begins. Default: a call. */
  readonly per?: RouteRequest["per"];
  /** Prices for answers whose cost was not recorded. */
  readonly lookup: ModelLookup;
  /** Evaluates prompts that the profile set was built with, too. Default: false. */
  readonly includeKnown?: boolean | undefined;
  readonly seed?: number | undefined;
  /** Lists every candidate of each prompt in `decisions`. Default: false. */
  readonly candidates?: boolean | undefined;
  /** Of the files and the set, as they were read. */
  readonly leftOut?: LeftOutOfEvaluation;
  readonly signal?: AbortSignal | undefined;
  /** Called with how many of the prompts are decided. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const FLOOR_DRAWS = 20;

/**
 * Decides for every prompt and compares the answers of the chosen models with those of every single model. Prompts that the set
 * was built with are left out: their answers are known to it. Embeds each prompt once.
 *
 * @throws WorkbenchError when fewer than two models or no prompts are left, or a cost weight above 0 has no costs to weigh
 */
export async function evaluate(
  router: Pick<Router, "prepareMany" | "profileVersion">,
  graded: GradedPrompts,
  options: EvaluateOptions,
): Promise<EvaluatedSweep> {
  requireModels(graded);
  const { costWeight, along = true, including, per, signal, onProgress } = options;
  const count = graded.prompts.length;
  const weighed = gradedCostsOf(graded, options.lookup)?.priced ?? [];
  // The other half is deciding along the cost weight.
  const onPrepared = (done: number): void => onProgress?.(Math.floor(done / 2), count);
  const { routed, requests } = await routeGraded(router, graded, { weighed, per, signal, onPrepared });
  const heldOut = heldOutPrompts(routed, options);
  if (heldOut.length === 0) {
    throw new WorkbenchError(
      `All ${count} prompts are in the profile set, so that nothing is held out. Give prompts that it was not built ` +
        "with, or `includeKnown` to measure how well it remembers.",
    );
  }
  const held = takePrompts(graded, heldOut);
  const all = takeRouted(routed, { heldOut, width: graded.models.length });
  const costs = gradedCostsOf(held, options.lookup);
  requireCosts(costs, costWeight);
  const kept = heldOut.flatMap((prompt) => requests[prompt] ?? []);
  // A model's costs may be known of all prompts that are held out, and not of all others.
  const priced =
    costs === null || costs.priced.length === weighed.length
      ? kept
      : (await routeGraded(router, held, { weighed: costs.priced, per, signal })).requests;
  const decide = costs && decideAlong(priced, held, signal);
  const meanQuality = (choice: Int16Array) => mean([...reachedBy(choice, held.quality, held.models.length)]);
  const step = (choice: Int16Array) => ({ choice, quality: meanQuality(choice) });
  const sweep =
    decide === null || !along ? [] : sweepWeights((weight) => step(decide(weight)), { including });
  const known = count - heldOut.length;
  const at = (weight: number, along: readonly SweptWeight<Int16Array>[]) => {
    requireCosts(costs, weight);
    const chosen = weight === 0 || decide === null ? all.selected : decide(weight);
    return summarise({ router, held, costs, all, sweep: along, chosen, known }, options, weight);
  };
  const evaluated = at(costWeight, sweep);
  onProgress?.(count, count);
  return { ...evaluated, at: (weight) => at(weight, []).evaluation };
}

function requireCosts(costs: GradedCosts | null, costWeight: number): void {
  if (costs !== null || costWeight === 0) return;
  throw new WorkbenchError(
    `\`costWeight\` is ${costWeight}, but the cost of fewer than two models is known. Add cost_usd to the outcomes, or tokens_out ` +
      "and a price for the models, or decide at 0.",
  );
}

function requireModels({ models, prompts }: GradedPrompts): void {
  if (models.length >= 2 && prompts.length > 0) return;
  throw new WorkbenchError(
    models.length < 2
      ? `Graded answers of ${models.length === 0 ? "no model" : `the model ${models[0]} alone`} of the profile set were found. ` +
          "Give outcomes of at least two of its models (`sextant profile inspect` lists them)."
      : "No prompt has graded answers of all models. Give outcomes of the same prompts for each model.",
  );
}

function heldOutPrompts(
  { nearestSimilarity }: RoutedPrompts,
  { includeKnown = false }: EvaluateOptions,
): number[] {
  return [...nearestSimilarity.keys()].filter(
    (prompt) => includeKnown || (nearestSimilarity[prompt] as number) < SAME_PROMPT,
  );
}

function takeRouted(
  { selected, nearestSimilarity, outOfDistribution, ...tables }: RoutedPrompts,
  { heldOut, width }: { readonly heldOut: readonly number[]; readonly width: number },
): RoutedPrompts {
  const rows = (table: Float64Array) => {
    const taken = new Float64Array(heldOut.length * width);
    for (const [row, prompt] of heldOut.entries())
      taken.set(table.subarray(prompt * width, (prompt + 1) * width), row * width);
    return taken;
  };
  return {
    selected: Int16Array.from(heldOut, (prompt) => selected[prompt] as number),
    expected: rows(tables.expected),
    stderr: rows(tables.stderr),
    expectedUsd: rows(tables.expectedUsd),
    expectedTokens: rows(tables.expectedTokens),
    nearestSimilarity: Float64Array.from(heldOut, (prompt) => nearestSimilarity[prompt] as number),
    outOfDistribution: Uint8Array.from(heldOut, (prompt) => outOfDistribution[prompt] as number),
  };
}

interface Measured {
  readonly router: Pick<Router, "profileVersion">;
  readonly held: GradedPrompts;
  readonly costs: GradedCosts | null;
  /** Decided among all models at cost weight 0. */
  readonly all: RoutedPrompts;
  readonly sweep: readonly SweptWeight<Int16Array>[];
  readonly chosen: Int16Array;
  readonly known: number;
}

function summarise(
  measured: Measured,
  options: EvaluateOptions,
  costWeight: number,
): Omit<EvaluatedSweep, "at"> {
  const { seed = 0, leftOut } = options;
  const { router, held, costs, all, sweep, chosen, known } = measured;
  const { prompts, models, quality } = held;
  const count = prompts.length;
  const once = new Uint8Array(count).fill(1);
  const columnOf = (column: number): Int16Array => new Int16Array(count).fill(column);
  const qualityOf = (choice: Int16Array): Float64Array => reachedBy(choice, quality, models.length);
  const costOf = (choice: Int16Array): Float64Array | null =>
    costs === null ? null : reachedBy(choice, costs.usd, models.length);
  const singles = models.map((_, column) => weightedMean(qualityOf(columnOf(column)), once));
  const comparable = costs?.priced ?? models.map((_, column) => column);
  const best = comparable.reduce((a, b) => ((singles[b] as number) > (singles[a] as number) ? b : a));
  const reached = { quality: qualityOf(chosen), costUsd: costOf(chosen) };
  const beaten = { quality: qualityOf(columnOf(best)), costUsd: costOf(columnOf(best)) };
  const statistics: Record<string, Statistic> = {
    quality: (weights) => weightedMean(reached.quality, weights),
    gain: (weights) => weightedMean(reached.quality, weights) - weightedMean(beaten.quality, weights),
  };
  if (reached.costUsd !== null && beaten.costUsd !== null) {
    const [ours, theirs] = [reached.costUsd, beaten.costUsd];
    statistics.costUsd = (weights) => weightedMean(ours, weights);
    statistics.saved = (weights) => 1 - weightedMean(ours, weights) / weightedMean(theirs, weights);
  }
  const estimates = bootstrapEstimates(count, statistics, { seed });
  const oracle = mean(rowsOf(quality, models.length).map((row) => Math.max(...row)));
  const points = sweep.map(({ choice }) => pointOf(qualityOf(choice), costOf(choice)));
  const singlePoints = (costs?.priced ?? []).map((column) =>
    pointOf(qualityOf(columnOf(column)), costOf(columnOf(column))),
  );
  const gap = gapClosed(estimates.quality?.value ?? Number.NaN, {
    best: singles[best] as number,
    oracle,
  });
  const evaluation: Evaluation = {
    profileVersion: router.profileVersion,
    costWeight,
    prompts: count,
    knownPrompts: known,
    outOfDistribution: mean([...all.outOfDistribution]),
    costs: costs?.source ?? null,
    router: { quality: estimates.quality as Estimate, costUsd: estimates.costUsd ?? null },
    models: models
      .map((model, column) => ({
        model,
        quality: singles[column] as number,
        expectedQuality: weightedMean(columnValues(all.expected, { column, width: models.length }), once),
        costUsd: finite(weightedMean(costOf(columnOf(column)) ?? [], once)),
        chosen: mean(Array.from(chosen, (model) => (model === column ? 1 : 0))),
      }))
      .sort((a, b) => b.quality - a.quality || (a.model < b.model ? -1 : 1)),
    best: models[best] as string,
    gain: estimates.gain as Estimate,
    // Nothing can be saved of what costs nothing.
    saved: Number.isFinite(estimates.saved?.value) ? (estimates.saved ?? null) : null,
    hindsight: oracle,
    random: mean([...quality]),
    gapClosed: finite(gap),
    sweep: points.map(({ cost, quality: value }, step) => ({
      costWeight: sweep[step]?.costWeight as number,
      quality: value,
      costUsd: cost,
    })),
    frontier: frontierOf(points, { singlePoints, best: pointOf(beaten.quality, beaten.costUsd) }),
    calibration: calibrationOf(all.expected, quality, seed),
    decisions: prompts.map(({ id, benchmark }, index) => ({
      id,
      benchmark,
      model: models[chosen[index] as number] as string,
      quality: reached.quality[index] as number,
      costUsd: finite(reached.costUsd?.[index] ?? Number.NaN),
      ...(options.candidates === true && { candidates: candidatesOf(index, measured) }),
    })),
    leftOut: leftOut === undefined ? null : { ...leftOut, unpricedModels: unpricedModels(held, costs) },
  };
  return {
    evaluation,
    sweep: {
      costWeights: sweep.map(({ costWeight: weight }) => weight),
      quality: sweep.map(({ choice }) => qualityOf(choice)),
      costUsd: sweep.map(({ choice }) => costOf(choice) as Float64Array),
      best: { quality: beaten.quality, costUsd: beaten.costUsd ?? new Float64Array(0) },
    },
  };
}

function candidatesOf(prompt: number, { held, costs, all }: Measured): readonly EvaluatedCandidate[] {
  const { models, quality } = held;
  return models.map((model, column) => {
    const cell = prompt * models.length + column;
    const figure = (table: Float64Array | undefined) => finite(table?.[cell] ?? Number.NaN);
    return {
      model,
      quality: quality[cell] as number,
      costUsd: figure(costs?.usd),
      expectedQuality: figure(all.expected),
      qualityStderr: figure(all.stderr),
      expectedCostUsd: figure(all.expectedUsd),
      expectedTokens: figure(all.expectedTokens),
    };
  });
}

/** Where costs are known of two models or more, the others are no candidates above cost weight 0. */
function unpricedModels({ models }: GradedPrompts, costs: GradedCosts | null): readonly string[] {
  return costs === null ? [] : models.filter((_, column) => !costs.priced.includes(column));
}

function frontierOf(
  points: readonly CostQuality[],
  { singlePoints, best }: { readonly singlePoints: readonly CostQuality[]; readonly best: CostQuality },
): Evaluation["frontier"] {
  if (points.length === 0) return null;
  return {
    averageQuality: averageImprovement(points, singlePoints),
    averageQualityOfSingles: averageImprovement(singlePoints, singlePoints),
    savedAtEqualQuality: finite(costSaved(points, best)),
  };
}

function calibrationOf(
  expectations: Float64Array,
  quality: Float64Array,
  seed: number,
): Evaluation["calibration"] {
  // A model whose context window a prompt does not fit into has no expectation there.
  const expected = expectations.filter((value) => !Number.isNaN(value));
  const seen = quality.filter((_, cell) => !Number.isNaN(expectations[cell] as number));
  const forecasts = { expected, seen };
  return {
    error: expectedCalibrationError(forecasts),
    ifPerfect: calibrationFloor(expected, { random: seededRandom(seed), draws: FLOOR_DRAWS }),
    brier: brierScore(forecasts),
    bins: calibrationBins(forecasts),
  };
}

function pointOf(quality: Float64Array, cost: Float64Array | null): CostQuality {
  return { quality: mean([...quality]), cost: cost === null ? Number.NaN : mean([...cost]) };
}

const rowsOf = (table: Float64Array, width: number): Float64Array[] =>
  Array.from({ length: table.length / width }, (_, row) => table.subarray(row * width, (row + 1) * width));

const columnValues = (
  table: Float64Array,
  { column, width }: { readonly column: number; readonly width: number },
): number[] =>
  Array.from({ length: table.length / width }, (_, row) => table[row * width + column] as number);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
