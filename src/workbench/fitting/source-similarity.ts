import type { AnchorSet, SourceSimilarity } from "../../engine/estimation/anchor-set.js";
import { withoutAnchor } from "../../engine/index.js";
import { sampleWithoutReplacement, seededRandom } from "../../foundation/random.js";

/** Anchors sampled from a source. */
const SAMPLE = 200;
/** Sources with fewer anchors have no reliable similarity. */
const FEWEST_ANCHORS = 3;
/** Neighbours among which the nearest of the same source is searched. */
const NEIGHBOURS = 64;
const LEAST_QUANTILE = 0.05;
const USUAL_QUANTILE = 0.15;

/** Number of nearest anchors used to decide whether a prompt is of a source, and their maximum share of the source. */
const NEIGHBOURS_OF_A_SOURCE = 20;
const SHARE_OF_A_SOURCE = 0.05;

/**
 * Similarity of the anchors of each source to each other, by leave-one-out over a sample: the threshold for a prompt to
 * count as being of that source. Needed for each source, because exam questions have near duplicates and classified
 * texts have none: one threshold for all would make every classified text out-of-distribution.
 */
export function sourceSimilarities(
  { sources, index, vectorOf }: Pick<AnchorSet, "sources" | "index" | "vectorOf">,
  { seed }: { readonly seed: number },
): (SourceSimilarity | undefined)[] {
  const random = seededRandom(seed);
  const bySource = Array.from({ length: sources.count }, (): number[] => []);
  sources.ofAnchor.forEach((source, anchor) => {
    bySource[source]?.push(anchor);
  });
  return bySource.map((anchors, source) => {
    if (anchors.length < FEWEST_ANCHORS) return undefined;
    const nearest = Array.from(sampleWithoutReplacement(anchors.length, { count: SAMPLE, random }))
      .map((position) => {
        const anchor = anchors[position] as number;
        const { anchors: near, similarities } = withoutAnchor(
          index.search(vectorOf(anchor), NEIGHBOURS + 1),
          anchor,
        );
        const first = near.findIndex((neighbour) => sources.ofAnchor[neighbour] === source);
        return first < 0 ? 0 : (similarities[first] as number);
      })
      .sort((a, b) => a - b);
    const quantile = (share: number): number => nearest[Math.floor(share * (nearest.length - 1))] ?? 0;
    const least = quantile(LEAST_QUANTILE);
    // Where some anchor has no other of its source among its neighbours, nearness does not tell the source.
    if (least <= 0) return undefined;
    const neighbours = Math.min(NEIGHBOURS_OF_A_SOURCE, Math.ceil(anchors.length * SHARE_OF_A_SOURCE));
    return { least, usual: quantile(USUAL_QUANTILE), neighbours };
  });
}
