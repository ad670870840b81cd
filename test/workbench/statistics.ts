/** What planted worlds are drawn with, and judged by. */

export const meanOf = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

/** The share of the values that are below a limit. */
export const shareBelow = (limit: number, values: readonly number[]): number =>
  values.filter((value) => value < limit).length / values.length;

/** A probability of log-odds. */
export const chance = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/** Draws of the standard normal distribution. */
export const normalOf = (random: () => number) => (): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
