import { mean, upperTail } from "../../bench/report/statistics.js";

export interface TimedValue {
  readonly minute: number;
  readonly value: number;
}

export interface Trend {
  /** Change per hour. */
  readonly perHour: number;
  /** 95 %. */
  readonly interval: { readonly low: number; readonly high: number };
}

/**
 * The straight line through values over time, by least squares on their means per minute: readings a few seconds apart are not
 * independent of each other, and would make the interval too narrow.
 *
 * @returns undefined for fewer than three minutes
 */
export function trendOf(values: readonly TimedValue[]): Trend | undefined {
  const minutes = new Map<number, number[]>();
  for (const { minute, value } of values) {
    const whole = Math.floor(minute);
    minutes.set(whole, [...(minutes.get(whole) ?? []), value]);
  }
  const points = [...minutes].map(([x, ofMinute]) => ({ x, y: mean(ofMinute) }));
  if (points.length < 3) return undefined;
  const centre = { x: mean(points.map(({ x }) => x)), y: mean(points.map(({ y }) => y)) };
  const spread = sum(points.map(({ x }) => (x - centre.x) ** 2));
  const slope = sum(points.map(({ x, y }) => (x - centre.x) * (y - centre.y))) / spread;
  const residuals = points.map(({ x, y }) => y - centre.y - slope * (x - centre.x));
  const degreesOfFreedom = points.length - 2;
  const standardError = Math.sqrt(sum(residuals.map((value) => value ** 2)) / degreesOfFreedom / spread);
  const margin = studentQuantile(degreesOfFreedom) * standardError;
  return {
    perHour: 60 * slope,
    interval: { low: 60 * (slope - margin), high: 60 * (slope + margin) },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The t above which 2.5 % of Student's distribution lie, by bisection. */
function studentQuantile(degreesOfFreedom: number): number {
  let [low, high] = [0, 100];
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (upperTail(middle, degreesOfFreedom) > 0.025) low = middle;
    else high = middle;
  }
  return high;
}
