import { mean } from "../../bench/report/statistics.js";

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
 * @returns undefined for fewer than five minutes
 */
export function trendOf(values: readonly TimedValue[]): Trend | undefined {
  const minutes = new Map<number, number[]>();
  for (const { minute, value } of values) {
    const whole = Math.floor(minute);
    minutes.set(whole, [...(minutes.get(whole) ?? []), value]);
  }
  const points = [...minutes].map(([x, ofMinute]) => ({ x, y: mean(ofMinute) }));
  if (points.length < 5) return undefined;
  const centre = { x: mean(points.map(({ x }) => x)), y: mean(points.map(({ y }) => y)) };
  const spread = sum(points.map(({ x }) => (x - centre.x) ** 2));
  const slope = sum(points.map(({ x, y }) => (x - centre.x) * (y - centre.y))) / spread;
  const residuals = points.map(({ x, y }) => y - centre.y - slope * (x - centre.x));
  const degreesOfFreedom = points.length - 2;
  const standardError = Math.sqrt(sum(residuals.map((value) => value ** 2)) / degreesOfFreedom / spread);
  const margin = student(degreesOfFreedom) * standardError;
  return {
    perHour: 60 * slope,
    interval: { low: 60 * (slope - margin), high: 60 * (slope + margin) },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The t above which 2.5 % of Student's distribution lie, within 1 % (Abramowitz and Stegun 26.7.5). */
function student(degreesOfFreedom: number): number {
  const z = 1.959964;
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  ];
  return sum(terms.map((term, power) => term / degreesOfFreedom ** power));
}
