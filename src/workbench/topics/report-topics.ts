import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import type { LoadedSet } from "../../engine/profiles/load.js";
import type { Manifest } from "../../engine/profiles/manifest.js";
import { groupBy } from "../../foundation/group-by.js";
import { COARSEST, clusterAnchors, nearestCentroid } from "../fitting/clusters.js";

/** The topics of a report: those of the set, with clusters of similar anchors in place of each that has no name of its own. */
export interface ReportTopics {
  readonly names: readonly string[];
  /** Whether a topic is a cluster, `[topics]`. */
  readonly isCluster: readonly boolean[];
  /** Topic of each anchor of the set, `[anchors]`. */
  readonly ofAnchor: Uint16Array;
  /** Anchors of each topic, `[topics]`. */
  readonly counts: Uint32Array;
}

interface ReportedSet extends Pick<LoadedSet, "manifest"> {
  readonly set: Pick<AnchorSet, "vectorOf"> & { readonly topics: Pick<AnchorSet["topics"], "ofAnchor"> };
}

/** Most clusters in place of a topic. */
const MOST_CLUSTERS = COARSEST;

/**
 * Divides the anchors of each topic without a name, which is that of a source whose prompts came without benchmark and category, into
 * at most 16 clusters by k-means, numbered by their size; of a set with one topic, that one. Fewer than 64 anchors stay one topic. A set
 * holds no texts, by which a cluster could be named. Deterministic by the set's seed. Half a second for the largest sets.
 */
export function reportTopics({ set, manifest }: ReportedSet): ReportTopics {
  const clusters = unnamedTopics(manifest).flatMap((topic) =>
    clustersOf(set, { topic, seed: manifest.seed }),
  );
  const clustered = new Set(clusters.map(({ topic }) => topic));
  const named = [...manifest.topics.keys()].filter((topic) => !clustered.has(topic));
  const ofAnchor = new Uint16Array(manifest.anchors);
  const position = new Map(named.map((topic, place) => [topic, place]));
  set.topics.ofAnchor.forEach((topic, anchor) => {
    ofAnchor[anchor] = position.get(topic) ?? 0;
  });
  clusters.forEach(({ anchors }, cluster) => {
    for (const anchor of anchors) ofAnchor[anchor] = named.length + cluster;
  });
  const names = [
    ...named.map((topic) => manifest.topics[topic] as string),
    ...clusters.map((cluster) => nameOf(cluster, manifest)),
  ];
  return {
    names,
    isCluster: names.map((_, topic) => topic >= named.length),
    ofAnchor,
    counts: countBy(ofAnchor, names.length),
  };
}

/** Numbers of the topics without a name. */
function unnamedTopics({ topics, unlabelled_topics: unlabelled = [] }: Manifest): number[] {
  return [...topics.keys()].filter(
    (topic) => topics.length === 1 || unlabelled.includes(topics[topic] as string),
  );
}

interface Cluster {
  /** Topic of the set that it is a part of. */
  readonly topic: number;
  /** Its place among the clusters of the topic, the largest first: from 1. */
  readonly number: number;
  readonly anchors: readonly number[];
}

/** The largest first; none where the topic has too few anchors. */
function clustersOf(
  set: ReportedSet["set"],
  { topic, seed }: { readonly topic: number; readonly seed: number },
): Cluster[] {
  const anchors = [...set.topics.ofAnchor.keys()].filter((anchor) => set.topics.ofAnchor[anchor] === topic);
  const vectorOf = (row: number): Float32Array => set.vectorOf(anchors[row] as number);
  const dimensions = anchors.length === 0 ? 0 : vectorOf(0).length;
  const { centroids } = clusterAnchors(
    { count: anchors.length, dimensions, read: (row, into) => into.set(vectorOf(row)) },
    { seed, finest: MOST_CLUSTERS },
  );
  const members = groupBy(anchors, (anchor) => nearestCentroid(set.vectorOf(anchor), centroids).cluster);
  if (members.size < 2) return [];
  return [...members.values()]
    .sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number))
    .map((own, place) => ({ topic, number: place + 1, anchors: own }));
}

function nameOf({ topic, number }: Cluster, { topics }: Manifest): string {
  return topics.length === 1 ? `Cluster ${number}` : `${topics[topic]}: cluster ${number}`;
}

function countBy(groups: Uint16Array, count: number): Uint32Array {
  const counts = new Uint32Array(count);
  for (const group of groups) counts[group] = (counts[group] as number) + 1;
  return counts;
}
