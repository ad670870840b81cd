import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import { scoresOf } from "../../engine/index.js";
import type { LoadedSet } from "../../engine/profiles/load.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import { TABLE_PSEUDO_OBSERVATIONS } from "../fitting/cluster-tables.js";
import { logisticLink } from "../fitting/logistic-link.js";
import type { ReportTopics } from "../topics/report-topics.js";

/** What is expected of a model on a topic. */
export interface TopicStrength {
  readonly quality: number;
  /** Standard error. */
  readonly error: number;
  /** Share of the topic's anchors that the model was scored on. */
  readonly measured: number;
}

/**
 * What is expected of a model on each topic of a report, `[topics]`: on named topics as decisions estimate it, on clusters with what its
 * answers there show beyond its skill.
 */
export function topicStrengths(
  { set, manifest }: Pick<LoadedSet, "set" | "manifest">,
  topics: ReportTopics,
): (profile: ModelProfile) => readonly TopicStrength[] {
  const hasClusters = topics.isCluster.includes(true);
  return (profile) => {
    const clusters = hasClusters ? clusterStrengths(profile, set, topics) : [];
    return topics.names.map(
      (name, topic) => clusters[topic] ?? namedStrength(profile, manifest.topics.indexOf(name)),
    );
  };
}

/** The variance of the skill where the topic was scored and where it was not. */
function namedStrength({ table, facts }: ModelProfile, topic: number): TopicStrength {
  const firstTopic = table.quality.length - table.coverage.length;
  const quality = table.quality[firstTopic + topic] as number;
  const measured = table.coverage[topic] as number;
  return { quality, measured, error: spreadOf(quality) * Math.sqrt(skillVariance(facts, measured)) };
}

const skillVariance = (facts: ModelProfile["facts"], measured: number): number =>
  measured * facts.measured_variance + (1 - measured) * facts.placed_variance;

/** Change of an expected quality with the log-odds; also the variance of a score of 0 or 1 about it. */
const spreadOf = (quality: number): number => Math.max(quality * (1 - quality), 0.01);

/** The anchors of a cluster, and a model's answers to them. */
interface ClusterAnswers {
  readonly topic: number;
  readonly anchors: number;
  /** Mean over the anchors, by the model's skill and the ease of each. */
  readonly bySkill: number;
  readonly scored: number;
  /** Mean score minus what the skill leads to expect; 0 without answers. */
  readonly excess: number;
}

/**
 * The excess of each cluster is shrunk by empirical Bayes: less where the model's clusters differ by more than chance.
 *
 * @returns by topic; undefined for named ones
 */
function clusterStrengths(
  profile: ModelProfile,
  set: AnchorSet,
  topics: ReportTopics,
): (TopicStrength | undefined)[] {
  const clusters = answersByCluster(profile, set, topics);
  const between = varianceBetween(clusters);
  const found: (TopicStrength | undefined)[] = [];
  for (const { topic, anchors, bySkill, scored, excess } of clusters) {
    const noise = spreadOf(bySkill);
    const prior = Math.max(between, noise / TABLE_PSEUDO_OBSERVATIONS);
    const trust = (scored * prior) / (scored * prior + noise);
    const quality = Math.min(1, Math.max(0, bySkill + trust * excess));
    const measured = scored / anchors;
    // What answers show of the cluster holds whatever the skill is.
    const ofSkill = (1 - trust) * spreadOf(quality) * Math.sqrt(skillVariance(profile.facts, measured));
    found[topic] = { quality, measured, error: Math.sqrt(ofSkill ** 2 + (1 - trust) * prior) };
  }
  return found;
}

/** Variance of the clusters' excesses beyond that of their answers' noise, by the method of moments; may be negative. */
function varianceBetween(clusters: readonly ClusterAnswers[]): number {
  const scored = clusters.reduce((sum, cluster) => sum + cluster.scored, 0);
  const sum = clusters.reduce(
    (total, cluster) => total + cluster.scored * cluster.excess ** 2 - spreadOf(cluster.bySkill),
    0,
  );
  return scored === 0 ? 0 : sum / scored;
}

function answersByCluster(
  profile: ModelProfile,
  set: AnchorSet,
  { names, isCluster, ofAnchor, counts }: ReportTopics,
): ClusterAnswers[] {
  const expectedOn = (anchor: number): number => {
    const skill = profile.skill[set.topics.ofAnchor[anchor] as number] as number;
    return logisticLink.mean(skill + (set.anchorEase[anchor] as number));
  };
  const expected = new Float64Array(names.length);
  ofAnchor.forEach((topic, anchor) => {
    if (isCluster[topic]) expected[topic] = (expected[topic] as number) + expectedOn(anchor);
  });
  const excess = new Float64Array(names.length);
  const scored = new Uint32Array(names.length);
  const { anchors, values } = scoresOf(profile, set.index.size);
  anchors.forEach((anchor, cell) => {
    const topic = ofAnchor[anchor] as number;
    if (!isCluster[topic]) return;
    excess[topic] = (excess[topic] as number) + (values[cell] as number) - expectedOn(anchor);
    scored[topic] = (scored[topic] as number) + 1;
  });
  return [...names.keys()]
    .filter((topic) => isCluster[topic])
    .map((topic) => ({
      topic,
      anchors: counts[topic] as number,
      bySkill: (expected[topic] as number) / (counts[topic] as number),
      scored: scored[topic] as number,
      excess: (excess[topic] as number) / Math.max(1, scored[topic] as number),
    }));
}
