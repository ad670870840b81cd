/** The arithmetic that figures are summed up and judged by. */

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of the two middle ones for an even count; NaN for none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Linear between the two nearest ranks; NaN for no values. @param share in [0, 1] */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** Unbiased; 0 for fewer than two values. */
export function variance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}

/** An estimated difference and its standard error. */
export interface Difference {
  readonly estimate: number;
  readonly standardError: number;
  readonly degreesOfFreedom: number;
}

/** Mean of `after − before`, value by value: both were made by the same rounds, seeds or prompts. */
export function pairedDifference(before: readonly number[], after: readonly number[]): Difference {
  const differences = after.map((value, index) => value - (before[index] ?? Number.NaN));
  return {
    estimate: mean(differences),
    standardError: Math.sqrt(variance(differences) / differences.length),
    degreesOfFreedom: differences.length - 1,
  };
}

/** Mean of `after` less mean of `before`, whose spreads may differ (Welch 1947). */
export function unpairedDifference(before: readonly number[], after: readonly number[]): Difference {
  const parts = [before, after].map((values) => variance(values) / values.length);
  const [a = 0, b = 0] = parts;
  const spread = a ** 2 / (before.length - 1) + b ** 2 / (after.length - 1);
  return {
    estimate: mean(after) - mean(before),
    standardError: Math.sqrt(a + b),
    degreesOfFreedom: spread > 0 ? (a + b) ** 2 / spread : before.length + after.length - 2,
  };
}

/**
 * Probability of a difference at least as large as this one when the true one is at most `margin` (one-sided t-test).
 * Without any variance it is 0 or 1.
 */
export function chanceOfMoreThan(margin: number, difference: Difference): number {
  const { estimate, standardError, degreesOfFreedom } = difference;
  if (standardError === 0) return estimate > margin ? 0 : 1;
  return upperTail((estimate - margin) / standardError, degreesOfFreedom);
}

/**
 * Holm's step-down correction: adjusted p-values such that rejecting those below α is wrong for any of them with
 * probability at most α, for any number of tests and any dependence.
 */
export function adjustForMany(chances: readonly number[]): number[] {
  const order = [...chances.keys()].sort((a, b) => (chances[a] ?? 1) - (chances[b] ?? 1));
  const adjusted = new Array<number>(chances.length).fill(1);
  let least = 0;
  for (const [rank, index] of order.entries()) {
    least = Math.max(least, Math.min(1, (chances.length - rank) * (chances[index] ?? 1)));
    adjusted[index] = least;
  }
  return adjusted;
}

/** P(T > t) of Student's distribution. */
export function upperTail(t: number, degreesOfFreedom: number): number {
  const both = incompleteBeta(degreesOfFreedom / (degreesOfFreedom + t * t), degreesOfFreedom / 2, 0.5);
  return t > 0 ? both / 2 : 1 - both / 2;
}

/** Regularised, by Lentz's continued fraction (Numerical Recipes §6.4). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

const TINY = 1e-300;

function betaFraction(x: number, a: number, b: number): number {
  const away = (value: number) => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-12) break;
  }
  return value;
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** ln Γ(x) for x > 0 (Lanczos, g = 7). */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const sum = LANCZOS.reduce((total, factor, index) => total + factor / (x + index), 0.9999999999998099);
  const base = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum);
}
