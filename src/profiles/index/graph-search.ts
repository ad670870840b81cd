import { CHOSEN_CAPACITY } from "../vector-memory.js";
import { AnchorHeap } from "./heap.js";
import type { GraphLayer, NeighbourGraph } from "./neighbour-graph.js";
import type { SimilarityKernel } from "./similarity.js";

/**
 * Finds about the `candidates` anchors nearest to the query loaded into `kernel`. The result is valid until the next
 * search. Deterministic: the same graph, vectors and query give the same anchors.
 */
export type GraphSearch = (candidates: number) => AnchorHeap;

/** Anchors kept on the way down to layer 0: enough that several topics stay open. */
const BEAM = 16;
const LARGEST_ROUND = 65_535;

export function createGraphSearch(graph: NeighbourGraph, kernel: SimilarityKernel): GraphSearch {
  const open = new AnchorHeap();
  const best = new AnchorHeap();
  /** Number of the round an anchor was last seen in. */
  const seen = new Uint16Array(graph.size);
  let round = 0;

  const nextRound = (): void => {
    round = round === LARGEST_ROUND ? 1 : round + 1;
    if (round === 1) seen.fill(0);
  };
  const offer = (similarity: number, anchor: number, limit: number): boolean => {
    if (best.size < limit) best.push(similarity, anchor);
    else if (similarity > best.top) best.replaceTop(similarity, anchor);
    else return false;
    return true;
  };
  const enter = (): void => {
    best.clear();
    for (let start = 0; start < graph.entries.length; start += CHOSEN_CAPACITY) {
      const entries = graph.entries.subarray(start, start + CHOSEN_CAPACITY);
      kernel.chosen.set(entries);
      const similarities = kernel.ofChosen(entries.length);
      for (let at = 0; at < entries.length; at++)
        offer(similarities[at] as number, entries[at] as number, BEAM);
    }
  };
  /** Puts the unseen neighbours of a member into `kernel.chosen` and returns their number. */
  const unseenNeighbours = ({ starts, neighbours }: GraphLayer, member: number): number => {
    const end = starts[member + 1] as number;
    let count = 0;
    for (let link = starts[member] as number; link < end; link++) {
      const anchor = neighbours[link] as number;
      if (seen[anchor] === round) continue;
      seen[anchor] = round;
      kernel.chosen[count++] = anchor;
    }
    return count;
  };
  /** Widens `best` along the links of one layer until nothing open is nearer than the worst of `limit`. */
  const widen = (layer: GraphLayer, limit: number): void => {
    nextRound();
    open.clear();
    for (let at = 0; at < best.size; at++) {
      const anchor = best.anchors[at] as number;
      seen[anchor] = round;
      open.push(-(best.keys[at] as number), anchor);
    }
    while (open.size > 0 && (best.size < limit || -open.top >= best.top)) {
      const count = unseenNeighbours(layer, memberOf(layer, open.pop()));
      const similarities = kernel.ofChosen(count);
      for (let at = 0; at < count; at++) {
        const similarity = similarities[at] as number;
        const anchor = kernel.chosen[at] as number;
        if (offer(similarity, anchor, limit)) open.push(-similarity, anchor);
      }
    }
  };

  return (candidates) => {
    enter();
    for (let layer = graph.layers.length - 1; layer >= 0; layer--) {
      widen(graph.layers[layer] as GraphLayer, layer === 0 ? candidates : BEAM);
    }
    return best;
  };
}

/** The place of an anchor among the members of a layer that holds it. */
function memberOf({ members }: GraphLayer, anchor: number): number {
  if (!members) return anchor;
  let low = 0;
  let high = members.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((members[middle] as number) < anchor) low = middle + 1;
    else high = middle;
  }
  return low;
}
