/** Figures of a report as people read them. */
import type { RecommendedWeight } from "../../engine/estimation/saved-weight.js";
import { usd } from "../../foundation/money.js";

export { usd };

/** A number for a coordinate, short. */
export const at = (value: number): string => String(Math.round(10 * value) / 10);

export const percent = (share: number): string => `${Math.round(100 * share)}%`.replace("-", "−");
/** A share of at least 0; one that rounds to 0 is told apart from 0. */
export const percentAbove0 = (share: number): string => (share > 0 && share < 0.005 ? "<1%" : percent(share));
export const quality = (value: number): string => value.toFixed(3);
export const count = (value: number): string => value.toLocaleString("en");
/** A number of things, such as "1 prompt" and "2 prompts". */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
/** A difference of quality in points of a hundred, with its sign; 0.00 has none. */
export function points(value: number): string {
  const written = Math.abs(100 * value).toFixed(2);
  if (Number(written) === 0) return written;
  return `${value < 0 ? "−" : "+"}${written}`;
}
/** A change of cost by the share that is saved, which is negative where it costs more. */
export function costChange(saved: number): string {
  // What still costs something is not free.
  const change = saved >= 0.995 && saved < 1 ? "over 99%" : percent(Math.abs(saved));
  return change === percent(0) ? "the same" : `${change} ${saved < 0 ? "more" : "less"}`;
}

/** What a saved cost weight keeps to, by how many prompts, and when it was saved. */
export function recommendedWeightText({
  rule,
  limit,
  prompts,
  saved_at: savedAt,
  is_current: isCurrent,
}: RecommendedWeight): string {
  const saved = `${ruleText({ rule, limit })}; chosen by ${counted(prompts, "held-out prompt")}, ${savedAt.slice(0, 10)}`;
  return isCurrent ? saved : `${saved}; the set has changed since: tune it again`;
}

function ruleText({ rule, limit }: Pick<RecommendedWeight, "rule" | "limit">): string {
  if (rule === "knee") return "knee of cost and quality";
  const most = limit ?? 0;
  if (rule === "max_cost") return `at most ${usd(1000 * most)} per 1,000 prompts`;
  const points = Number((100 * most).toFixed(2));
  return `at most ${points} point${points === 1 ? "" : "s"} below the best`;
}
