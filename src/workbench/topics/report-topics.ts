import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import type { LoadedSet } from "../../engine/profiles/load.js";
import { type DividedTopics, divideTopics } from "../fitting/topic-clusters.js";

/**
 * The topics of a report: those of the set, with clusters of similar anchors in place of each that has no name of its
 * own. A build makes such clusters itself; sets of earlier versions, and what was learned from traffic, have topics
 * that are divided here alone.
 */
export interface ReportTopics extends DividedTopics {
  /** Anchors of each topic, `[topics]`. */
  readonly counts: Uint32Array;
}

interface ReportedSet extends Pick<LoadedSet, "manifest"> {
  readonly set: Pick<AnchorSet, "vectorOf"> & { readonly topics: Pick<AnchorSet["topics"], "ofAnchor"> };
}

/** Of a set with one topic, that one is divided, whatever its name. Deterministic by the set's seed. */
export function reportTopics({ set, manifest }: ReportedSet): ReportTopics {
  const { topics, unlabelled_topics: unlabelled = [], clustered_topics: clustered = [], seed } = manifest;
  const divided = divideTopics({
    topics,
    unlabelled: topics.length === 1 ? topics : unlabelled,
    clustered,
    seed,
    topicOf: set.topics.ofAnchor,
    vectorOf: set.vectorOf,
  });
  const counts = new Uint32Array(divided.names.length);
  for (const topic of divided.ofAnchor) counts[topic] = (counts[topic] as number) + 1;
  return { ...divided, counts };
}
