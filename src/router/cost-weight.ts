import { type Estimates, pairedStderr, paretoFrontier } from "./estimates.js";
import { allowedShortfall, costAdjustedScore, type TradeOff } from "./trade-off.js";

/**
 * Calibration of `cost_weight`. Dollars per request are small and differ by a factor of a thousand between models, so a
 * weight is defined as a position between the mean spend of "best quality" (0) and of "cheapest" (1) over the profiled
 * prompts, linear in the logarithm of the spend.
 */
export interface CostWeightCalibration {
  /** @param costWeight ≥ 0; above 1 acts as 1. */
  readonly tradeOffAt: (costWeight: number) => TradeOff;
  /** Expected mean spend per request in dollars at a weight; null when no price is known. */
  readonly promisedSpendUsd: (costWeight: number) => number | null;
  /** Computes a little of the calibration, under a millisecond, ahead of the first use of a weight above 0. @returns whether it is done */
  readonly step: () => boolean;
}

/** Points of the calibration table; trade-offs between them are interpolated. */
const STEPS = 20;
/** Standard errors of noise at `cost_weight` 1 (guess). */
const NOISE_MULTIPLE_AT_ONE = 0.5;
/** Difference of quality that is ignored at `cost_weight` 1, whatever the standard errors (decision 0004). */
const TOLERANCE_AT_ONE = 0.03;
/** The cheap end is reached to within 1 %: the last per cent would need an infinite weight. */
const SPEND_SLACK = 1.01;
/** log2 of the largest price of quality tried, in unit dollars. */
const MAX_LOG2_PRICE = 24;

export interface CalibrationSample {
  /** Estimates of all models with a known cost for each of a sample of prompts. */
  readonly prompts: Iterable<Estimates>;
  readonly pairedCorrelation: number;
}

/**
 * Computed at the first use of a weight above 0, which takes about 300 ms for 1,000 prompts of 400 models, mostly for
 * the estimates. Requests at weight 0 never wait for it; one above 0 computes what `step` has left.
 */
export function calibrateCostWeight(sample: CalibrationSample): CostWeightCalibration {
  let solved: SolvedCalibration | undefined;
  const steps = solveCalibration(sample);
  const step = (): boolean => {
    if (solved !== undefined) return true;
    const next = steps.next();
    if (next.done === true) solved = next.value;
    return next.done === true;
  };
  const solve = (): SolvedCalibration => {
    while (!step());
    return solved as SolvedCalibration;
  };
  return {
    tradeOffAt: (asked) => (asked > 0 ? solve().tradeOffAt(clampUnit(asked)) : BEST_QUALITY),
    promisedSpendUsd: (asked) => solve().promisedSpendUsd(clampUnit(asked)),
    step,
  };
}

const BEST_QUALITY: TradeOff = tradeOffOf({ costWeight: 0, price: 0, unitUsd: 1 });

/** Weights in [0, 1]. */
type SolvedCalibration = Omit<CostWeightCalibration, "step">;

/** A computation that can pause wherever it yields. */
type Steps<Result> = Generator<void, Result, void>;

function* solveCalibration(sample: CalibrationSample): Steps<SolvedCalibration> {
  const frontiers = yield* frontiersOf(sample);
  if (frontiers.length === 0) return uncalibrated();
  const highest = mean(frontiers.map(({ costUsd }) => costUsd.at(-1) ?? 0));
  const lowest = mean(frontiers.map(({ costUsd }) => costUsd[0] ?? 0));
  const promisedAt = (costWeight: number): number => promised({ highest, lowest }, costWeight);
  const unitUsd = Math.max(highest - lowest, highest * 1e-3, 1e-12);
  const prices: number[] = [0];
  for (let step = 1; step <= STEPS; step++) {
    const costWeight = step / STEPS;
    const target = promisedAt(costWeight) * (step === STEPS ? SPEND_SLACK : 1);
    const isReached = (price: number): boolean =>
      meanSpend(frontiers, tradeOffOf({ costWeight, price, unitUsd })) <= target;
    prices.push(yield* leastPrice(isReached, prices[step - 1] as number));
  }
  return {
    tradeOffAt: (costWeight) => tradeOffOf({ costWeight, price: interpolate(prices, costWeight), unitUsd }),
    promisedSpendUsd: promisedAt,
  };
}

/** Without a known price, quality alone decides. */
function uncalibrated(): SolvedCalibration {
  return {
    tradeOffAt: (costWeight) => tradeOffOf({ costWeight, price: 0, unitUsd: 1 }),
    promisedSpendUsd: () => null,
  };
}

/** The Pareto frontier for one prompt, by increasing cost and quality. */
interface Frontier {
  readonly costUsd: Float64Array;
  readonly quality: Float64Array;
  /** Standard error of the difference to the model of highest quality. */
  readonly stderr: Float64Array;
}

function* frontiersOf(sample: CalibrationSample): Steps<readonly Frontier[]> {
  const frontiers: Frontier[] = [];
  for (const estimates of sample.prompts) {
    const { costUsd, quality, stderr } = estimates;
    const entries = paretoFrontier(estimates);
    const leader = entries.at(-1);
    if (leader === undefined) continue;
    const frontier = {
      costUsd: new Float64Array(entries.length),
      quality: new Float64Array(entries.length),
      stderr: new Float64Array(entries.length),
    };
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as number;
      frontier.costUsd[index] = costUsd[entry] as number;
      frontier.quality[index] = quality[entry] as number;
      if (entry === leader) continue;
      frontier.stderr[index] = pairedStderr(stderr[entry] as number, stderr[leader] as number, sample);
    }
    frontiers.push(frontier);
    yield;
  }
  return frontiers;
}

function meanSpend(frontiers: readonly Frontier[], tradeOff: TradeOff): number {
  let sum = 0;
  for (const frontier of frontiers) sum += costOfChoice(frontier, tradeOff);
  return sum / frontiers.length;
}

/** Cost of the model that `decide` would choose: the cheapest within the noise of the best score. */
function costOfChoice({ costUsd, quality, stderr }: Frontier, tradeOff: TradeOff): number {
  const scoreOf = (entry: number): number =>
    costAdjustedScore(tradeOff, { quality: quality[entry] as number, costUsd: costUsd[entry] as number });
  let best = Number.NEGATIVE_INFINITY;
  for (let entry = 0; entry < costUsd.length; entry++) best = Math.max(best, scoreOf(entry));
  for (let entry = 0; entry < costUsd.length; entry++) {
    const isLeader = entry === costUsd.length - 1;
    const allowed = isLeader ? 0 : allowedShortfall(tradeOff, stderr[entry] as number);
    if (best - scoreOf(entry) <= allowed) return costUsd[entry] as number;
  }
  return costUsd.at(-1) ?? 0;
}

/** Price: units of quality per `unitUsd`; it is w / (1 − w). */
function tradeOffOf(point: {
  readonly costWeight: number;
  readonly price: number;
  readonly unitUsd: number;
}): TradeOff {
  return {
    costWeight: point.costWeight,
    costShare: point.price / (1 + point.price),
    unitUsd: point.unitUsd,
    noiseMultiple: NOISE_MULTIPLE_AT_ONE * point.costWeight,
    tolerance: TOLERANCE_AT_ONE * point.costWeight,
  };
}

function promised(ends: { readonly highest: number; readonly lowest: number }, costWeight: number): number {
  const { highest, lowest } = ends;
  if (lowest <= 0 || highest <= 0) return highest + costWeight * (lowest - highest);
  return Math.exp((1 - costWeight) * Math.log(highest) + costWeight * Math.log(lowest));
}

/**
 * Least price, to within 1 %, that is not below `least` and at which the condition holds: by bisection of its logarithm.
 *
 * @param holds stays true as the price grows
 */
function* leastPrice(holds: (price: number) => boolean, least: number): Steps<number> {
  if (holds(least)) return least;
  let low = least > 0 ? Math.log2(least) : -MAX_LOG2_PRICE;
  let high = least > 0 ? low + 1 : MAX_LOG2_PRICE;
  // Each price is not far above the one before.
  while (high < MAX_LOG2_PRICE && !holds(2 ** high)) [low, high] = [high, 2 * high - low];
  high = Math.min(high, MAX_LOG2_PRICE);
  while (high - low > 0.01) {
    const middle = (low + high) / 2;
    if (holds(2 ** middle)) high = middle;
    else low = middle;
    yield;
  }
  return 2 ** high;
}

function interpolate(table: readonly number[], costWeight: number): number {
  const position = costWeight * STEPS;
  const below = Math.min(Math.floor(position), STEPS - 1);
  const low = table[below] as number;
  const high = table[below + 1] as number;
  // Geometric between positive prices, as spend falls with the logarithm; linear from zero.
  const share = position - below;
  return low > 0 && high > 0 ? low ** (1 - share) * high ** share : low + share * (high - low);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
const clampUnit = (value: number): number => Math.min(1, Math.max(0, value));
