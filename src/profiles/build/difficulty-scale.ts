import type { Manifest } from "../manifest.js";
import type { OutcomeTable } from "./outcome-table.js";

/** What a tier of difficulty is worth in ease where anchors do not say: a guess that the fit starts from. */
const EASE_PER_TIER = -0.9;
/** Topics' worth of trust in the guess. */
const PSEUDO_TOPICS = 4;

/**
 * The scale that joins difficulty to ease: `ease = intercept + slope · difficulty`, by regression over topics, which are
 * prompts that have both. Within a topic, ease also depends on what difficulty does not see; between topics the two agree.
 * A topic counts by the root of its anchors.
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
  const pseudo = (PSEUDO_TOPICS / Math.max(1, points.length)) * 1;
  const slope = Math.min(0, (common + pseudo * EASE_PER_TIER) / (spread + pseudo));
  const intercept = meanEase - slope * meanTier;
  const residual = meanOf((point) => (point.ease - intercept - slope * point.tier) ** 2);
  return { fingerprint, intercept, slope, residual_variance: Math.max(residual, 0.1) };
}
