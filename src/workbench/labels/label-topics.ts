import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import { scoresOf } from "../../engine/index.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import { logisticLink } from "../fitting/two-way-fit.js";
import type { PlaceableSet } from "../placement/placeable-set.js";
import { type ReportTopics, reportTopics } from "../topics/report-topics.js";

/** What labels are shared out over: the topics of a set, with clusters of similar anchors in place of those without a name. */
export interface LabelTopics extends ReportTopics {
  /** Topic of the set that each is, or is a cluster of, `[topics]`. */
  readonly parent: Uint16Array;
  /** Variance of a model's skill on a cluster about its skill on the parent, in log-odds squared; 0 for named topics, `[topics]`. */
  readonly deviation: Float64Array;
  /** Whether how much models differ within an unnamed topic is unknown, since it is not divided or fewer than two other models were scored on it. */
  readonly hasUnknownDifferences: boolean;
}

/**
 * @param current the set as decisions read it
 * @param model is left out where the others show how much skills differ between clusters
 */
export function labelTopics(
  set: PlaceableSet,
  { current, model }: { readonly current: AnchorSet; readonly model: string },
): LabelTopics {
  const topics = reportTopics({ set: current, manifest: set.manifest });
  const parent = new Uint16Array(topics.names.length);
  topics.ofAnchor.forEach((topic, anchor) => {
    parent[topic] = set.facts.topic[anchor] as number;
  });
  const others = set.profiles.map(({ profile }) => profile).filter(({ facts }) => facts.model !== model);
  const excesses = others.flatMap((profile) => excessOf(profile, set, topics));
  const variance = new Map([...new Set(parent)].map((of) => [of, varianceOf(of, { excesses, parent })]));
  return {
    ...topics,
    parent,
    hasUnknownDifferences:
      topics.names.length === 1 ||
      topics.isCluster.some((cluster, topic) => cluster && variance.get(parent[topic] as number) === null),
    deviation: Float64Array.from(parent, (of, topic) =>
      topics.isCluster[topic] ? (variance.get(of) ?? 0) : 0,
    ),
  };
}

/** How much better a model's answers to a cluster are than its skill and their ease lead to expect. */
interface Excess {
  readonly model: string;
  readonly topic: number;
  readonly answers: number;
  /** Log-odds, and the variance of its noise. */
  readonly value: number;
  readonly noise: number;
}

/** Of each topic with answers. Half a right and half a wrong answer are added, so that all right ones are finite (Haldane, Anscombe). */
function excessOf(profile: ModelProfile, { facts, manifest }: PlaceableSet, topics: ReportTopics): Excess[] {
  const [answers, right, expected] = Array.from({ length: 3 }, () => new Float64Array(topics.names.length));
  const { anchors, values } = scoresOf(profile, manifest.anchors);
  const add = (sums: Float64Array | undefined, topic: number, value: number): void => {
    if (sums !== undefined) sums[topic] = (sums[topic] as number) + value;
  };
  anchors.forEach((anchor, cell) => {
    const topic = topics.ofAnchor[anchor] as number;
    const skill = profile.skill[facts.topic[anchor] as number] as number;
    add(answers, topic, 1);
    add(right, topic, values[cell] as number);
    add(expected, topic, logisticLink.mean(skill + (facts.level_quality[anchor] as number)));
  });
  return [...topics.names.keys()].flatMap((topic) => {
    const [count, solved, hoped] = [answers, right, expected].map((sums) => sums?.[topic] ?? 0) as [
      number,
      number,
      number,
    ];
    if (count === 0) return [];
    const wrong = count - solved;
    return {
      model: profile.facts.model,
      topic,
      answers: count,
      value: Math.log((solved + 0.5) / (wrong + 0.5)) - Math.log((hoped + 0.5) / (count - hoped + 0.5)),
      noise: 1 / (solved + 0.5) + 1 / (wrong + 0.5),
    };
  });
}

/**
 * Variance of the excesses on the clusters of a topic beyond that of their noise, by the method of moments. The ease of the anchors was
 * fitted to the same answers and has taken the models' mean, which costs one of their degrees of freedom: one model shows nothing.
 */
function varianceOf(
  parentTopic: number,
  { excesses, parent }: { readonly excesses: readonly Excess[]; readonly parent: Uint16Array },
): number | null {
  const own = excesses.filter(({ topic }) => parent[topic] === parentTopic);
  const models = new Set(own.map(({ model }) => model)).size;
  if (models < 2) return null;
  const answers = own.reduce((sum, each) => sum + each.answers, 0);
  const beyond = own.reduce((sum, each) => sum + each.answers * (each.value ** 2 - each.noise), 0);
  return (Math.max(0, beyond / answers) * models) / (models - 1);
}
