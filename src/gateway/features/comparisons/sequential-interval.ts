/** Intervals that may be looked at after every comparison: their error holds for all looks together. */
import type { Estimate } from "../../../foundation/bootstrap.js";

/** How often each difference occurred; every one from -1, the other answer was worse, to 1, it was better. */
export type DifferenceCounts = ReadonlyMap<number, number>;

/** Chance that the interval ever misses the mean, over all looks. */
const ERROR = 0.05;

/**
 * Shares of its money that the bettor stakes, equally often on a logarithmic scale: small ones win once there are many
 * comparisons, large ones where nearly all are ties. Forty are so close that one between two gains next to nothing (tried).
 */
const STAKES = Array.from({ length: 40 }, (_, at) => 0.99 * 0.001 ** (at / 39));

/**
 * Mean difference with an interval that contains it at all times with a chance of 95 %, whatever the distribution.
 *
 * A bettor who starts with one dollar bets against each possible mean: while that is the true one, the money is a
 * martingale, and ever having 40 dollars (two sides of 20) has a chance of 1 in 40. Means against which it has won that are
 * left out. The money is the mean over all stakes, which needs no forecast and depends on the counts alone. Betting by
 * Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2023 (arxiv.org/abs/2010.09686); the
 * mixture over stakes by the universal portfolio of Cover, 1991.
 */
export function sequentialInterval(counts: DifferenceCounts): Estimate {
  const entries = [...counts].filter(([, often]) => often > 0);
  const total = entries.reduce((sum, [, often]) => sum + often, 0);
  if (total === 0) return { value: 0, low: -1, high: 1 };
  const value = entries.reduce((sum, [difference, often]) => sum + difference * often, 0) / total;
  const mirrored = entries.map(([difference, often]) => [-difference, often] as const);
  return { value, low: lowerBound(entries, value), high: -lowerBound(mirrored, -value) };
}

type Entries = readonly (readonly [difference: number, often: number])[];

/** Halvings of the range from -1 to the mean: to less than a thousandth of a point. */
const HALVINGS = 18;

/** The largest mean that the bets on a higher one have ruled out; money falls as the mean that is bet against rises. */
function lowerBound(entries: Entries, mean: number): number {
  const needed = Math.log(2 / ERROR);
  let [ruledOut, possible] = [-1, mean];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (ruledOut + possible) / 2;
    if (logMoney(entries, middle) >= needed) ruledOut = middle;
    else possible = middle;
  }
  return ruledOut;
}

/** Of bets that the mean is higher, each of which stakes its share on `(1 + difference) / (1 + mean)`. */
function logMoney(entries: Entries, mean: number): number {
  const logs = STAKES.map((stake) =>
    entries.reduce(
      (sum, [difference, often]) => sum + often * Math.log1p(stake * ((1 + difference) / (1 + mean) - 1)),
      0,
    ),
  );
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / STAKES.length);
}

/** Of the standard normal distribution: four times in five a value is below. */
const POWER_80 = 0.8416;

/**
 * The smallest loss that so many comparisons with that spread find four times in five or more: half of the interval, and
 * what the mean is off. 1 without any.
 */
export function detectableLoss(counts: DifferenceCounts): number {
  const { value, low } = sequentialInterval(counts);
  let [total, squares] = [0, 0];
  for (const [difference, often] of counts) {
    total += often;
    squares += often * (difference - value) ** 2;
  }
  return total < 2
    ? 1
    : Math.min(1, value - low + (POWER_80 * Math.sqrt(squares / (total - 1))) / Math.sqrt(total));
}

/** Comparisons at which the interval of a ratio is narrowest for what is known (guess: that of a first decision). */
const TUNED_FOR = 500;
/** Fewer say nothing of a spread (guess). */
const LEAST_COSTS = 20;

/** The bills of an answer that was served and of the other one, in US dollars. */
export interface ComparedBills {
  readonly served: number;
  readonly other: number;
}

/**
 * Change of the bill as a share of what was served, with an interval for all looks together; null while there are fewer than 20
 * bills, or all are nothing. Dollars have no largest value to bet with, so that it is asymptotic: by Waudby-Smith, Arbour,
 * Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", 2024
 * (arxiv.org/abs/2103.06476), for the linear part of the ratio.
 */
export function billChange(bills: readonly ComparedBills[]): Estimate | null {
  const count = bills.length;
  const sums = bills.reduce(
    (before, { served, other }) => ({ served: before.served + served, other: before.other + other }),
    { served: 0, other: 0 },
  );
  if (count < LEAST_COSTS || sums.served <= 0) return null;
  const ratio = sums.other / sums.served;
  const mean = sums.served / count;
  const squares = bills.reduce((sum, { served, other }) => sum + ((other - ratio * served) / mean) ** 2, 0);
  const tuned = 8.3 / TUNED_FOR;
  const grown = count * tuned + 1;
  const width =
    Math.sqrt(squares / (count - 1)) *
    Math.sqrt(((2 * grown) / (count ** 2 * tuned)) * Math.log(Math.sqrt(grown) / ERROR));
  return { value: ratio - 1, low: ratio - 1 - width, high: ratio - 1 + width };
}
