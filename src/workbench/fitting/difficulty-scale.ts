import type { Manifest } from "../../engine/profiles/manifest.js";
import type { JointEvidence } from "./joint-evidence.js";
import type { OutcomeTable } from "./outcome-table.js";

/**
 * Prior for the change of ease (log-odds) per tier of difficulty. By the definition of the tiers, the weakest models
 * (skill −2) solve 19 of 20 trivial prompts, an ease of 5, and the best (2) every second expert prompt, an ease of −2:
 * −1.75 a tier; −1.5 because estimated difficulties are less certain than tiers (guess). Topics are exams with similar
 * difficulties and other differences: alone they determine the slope to ± .4 (docs/decisions/0017-joint-evidence.md).
 */
const EASE_PER_TIER = -1.5;
const EASE_PER_TIER_VARIANCE = 0.3 ** 2;
const LEAST_RESIDUAL_VARIANCE = 0.1;

/**
 * Fits the scale from difficulty to ease, `ease = intercept + slope · difficulty`, by regression over topics, with
 * `EASE_PER_TIER` as the prior of the slope. Topics are used because within a topic ease also depends on what the
 * difficulty model cannot see. A topic is weighted by the square root of its anchors.
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

/** Graded models from which on a topic's ease stands as measured (guess). */
const MODELS_OF_A_LEVEL = 5;

/**
 * Moves the mean ease of topics that few models were graded on toward what the difficulty of their prompts lets expect: two models of one
 * year, asked for a letter at once, do not show how hard a question is. The skills of those models move the other way, so that their own
 * expected scores stay. In a set of one source, ease is that source's alone, and nothing moves.
 *
 * @param tiers difficulty of each anchor, from 0 to 4
 */
export function levelTopics(
  joint: JointEvidence,
  table: OutcomeTable,
  { tiers }: { readonly tiers: Float32Array },
): JointEvidence {
  if (table.sources.length < 2) return joint;
  const { intercept, slope } = difficultyOf(table, { ease: joint.ease, tiers, fingerprint: "" });
  const topics = table.topics.length;
  const residual = new Float64Array(topics);
  const sizes = new Float64Array(topics);
  table.topicOf.forEach((topic, anchor) => {
    const tier = tiers[anchor] as number;
    if (Number.isNaN(tier)) return;
    residual[topic] = (residual[topic] as number) + (joint.ease[anchor] as number) - intercept - slope * tier;
    sizes[topic] = (sizes[topic] as number) + 1;
  });
  const graded = new Float64Array(topics);
  joint.information.forEach((information, index) => {
    if (information > 0) graded[index % topics] = (graded[index % topics] as number) + 1;
  });
  const steps = residual.map((sum, topic) => {
    const trust = Math.min(1, (graded[topic] as number) / MODELS_OF_A_LEVEL);
    return (-(1 - trust) * sum) / Math.max(1, sizes[topic] as number);
  });
  return {
    ...joint,
    ease: joint.ease.map((ease, anchor) => ease + (steps[table.topicOf[anchor] as number] as number)),
    skill: joint.skill.map((skill, index) =>
      (joint.information[index] as number) > 0 ? skill - (steps[index % topics] as number) : skill,
    ),
  };
}
