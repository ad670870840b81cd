import type { Point } from "../api/statistics.js";
import type { Line } from "./plot-options.js";

/** Everything the page shows of one range. */
export interface Figures {
  readonly startMs: number;
  readonly stepMs: number;
  /** All requests, by step. */
  readonly all: readonly Point[];
  /** By step and value of the dimension. */
  readonly split: readonly Point[];
  /** The whole range in one step: of all, and of each value. */
  readonly total: Point | undefined;
  readonly totals: readonly Point[];
  /** The period of the same length before, in one step; null when nothing happened in it, undefined while it is on its way. */
  readonly before: Point | null | undefined;
}

/** Points of before with those from `fromMs` on replaced by newer ones, and without those before the start. */
export function withNewer(
  before: readonly Point[],
  newer: readonly Point[],
  { startMs, fromMs }: { readonly startMs: number; readonly fromMs: number },
): readonly Point[] {
  const kept = before.filter(({ start }) => Date.parse(start) >= startMs && Date.parse(start) < fromMs);
  return [...kept, ...newer];
}

interface OverTime<Of> {
  readonly points: readonly Of[];
  /** Beginnings of the steps, in seconds. */
  readonly steps: readonly number[];
  /** Where there are no points; default: 0. */
  readonly none?: number | null;
}

/** Figures of points over time. */
export const chartLines = <Of extends Pick<Point, "start">>(
  { points, steps, none = 0 }: OverTime<Of>,
  figures: readonly (readonly [Line["label"], Line["colour"], (point: Of) => number | null])[],
): readonly Line[] => {
  const pointAt = new Map(points.map((point) => [Date.parse(point.start) / 1000, point]));
  return figures.map(([label, colour, figure]) => ({
    label,
    colour,
    values: steps.map((second) => {
      const point = pointAt.get(second);
      return point === undefined ? none : figure(point);
    }),
  }));
};

/** Sums over points; decisions that were not executed are not among the requests. */
export function totalsOf(points: readonly Point[]) {
  const sum = (figure: (point: Point) => number): number =>
    points.reduce((before, point) => before + figure(point), 0);
  return {
    requests: sum(({ requests, decisions }) => requests - decisions),
    decisions: sum(({ decisions }) => decisions),
    failed: sum(({ errors, timeouts }) => errors + timeouts),
    costUsd: sum(({ cost_usd: costUsd }) => costUsd),
    withoutCost: sum(({ requests_without_cost: withoutCost }) => withoutCost),
    tokensIn: sum(({ tokens_in: tokens }) => tokens),
    tokensOut: sum(({ tokens_out: tokens }) => tokens),
  };
}
