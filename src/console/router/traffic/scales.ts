import type { ReplayBody } from "../../../gateway/features/replay/schema.js";
import type { Interval } from "../../components/format.js";

/** Numbers of requests to choose from, rising; the first is what is read unless another is chosen. */
export const SAMPLES = ["300", "1000", "2000"] as const;

/** Ends of a scale, which contains 0. */
export interface Scale {
  readonly from: number;
  readonly to: number;
}

/**
 * Of all the intervals and 0.
 *
 * @param options.most where the scale ends at the latest
 */
export function scaleOf(
  intervals: readonly Interval[],
  { most = Number.POSITIVE_INFINITY }: { readonly most?: number } = {},
): Scale {
  const ends = intervals.flatMap(({ low, high }) => [low, high]);
  const [from, to] = [Math.min(0, ...ends), Math.min(most, Math.max(0, ...ends))];
  return from === to ? { from: -1, to: 1 } : { from, to };
}

type ReplayReport = ReplayBody["reports"][number];

/** Cost weights next to each other that choose the same, as one row. */
export interface WeightRow extends ReplayReport {
  readonly weights: readonly number[];
}

/** @param reports by their weights */
export function withoutRepeats(reports: readonly ReplayReport[]): readonly WeightRow[] {
  const rows: WeightRow[] = [];
  for (const report of reports) {
    const last = rows.at(-1);
    if (last !== undefined && choices(last) === choices(report)) {
      rows[rows.length - 1] = { ...last, weights: [...last.weights, report.cost_weight] };
    } else {
      rows.push({ ...report, weights: [report.cost_weight] });
    }
  }
  return rows;
}

/** What a weight chooses, as far as the report says. */
const choices = ({ changed, moves, spend, quality }: ReplayReport): string =>
  JSON.stringify([changed, moves, spend.predicted_usd.value, quality.change.value]);
