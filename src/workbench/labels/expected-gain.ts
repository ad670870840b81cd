import type { SkillBeliefs } from "../placement/skill-beliefs.js";
import type { DecisionPoint } from "./decision-points.js";

/**
 * What a model adds to decisions over prompts like those of the set, in units of quality: at cost weight 0 to their expected quality,
 * above it to what is left of it after costs.
 */
export interface LabelGain {
  /** With what is known of it now. */
  readonly now: number;
  readonly withLabels: number;
  /** If its skills were known exactly. */
  readonly atMost: number;
}

/**
 * What a model adds to the quality of decisions once its skills are known better. It is chosen where it is expected to be better
 * than all others; what labels will say is not known yet, but by how much they lower the variance of its skills is, and
 * so is the distribution of what will be expected of it then: its gain on a prompt is the mean of `max(margin, 0)` over that
 * distribution (the value of sample information: Raiffa & Schlaifer 1961; the expected improvement of Bayesian
 * optimisation: Jones et al. 1998).
 *
 * @param points at least one
 */
export function labelGain(
  points: readonly DecisionPoint[],
  { before, after }: { readonly before: SkillBeliefs; readonly after: SkillBeliefs },
): LabelGain {
  const mean = (varianceAfter: (topic: number) => number): number => {
    let sum = 0;
    for (const { topic, margin, most, slope } of points) {
      const deviation = slope * Math.sqrt(Math.max(0, before.variance(topic) - varianceAfter(topic)));
      // What exceeds perfect answers does not count: E min(max(x, 0), most) = E max(x, 0) − E max(x − most, 0).
      sum += expectedImprovement(margin, deviation) - expectedImprovement(margin - most, deviation);
    }
    return sum / points.length;
  };
  return {
    now: mean((topic) => before.variance(topic)),
    withLabels: mean((topic) => after.variance(topic)),
    atMost: mean(() => 0),
  };
}

/** Mean of `max(x, 0)` for a normal x with that mean and standard deviation. */
export function expectedImprovement(mean: number, deviation: number): number {
  if (deviation < 1e-9) return Math.max(mean, 0);
  const z = mean / deviation;
  return mean * normalCdf(z) + deviation * normalDensity(z);
}

const normalDensity = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** Abramowitz & Stegun 26.2.17, error < 1e-7. */
function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const powers =
    ((((1.330274429 * t - 1.821255978) * t + 1.781477937) * t - 0.356563782) * t + 0.31938153) * t;
  const tail = normalDensity(z) * powers;
  return z > 0 ? 1 - tail : tail;
}
