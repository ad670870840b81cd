import type { SeriesPointBody as Point } from "../../gateway/features/traces/schema/series.js";

export interface Group {
  readonly name: string;
  readonly points: readonly Summed[];
}

/** Values that a chart shows by name. */
export const MOST_GROUPS = 5;

/** Figures that can be added. */
const SUMS = ["requests", "decisions", "errors", "timeouts", "cost_usd", "tokens_in", "tokens_out"] as const;

type Summed = Pick<Point, "start" | (typeof SUMS)[number]>;

interface Split {
  readonly all: readonly Point[];
  /** By step and value. */
  readonly split: readonly Point[];
  /** By value. */
  readonly totals: readonly Point[];
}

/** The values with the largest spend, else most requests, each with its points, and the others together. */
export function largestGroups({ all, split, totals }: Split): readonly Group[] {
  const shown = bySpend(totals)
    .slice(0, MOST_GROUPS)
    .map(({ group }) => group);
  const groups = shown.map((group) => ({
    name: group ?? "none",
    points: split.filter((point) => point.group === group),
  }));
  // Points of the last steps are newer than the totals.
  const areAll = totals.length === shown.length && split.every(({ group }) => shown.includes(group));
  if (areAll) return groups;
  return [
    ...groups,
    {
      name: "others",
      points: rest(
        all,
        groups.flatMap(({ points }) => points),
      ),
    },
  ];
}

/** The most expensive first, of equal ones those with more requests. */
export const bySpend = (totals: readonly Point[]): readonly Point[] =>
  totals.toSorted(
    (left, right) =>
      right.cost_usd - left.cost_usd || right.requests - right.decisions - (left.requests - left.decisions),
  );

/** What is left of a sum of dollars, of which this part of it is due to rounding. */
const ROUNDING = 1e-9;

/** All, step by step, without those. */
function rest(all: readonly Point[], without: readonly Summed[]): readonly Summed[] {
  return all.map(({ start, ...point }) => {
    const named = without.filter((one) => one.start === start);
    const left = (figure: (typeof SUMS)[number]): number => {
      const sum = named.reduce((before, one) => before - one[figure], point[figure]);
      return sum > ROUNDING * point[figure] ? sum : 0;
    };
    const sums = Object.fromEntries(SUMS.map((figure) => [figure, left(figure)]));
    return { start, ...(sums as Omit<Summed, "start">) };
  });
}
