import type { Point } from "../api/statistics.js";
import type { Line } from "./plot-options.js";
import { largest } from "./values.js";

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

interface OverTime {
  readonly points: readonly Point[];
  /** Beginnings of the steps, in seconds. */
  readonly steps: readonly number[];
  /** Where there are no points; default: 0. */
  readonly none?: number | null;
}

/** Figures of points over time. */
export const chartLines = (
  { points, steps, none = 0 }: OverTime,
  figures: readonly (readonly [Line["label"], Line["colour"], (point: Point) => number | null])[],
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
    withBaseline: sum(({ requests_with_baseline: withBaseline }) => withBaseline),
    baselineCostUsd: sum(({ baseline_cost_usd: baseline }) => baseline),
    savedUsd: sum(({ saved_usd: saved }) => saved),
    tokensIn: sum(({ tokens_in: tokens }) => tokens),
    tokensOut: sum(({ tokens_out: tokens }) => tokens),
  };
}

export interface Group {
  readonly name: string;
  readonly points: readonly Point[];
}

/** The values with the largest figure, each with its points, and the others together. */
export function largestGroups(
  { split: points, totals }: Pick<Figures, "split" | "totals">,
  figure: (point: Point) => number,
): readonly Group[] {
  const shown = largest(totals, figure);
  const groups = shown.map((group) => ({
    name: group ?? "none",
    points: points.filter((point) => point.group === group),
  }));
  const others = points.filter(({ group }) => !shown.includes(group));
  return others.length === 0 ? groups : [...groups, { name: "others", points: summed(others) }];
}

const SUMS = [
  "requests",
  "errors",
  "timeouts",
  "decisions",
  "tokens_in",
  "tokens_out",
  "cost_usd",
  "requests_without_cost",
  "requests_with_baseline",
  "baseline_cost_usd",
  "saved_usd",
] as const;

/** Points of the same step as one: sums only, for figures that can be added. */
function summed(points: readonly Point[]): readonly Point[] {
  return [...Map.groupBy(points, ({ start }) => start).values()].map(([first, ...more]) => {
    const sum = { ...(first as Point) };
    for (const point of more) for (const figure of SUMS) sum[figure] += point[figure];
    return sum;
  });
}
