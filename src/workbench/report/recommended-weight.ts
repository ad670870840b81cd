import type { RecommendedWeight } from "../../engine/estimation/recommended-weight.js";
import { counted, usd } from "./figures.js";

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
