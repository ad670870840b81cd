import type { Stability } from "../evaluation/stability.js";
import { counted, points } from "./figures.js";

/** How far other wordings move decisions, in two sentences. */
export function stabilityText({
  prompts,
  rewordings,
  changed,
  changedPrompts,
  expectedQuality,
  gradedQuality,
  costRatio,
  costFactor,
}: Stability): string {
  const share = (value: number): string => `${(100 * value).toFixed(1)} %`;
  const cost =
    costRatio === null || costFactor === null
      ? ""
      : `, and expected costs × ${costRatio.toFixed(2)} (of a single answer, a typical factor of ${costFactor.toFixed(2)})`;
  return (
    `Other wordings change the choice in ${share(changed.value)} of cases [${share(changed.low)}, ${share(changed.high)}], for ${share(changedPrompts)} of the prompts: ` +
    `${counted(rewordings, "rewording")} of ${counted(prompts, "prompt")}. That changes expected quality by ${points(expectedQuality)} points, graded quality by ${points(gradedQuality)} points${cost}.`
  );
}
