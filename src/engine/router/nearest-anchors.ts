import type { AnchorSet } from "../estimation/anchor-set.js";
import { neighbourWeights } from "../estimation/evidence.js";
import type { DecidingAnchor } from "./decision.js";
import type { NearestAnchor } from "./explanation.js";

/** The anchors of all sets that are nearest to a prompt, nearest first. */
export function nearestAnchors(
  sets: readonly AnchorSet[],
  vector: Float32Array,
  limit: number,
): readonly NearestAnchor[] {
  return sets
    .flatMap((set) => {
      const { anchors, similarities } = set.index.search(vector, limit);
      return Array.from(anchors, (anchor, index) => describe(set, anchor, similarities[index] ?? 0));
    })
    .sort((left, right) => right.similarity - left.similarity)
    .slice(0, limit);
}

/** The anchors with most weight in the estimates for a prompt, at most `limit`. */
export function decidingAnchors(
  sets: readonly AnchorSet[],
  vector: Float32Array,
  limit: number,
): readonly DecidingAnchor[] {
  return sets
    .flatMap((set) => {
      const neighbours = set.index.search(vector, set.parameters.neighbours);
      const weights = neighbourWeights(set, neighbours);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      return Array.from(neighbours.anchors, (anchor, index) => ({
        id: `${set.name}/${anchor}`,
        source: benchmarkOf(set, anchor),
        similarity: neighbours.similarities[index] ?? 0,
        weight: (weights[index] ?? 0) / Math.max(total, Number.MIN_VALUE),
      }));
    })
    .sort((left, right) => right.weight - left.weight || right.similarity - left.similarity)
    .slice(0, limit);
}

function describe(set: AnchorSet, anchor: number, similarity: number): NearestAnchor {
  return {
    benchmark: benchmarkOf(set, anchor),
    similarity,
    ease: 1 / (1 + Math.exp(-(set.anchorEase[anchor] ?? 0))),
    scores: new Map(
      set.scoresOn(anchor).map(({ column, quality }) => [set.models[column] as string, quality]),
    ),
  };
}

export const benchmarkOf = ({ benchmarks }: AnchorSet, anchor: number): string =>
  benchmarks.names[benchmarks.ofAnchor[anchor] ?? -1] ?? "unknown";
