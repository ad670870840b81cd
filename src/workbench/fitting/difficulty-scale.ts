import { DIFFICULTY_TIERS } from "../../engine/index.js";
import type { Manifest } from "../../engine/profiles/manifest.js";
import type { JointEvidence } from "./joint-evidence.js";
import type { OutcomeTable } from "./outcome-table.js";

/**
 * Ease (log-odds) by the definition of the tiers: the weakest models (skill −2) solve 19 of 20 trivial prompts, and the best (2) every
 * second expert prompt. Each counts as two sources beside those that were graded.
 */
const BY_DEFINITION = [
  { tier: DIFFICULTY_TIERS.trivial, ease: 5 },
  { tier: DIFFICULTY_TIERS.expert, ease: -2 },
].flatMap((point) => [point, point]);
/** Variances of ease between sources and within one at the same difficulty, in 21 public sources of 2023 to 2026; a prior that counts as so many sources. */
const BETWEEN_SOURCES = 2.7;
const WITHIN_SOURCE = 3;
const PSEUDO_SOURCES = 4;

/**
 * Fits the scale from difficulty to ease, `ease = intercept + slope · difficulty + level of the source + residual`, by regression over
 * sources, each of which counts alike: the level of a kind of task is an effect nearly as large as everything that is read of a prompt.
 * Its variance is that of the sources left out one at a time.
 *
 * @param tiers difficulty of each anchor, from 0 to 4
 */
export function difficultyOf(
  { sources, sourceOf }: Pick<OutcomeTable, "sources" | "sourceOf">,
  given: { readonly ease: Float32Array; readonly tiers: Float32Array; readonly fingerprint: string },
): NonNullable<Manifest["difficulty"]> {
  const { ease, tiers, fingerprint } = given;
  const points = sources
    .map((_, source) =>
      [...sourceOf.keys()].filter((at) => sourceOf[at] === source && !Number.isNaN(tiers[at])),
    )
    .filter(({ length }) => length > 0)
    .map((anchors) => ({
      tier: mean(anchors.map((anchor) => tiers[anchor] as number)),
      ease: mean(anchors.map((anchor) => ease[anchor] as number)),
      variance: varianceOf(anchors.map((anchor) => ease[anchor] as number)),
    }));
  const { intercept, slope } = lineThrough(points);
  const leftOut =
    points.length < 3
      ? []
      : points.map((point) => {
          const line = lineThrough(points.filter((other) => other !== point));
          return (point.ease - line.intercept - line.slope * point.tier) ** 2;
        });
  const shrunk = (values: readonly number[], prior: number): number =>
    (PSEUDO_SOURCES * prior + values.reduce((sum, value) => sum + value, 0)) /
    (PSEUDO_SOURCES + values.length);
  return {
    fingerprint,
    intercept,
    slope,
    between_variance: shrunk(leftOut, BETWEEN_SOURCES),
    within_variance: shrunk(
      points.map(({ variance }) => variance),
      WITHIN_SOURCE,
    ),
  };
}

interface SourcePoint {
  readonly tier: number;
  readonly ease: number;
}

/** Least squares through the sources and the definition; the slope is at most 0. */
function lineThrough(sources: readonly SourcePoint[]): {
  readonly intercept: number;
  readonly slope: number;
} {
  const points = [...sources, ...BY_DEFINITION];
  const [tier, ease] = [mean(points.map((point) => point.tier)), mean(points.map((point) => point.ease))];
  const spread = points.reduce((sum, point) => sum + (point.tier - tier) ** 2, 0);
  const common = points.reduce((sum, point) => sum + (point.tier - tier) * (point.ease - ease), 0);
  const slope = Math.min(0, common / spread);
  return { intercept: ease - slope * tier, slope };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const varianceOf = (values: readonly number[]): number => {
  const centre = mean(values);
  return mean(values.map((value) => (value - centre) ** 2));
};

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
