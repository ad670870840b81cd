import { findSets, saveRecommendedWeight } from "../../engine/index.js";
import { bootstrapEstimates, type Estimate } from "../../foundation/bootstrap.js";
import { seededRandom } from "../../foundation/random.js";
import { weightedMean } from "../metrics/choices.js";
import { kneeOf } from "../metrics/hull.js";
import { WorkbenchError } from "../workbench-error.js";

/** Points of quality that recommended cost weights may lose, as shares. */
export const MAX_LOSSES: readonly number[] = [0, 0.01, 0.02, 0.05];

/** Decisions along the cost weight, as `evaluate` makes them. */
export interface Sweep {
  readonly costWeights: readonly number[];
  /** Quality of the chosen models' answers, `[cost weights][prompts]`. */
  readonly quality: readonly Float64Array[];
  /** Dollars, likewise. */
  readonly costUsd: readonly Float64Array[];
  /** Of the best single model, `[prompts]`. */
  readonly best: { readonly quality: Float64Array; readonly costUsd: Float64Array };
}

/** What a cost weight is to keep to: one of the three. */
export type WeightGoal =
  /** Quality at most this far below the best that the prompts reach, by any cost weight or the best single model, 0 to 1. */
  | { readonly maxLoss: number }
  /** At most this many dollars a prompt. */
  | { readonly maxCostUsd: number }
  /** The knee of cost and quality, where the curve has a pronounced one: beyond it, quality falls faster than cost. */
  | "knee";

export interface ChosenWeight {
  /** Null: no cost weight keeps to the goal on these prompts. */
  readonly costWeight: number | null;
  /** The cost weight of highest quality on these prompts, the cheapest of equal ones, and quality against it: at most 0. */
  readonly bestWeight: { readonly costWeight: number; readonly gain: Estimate } | null;
  /** At the chosen weight: quality against the best single model, share of its cost saved, dollars a prompt. */
  readonly gain: Estimate | null;
  readonly saved: Estimate | null;
  readonly costUsd: Estimate | null;
  /**
   * The same on prompts that the weight was not chosen by: chosen on one half, measured on the other, mean of 200 divisions.
   * Closer to what later prompts will show. Null when most halves have no weight that keeps to the goal.
   */
  readonly onOtherPrompts: { readonly gain: number; readonly saved: number; readonly costUsd: number } | null;
}

const DIVISIONS = 200;

/** What a cost weight of the sweep is worth; null when the sweep does not have it. */
export function weighedStep(
  sweep: Sweep,
  costWeight: number,
  { seed = 0 }: ChooseOptions = {},
): WeighedStep | null {
  const step = sweep.costWeights.indexOf(costWeight);
  return step === -1 ? null : weighedAt(sweep, step, seed);
}

/** As `chooseWeights`, for one goal. @throws WorkbenchError without costs */
export function chooseWeight(sweep: Sweep, goal: WeightGoal, options: ChooseOptions = {}): ChosenWeight {
  return chooseWeights(sweep, [goal], options)[0] as ChosenWeight;
}

interface ChooseOptions {
  readonly seed?: number | undefined;
}

/**
 * For each goal the cost weight that saves most within a loss of quality, is best within a spend, or is the knee of both.
 *
 * @throws WorkbenchError without costs
 */
export function chooseWeights(
  sweep: Sweep,
  goals: readonly WeightGoal[],
  { seed = 0 }: ChooseOptions = {},
): readonly ChosenWeight[] {
  if (sweep.costWeights.length === 0) {
    throw new WorkbenchError(
      "The cost of fewer than two models is known, so that there is nothing to weigh. Add cost_usd to the outcomes, or tokens_out and a price for the models.",
    );
  }
  const every = stepsUnder(sweep, new Uint8Array(sweep.best.quality.length).fill(1));
  const onOtherPrompts = crossValidated(sweep, goals, seed);
  return goals.map((goal, at) => {
    const step = chosenStep(every, goal);
    const weighed = step === null ? NONE : weighedAt(sweep, step, seed);
    return { ...weighed, onOtherPrompts: onOtherPrompts[at] ?? null };
  });
}

const NONE = { costWeight: null, bestWeight: null, gain: null, saved: null, costUsd: null } as const;

/** What a cost weight is worth on the prompts, as in `ChosenWeight`. */
export interface WeighedStep {
  readonly costWeight: number;
  readonly bestWeight: { readonly costWeight: number; readonly gain: Estimate };
  readonly gain: Estimate;
  readonly saved: Estimate;
  readonly costUsd: Estimate;
}

function weighedAt(sweep: Sweep, step: number, seed: number): WeighedStep {
  const best = bestStep(sweep);
  const { gainOnBest, ...estimates } = bootstrapEstimates(
    sweep.best.quality.length,
    {
      gain: (weights) => gainAt(sweep, step, weights),
      gainOnBest: (weights) => gainAt(sweep, step, weights) - gainAt(sweep, best, weights),
      saved: (weights) => savedAt(sweep, step, weights),
      costUsd: (weights) => weightedMean(sweep.costUsd[step] as Float64Array, weights),
    },
    { seed },
  );
  const bestWeight = { costWeight: sweep.costWeights[best] as number, gain: gainOnBest };
  return { costWeight: sweep.costWeights[step] as number, bestWeight, ...estimates };
}

/** @param weights how often each prompt counts */
const gainAt = ({ quality, best }: Sweep, step: number, weights: ArrayLike<number>): number =>
  weightedMean(quality[step] as Float64Array, weights) - weightedMean(best.quality, weights);

const savedAt = ({ costUsd, best }: Sweep, step: number, weights: ArrayLike<number>): number =>
  1 - weightedMean(costUsd[step] as Float64Array, weights) / weightedMean(best.costUsd, weights);

interface StepOutcome {
  readonly gain: number;
  readonly costUsd: number;
}

/** Of every cost weight. @param weights how often each prompt counts */
function stepsUnder({ quality, costUsd, best }: Sweep, weights: ArrayLike<number>): StepOutcome[] {
  const single = weightedMean(best.quality, weights);
  return quality.map((reached, step) => ({
    gain: weightedMean(reached, weights) - single,
    costUsd: weightedMean(costUsd[step] as Float64Array, weights),
  }));
}

/** The step of highest quality, the cheapest of equal ones. */
function bestStep(sweep: Sweep): number {
  const every = new Uint8Array(sweep.best.quality.length).fill(1);
  const outcomes = stepsUnder(sweep, every).map((outcome, step) => ({ step, ...outcome }));
  return outcomes.reduce((best, each) =>
    each.gain > best.gain || (each.gain === best.gain && each.costUsd < best.costUsd) ? each : best,
  ).step;
}

function chosenStep(outcomes: readonly StepOutcome[], goal: WeightGoal): number | null {
  if (goal === "knee") return kneeOf(outcomes.map(({ gain, costUsd }) => ({ quality: gain, cost: costUsd })));
  const bestGain = Math.max(0, ...outcomes.map(({ gain }) => gain));
  let chosen: { readonly step: number; readonly worth: number } | null = null;
  for (const [step, { gain, costUsd }] of outcomes.entries()) {
    const keeps = "maxLoss" in goal ? gain >= bestGain - goal.maxLoss : costUsd <= goal.maxCostUsd;
    const worth = "maxLoss" in goal ? -costUsd : gain;
    if (keeps && (chosen === null || worth > chosen.worth)) chosen = { step, worth };
  }
  return chosen?.step ?? null;
}

/** For each goal what it is worth on halves of the prompts that it was not chosen by. */
function crossValidated(
  sweep: Sweep,
  goals: readonly WeightGoal[],
  seed: number,
): ChosenWeight["onOtherPrompts"][] {
  const random = seededRandom(seed);
  const count = sweep.best.quality.length;
  const found = goals.map((): NonNullable<ChosenWeight["onOtherPrompts"]>[] => []);
  for (let division = 0; division < DIVISIONS; division++) {
    const first = Uint8Array.from({ length: count }, () => (random() < 0.5 ? 1 : 0));
    const other = first.map((one) => 1 - one);
    const outcomes = stepsUnder(sweep, first);
    goals.forEach((goal, at) => {
      const step = chosenStep(outcomes, goal);
      if (step === null) return;
      const [gain, saved] = [gainAt(sweep, step, other), savedAt(sweep, step, other)];
      const costUsd = weightedMean(sweep.costUsd[step] as Float64Array, other);
      if (Number.isFinite(gain) && Number.isFinite(saved)) found[at]?.push({ gain, saved, costUsd });
    });
  }
  return found.map((outcomes) => {
    if (outcomes.length < DIVISIONS / 2) return null;
    const mean = (of: "gain" | "saved" | "costUsd"): number =>
      outcomes.reduce((sum, outcome) => sum + outcome[of], 0) / outcomes.length;
    return { gain: mean("gain"), saved: mean("saved"), costUsd: mean("costUsd") };
  });
}

interface SaveOptions {
  readonly goal: WeightGoal;
  /** Held-out prompts that it was chosen by. */
  readonly prompts: number;
  /** ISO 8601, UTC. */
  readonly savedAt: string;
}

/**
 * The one set of a folder, to save a recommendation in.
 *
 * @throws WorkbenchError when the folder is not named, or holds none or several
 */
export async function setToSaveIn(folder: string | undefined): Promise<string> {
  if (folder === undefined)
    throw new WorkbenchError("A cost weight is saved in one profile set: name its folder with `set`.");
  const [set, ...more] = await findSets(folder);
  if (set === undefined) throw new WorkbenchError(`${folder} holds no profile set to save a cost weight in.`);
  if (more.length > 0)
    throw new WorkbenchError(`${folder} holds ${more.length + 1} profile sets; name one of its sub-folders`);
  return set;
}

/**
 * Saves a chosen cost weight in the set that it was chosen on.
 *
 * @throws WorkbenchError when none was found, or the manifest of the set cannot be written
 */
export async function saveChosenWeight(
  set: string,
  { costWeight }: Pick<ChosenWeight, "costWeight">,
  { goal, prompts, savedAt }: SaveOptions,
): Promise<void> {
  if (costWeight === null)
    throw new WorkbenchError(
      goal === "knee"
        ? "The curve of cost and quality has no pronounced knee, so that no cost weight was saved. Say how much quality may be lost instead: `maxLoss`."
        : "No cost weight keeps to the goal, so that none was saved. Allow more, or profile other models.",
    );
  const recommended = { cost_weight: costWeight, ...ruleOf(goal), prompts, saved_at: savedAt };
  try {
    await saveRecommendedWeight(set, recommended);
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new WorkbenchError(`The cost weight cannot be saved in ${set}: ${cause.message}`, { cause });
  }
}

function ruleOf(goal: WeightGoal) {
  if (goal === "knee") return { rule: "knee", limit: null } as const;
  return "maxLoss" in goal
    ? ({ rule: "max_loss", limit: goal.maxLoss } as const)
    : ({ rule: "max_cost", limit: goal.maxCostUsd } as const);
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error;
