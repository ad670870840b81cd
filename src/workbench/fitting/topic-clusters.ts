import { groupBy } from "../../foundation/group-by.js";
import { clusterAnchors, nearestCentroid } from "./clusters.js";

/** Topics, with clusters of similar anchors in place of each that no prompt named. */
export interface DividedTopics {
  readonly names: readonly string[];
  /** Whether a topic is a cluster, `[topics]`. */
  readonly isCluster: readonly boolean[];
  /** Topic of each anchor, `[anchors]`. */
  readonly ofAnchor: Uint16Array;
}

export interface TopicsToDivide {
  readonly topics: readonly string[];
  readonly topicOf: Uint16Array;
  /** Topics that no prompt named. */
  readonly unlabelled: readonly string[];
  /** The unit vector of an anchor, `[dimensions]`. */
  readonly vectorOf: (anchor: number) => Float32Array;
  readonly seed: number;
}

/** Most clusters in place of a topic. */
const MOST_CLUSTERS = 16;
/** A topic of fewer anchors a cluster is not divided further (guess). */
const LEAST_ANCHORS_PER_CLUSTER = 32;

/**
 * Divides the anchors of each topic without a name, which is that of a source whose prompts came without benchmark and
 * category, into at most 16 clusters by k-means, numbered by their size. Fewer than 64 anchors stay one topic. A set
 * holds no texts, by which a cluster could be named. Deterministic by the seed. Half a second for the largest sets.
 */
export function divideTopics(given: TopicsToDivide): DividedTopics {
  const { topics, topicOf, unlabelled } = given;
  const clusters = [...topics.keys()]
    .filter((topic) => unlabelled.includes(topics[topic] as string))
    .flatMap((topic) => clustersOf(topic, given));
  const divided = new Set(clusters.map(({ topic }) => topic));
  const kept = [...topics.keys()].filter((topic) => !divided.has(topic));
  const ofAnchor = new Uint16Array(topicOf.length);
  const position = new Map(kept.map((topic, place) => [topic, place]));
  topicOf.forEach((topic, anchor) => {
    ofAnchor[anchor] = position.get(topic) ?? 0;
  });
  clusters.forEach(({ anchors }, cluster) => {
    for (const anchor of anchors) ofAnchor[anchor] = kept.length + cluster;
  });
  const named = kept.map((topic) => topics[topic] as string);
  return {
    names: [...named, ...clusters.map((cluster) => nameOf(cluster, topics))],
    isCluster: [...named.map(() => false), ...clusters.map(() => true)],
    ofAnchor,
  };
}

interface Cluster {
  /** Topic that it is a part of. */
  readonly topic: number;
  /** Its place among the clusters of the topic, the largest first: from 1. */
  readonly number: number;
  readonly anchors: readonly number[];
}

/** The largest first; none where the topic has too few anchors. */
function clustersOf(topic: number, { topicOf, vectorOf, seed }: TopicsToDivide): Cluster[] {
  const anchors = [...topicOf.keys()].filter((anchor) => topicOf[anchor] === topic);
  const clusters = Math.min(MOST_CLUSTERS, Math.floor(anchors.length / LEAST_ANCHORS_PER_CLUSTER));
  if (clusters < 2) return [];
  const read = (row: number): Float32Array => vectorOf(anchors[row] as number);
  const centroids = clusterAnchors(
    { count: anchors.length, dimensions: read(0).length, read: (row, into) => into.set(read(row)) },
    { seed, clusters },
  );
  const members = groupBy(anchors, (anchor) => nearestCentroid(vectorOf(anchor), centroids).cluster);
  if (members.size < 2) return [];
  return [...members.values()]
    .sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number))
    .map((own, place) => ({ topic, number: place + 1, anchors: own }));
}

const nameOf = ({ topic, number }: Cluster, topics: readonly string[]): string =>
  topics.length === 1 ? `Cluster ${number}` : `${topics[topic]}: cluster ${number}`;
