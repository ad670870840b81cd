import type { ComparisonBody } from "../../gateway/features/comparisons/schema.js";
import type { ValueBody } from "../../gateway/features/replay/value-schema.js";
import { count, counted, intervalText, percent, points } from "../components/format.js";

/** The smallest loss that is looked for: a point. */
const MARGIN = 0.01;

/** By the comparison that has most answers. All of them count: its interval is for all looks at them since the first. */
export function comparisonText(list: readonly ComparisonBody[]): string {
  const [most] = list.toSorted((left, right) => right.comparisons - left.comparisons);
  if (most === undefined)
    return "No blind comparisons yet: with the setting comparisons, another model also answers a share of the requests.";
  const { quality, comparisons, verdict, with: other } = most;
  const figures = `${points(quality.value)} points (${intervalText(quality, points)}) in ${counted(comparisons, "blind comparison")} of any period`;
  if (verdict === "unclear") {
    // It narrows with the root of their number.
    const needed = Math.max(1, comparisons) * ((quality.value - quality.low) / MARGIN) ** 2;
    const more = Math.ceil(needed) - comparisons;
    return `Not known yet: ${other} has ${figures}${more > 0 ? `; about ${count(more)} more are needed to rule out a loss of a point` : ""}.`;
  }
  return `${other} is ${verdict === "as_good" ? "as good as" : `${verdict} than`} the answers served: ${figures}.`;
}

export function feedbackText({ count: scores, mean, missing }: ValueBody["feedback"]): string {
  if (mean === null) return `No feedback yet: ${count(missing)} scores give ±5 points.`;
  const known = `Clients scored ${counted(scores, "answer")} ${percent(mean.value)} on average (${intervalText(mean, percent)})`;
  return missing === 0 ? `${known}.` : `${known}; ${count(missing)} more would narrow this to ±5 points.`;
}
