import type { AnchorSet, Panel } from "../profiles/anchor-set.js";
import type { NearestAnchor } from "./explanation.js";

/** The anchors of all sets that are most like a prompt, nearest first. */
export function nearestAnchors(
  sets: readonly AnchorSet[],
  vector: Float32Array,
  limit: number,
): readonly NearestAnchor[] {
  return sets
    .flatMap((set) => {
      const { anchors, similarities } = set.index.search(vector, limit);
      return Array.from(anchors, (anchor, place) => describe(set, anchor, similarities[place] ?? 0));
    })
    .sort((left, right) => right.similarity - left.similarity)
    .slice(0, limit);
}

function describe(set: AnchorSet, anchor: number, similarity: number): NearestAnchor {
  return {
    benchmark: benchmarkOf(set, anchor),
    similarity,
    ease: 1 / (1 + Math.exp(-(set.anchorLevels.quality[anchor] ?? 0))),
    scores: new Map(scoresOn(set, anchor)),
  };
}

export const benchmarkOf = ({ benchmarks }: AnchorSet, anchor: number): string =>
  benchmarks.names[benchmarks.ofAnchor[anchor] ?? -1] ?? "unknown";

/** Every model that was scored on an anchor, with its quality. */
export function* scoresOn(
  set: AnchorSet,
  anchor: number,
): Generator<readonly [model: string, quality: number]> {
  const { start, panel, row } = set.panelsOf;
  for (let entry = start[anchor] as number; entry < (start[anchor + 1] as number); entry++) {
    const { firstModel, width, quality } = set.panels[panel[entry] as number] as Panel;
    const first = (row[entry] as number) * width;
    for (let member = 0; member < width; member++) {
      yield [set.models[firstModel + member] as string, (quality[first + member] as number) / 255];
    }
  }
}
