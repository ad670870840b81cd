import type { Manifest } from "../manifest.js";
import type { OutcomeTable } from "./outcome-table.js";

/**
 * What a tier of difficulty is worth in ease, log-odds, by what tiers mean: the weakest models (skill −2) solve 19 of 20 trivial
 * prompts, an ease of 5, and the best (2) every second expert prompt, an ease of −2. That would be −1.75; estimates of a prompt are
 * less certain than a tier, hence −1.5 (guess). Topics are exams, which lie close together and differ by more than difficulty sees:
 * they alone tell it to ± .4 (docs/decisions/0017-joint-evidence.md).
 */
const EASE_PER_TIER = -1.5;
const EASE_PER_TIER_VARIANCE = 0.3 ** 2;
const LEAST_RESIDUAL_VARIANCE = 0.1;

/**
 * The scale that joins difficulty to ease: `ease = intercept + slope · difficulty`, by regression over topics, which are
 * prompts that have both, with what tiers mean as the prior of the slope. Within a topic, ease also depends on what difficulty does
 * not see; between topics the two agree. A topic counts by the root of its anchors.
 *
 * @param tiers difficulty of each anchor, from 0 to 4
 */
export function difficultyOf(
  { topics, topicOf }: OutcomeTable,
  given: { readonly ease: Float32Array; readonly tiers: Float32Array; readonly fingerprint: string },
): NonNullable<Manifest["difficulty"]> {
  const { ease, tiers, fingerprint } = given;
  const rows = topics.map(() => ({ ease: 0, tier: 0, count: 0 }));
  topicOf.forEach((topic, anchor) => {
    const row = rows[topic];
    const tier = tiers[anchor] as number;
    if (row === undefined || Number.isNaN(tier)) return;
    row.ease += ease[anchor] as number;
    row.tier += tier;
    row.count += 1;
  });
  const points = rows
    .filter(({ count }) => count > 0)
    .map(({ count, ...sums }) => ({
      weight: Math.sqrt(count),
      ease: sums.ease / count,
      tier: sums.tier / count,
    }));
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { fingerprint, intercept: 0, slope: 0, residual_variance: 1 };
  const meanOf = (value: (point: (typeof points)[number]) => number): number =>
    points.reduce((sum, point) => sum + point.weight * value(point), 0) / total;
  const [meanTier, meanEase] = [meanOf(({ tier }) => tier), meanOf((point) => point.ease)];
  const spread = meanOf(({ tier }) => (tier - meanTier) ** 2);
  const common = meanOf((point) => (point.tier - meanTier) * (point.ease - meanEase));
  const residualOf = (slope: number): number =>
    Math.max(
      meanOf((point) => (point.ease - meanEase - slope * (point.tier - meanTier)) ** 2),
      LEAST_RESIDUAL_VARIANCE,
    );
  const precision = points.length / residualOf(spread > 0 ? common / spread : 0);
  const prior = 1 / EASE_PER_TIER_VARIANCE;
  const slope = Math.min(0, (precision * common + prior * EASE_PER_TIER) / (precision * spread + prior));
  const intercept = meanEase - slope * meanTier;
  return { fingerprint, intercept, slope, residual_variance: residualOf(slope) };
}
