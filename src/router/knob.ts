import { type Estimate, paretoFrontier, pickFromFrontier } from "./decide.js";
import type { KnobSetting } from "./knob-setting.js";

/**
 * `cost_weight` → trade-off. Raw weights are useless as a knob: dollars per request are tiny and differ by a factor of a
 * thousand between models. So the knob is calibrated on the loaded profiles: as `cost_weight` goes from 0 to 1 the
 * logarithm of the mean spend falls linearly from that of "best quality" to that of "cheapest".
 */
export interface Knob {
  /** @param costWeight ≥ 0; above 1 acts as 1. */
  readonly at: (costWeight: number) => KnobSetting;
  /** Mean spend per request in dollars that the calibration promises at a weight; null when no price is known. */
  readonly promisedSpendUsd: (costWeight: number) => number | null;
}

/** Points of the calibration table; settings between them are interpolated. */
const STEPS = 20;
/** Standard errors of noise at `cost_weight` 1 (guess). */
const NOISE_MULTIPLE_AT_ONE = 0.5;
/** The cheap end is reached to within 1 %: the last per cent would need an infinite weight. */
const SPEND_SLACK = 1.01;
/** log2 of the largest price of quality tried, in unit dollars. */
const MAX_LOG2_PRICE = 24;

export interface KnobCalibration {
  /** Estimates of all priced models for each of a sample of prompts. */
  readonly prompts: readonly (readonly Estimate[])[];
  readonly pairedCorrelation: number;
}

export function calibrateKnob(calibration: KnobCalibration): Knob {
  const prompts = calibration.prompts
    .map((estimates) => paretoFrontier(estimates))
    .filter((front) => front.length > 0);
  if (prompts.length === 0) return uncalibratedKnob();
  const spendAt = (setting: KnobSetting): number =>
    meanSpend(prompts, setting, calibration.pairedCorrelation);
  const dearest = mean(prompts.map((front) => front.at(-1)?.costUsd ?? 0));
  const cheapest = mean(prompts.map((front) => front[0]?.costUsd ?? 0));
  const unitUsd = Math.max(dearest - cheapest, dearest * 1e-3, 1e-12);
  const prices: number[] = [0];
  for (let step = 1; step <= STEPS; step++) {
    const costWeight = step / STEPS;
    const target = promised({ dearest, cheapest }, costWeight) * (step === STEPS ? SPEND_SLACK : 1);
    const price = solve(
      (tradeOffPrice) => spendAt(settingOf({ costWeight, price: tradeOffPrice, unitUsd })) <= target,
    );
    prices.push(Math.max(price, prices[step - 1] as number));
  }
  return {
    at: (asked) => {
      const costWeight = Math.min(1, Math.max(0, asked));
      return settingOf({ costWeight, price: interpolate(prices, costWeight), unitUsd });
    },
    promisedSpendUsd: (asked) => promised({ dearest, cheapest }, Math.min(1, Math.max(0, asked))),
  };
}

/** With no known price there is nothing to weigh; quality alone decides. */
function uncalibratedKnob(): Knob {
  return {
    at: (asked) => settingOf({ costWeight: Math.min(1, Math.max(0, asked)), price: 0, unitUsd: 1 }),
    promisedSpendUsd: () => null,
  };
}

/** Price: units of quality per `unitUsd`; it is w / (1 − w). */
function settingOf(point: {
  readonly costWeight: number;
  readonly price: number;
  readonly unitUsd: number;
}): KnobSetting {
  return {
    costWeight: point.costWeight,
    tradeOff: point.price / (1 + point.price),
    unitUsd: point.unitUsd,
    noiseMultiple: NOISE_MULTIPLE_AT_ONE * point.costWeight,
  };
}

function promised(ends: { readonly dearest: number; readonly cheapest: number }, costWeight: number): number {
  if (ends.cheapest <= 0 || ends.dearest <= 0)
    return ends.dearest + costWeight * (ends.cheapest - ends.dearest);
  return Math.exp((1 - costWeight) * Math.log(ends.dearest) + costWeight * Math.log(ends.cheapest));
}

/** @param prompts Pareto frontiers */
function meanSpend(
  prompts: readonly (readonly Estimate[])[],
  knob: KnobSetting,
  pairedCorrelation: number,
): number {
  return mean(prompts.map((front) => pickFromFrontier(front, { knob, pairedCorrelation })?.costUsd ?? 0));
}

/** Smallest price (to within 1 %) at which the condition holds, by bisection of its logarithm; 0 if it holds at 0. */
function solve(holds: (price: number) => boolean): number {
  if (holds(0)) return 0;
  let low = -MAX_LOG2_PRICE;
  let high = MAX_LOG2_PRICE;
  while (high - low > 0.01) {
    const middle = (low + high) / 2;
    if (holds(2 ** middle)) high = middle;
    else low = middle;
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

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}
