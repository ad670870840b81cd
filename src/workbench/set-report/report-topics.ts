import type { Manifest } from "../../engine/profiles/manifest.js";

/** The topics of a set, as reports list them. */
export interface ReportTopics {
  readonly names: readonly string[];
  /** Whether a topic is a cluster of similar prompts, `[topics]`. */
  readonly isCluster: readonly boolean[];
  /** Topic of each anchor, `[anchors]`. */
  readonly ofAnchor: Uint16Array;
  /** Anchors of each topic, `[topics]`. */
  readonly counts: Uint32Array;
}

export function reportTopics(
  { topics: names, clustered_topics: clustered = [] }: Pick<Manifest, "topics" | "clustered_topics">,
  ofAnchor: Uint16Array,
): ReportTopics {
  const counts = new Uint32Array(names.length);
  for (const topic of ofAnchor) counts[topic] = (counts[topic] as number) + 1;
  return { names, ofAnchor, counts, isCluster: names.map((name) => clustered.includes(name)) };
}
