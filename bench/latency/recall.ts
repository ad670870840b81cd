import { join } from "node:path";
import type { AnchorSet } from "../../src/engine/estimation/anchor-set.js";
import { ANCHORS_FILE } from "../../src/engine/profiles/manifest.js";
import type { AnchorIndex } from "../../src/engine/search/anchor-index.js";
import { type AnchorVectors, decodeRow } from "../../src/engine/search/anchor-vectors.js";
import { createExactIndex } from "../../src/engine/search/exact-index.js";
import type { Figure } from "../report/result.js";
import { readAnchors } from "./anchors.js";
import type { Dependencies } from "./dependencies.js";
import { type SyntheticSetSize, syntheticSetFolder } from "./synthetic-set.js";

const NEIGHBOURS = 64;
const TOKENS = 50;

/** By how much the f32 similarities of a graph may differ from those of the kernel. */
const ROUNDING = 1e-5;
/** Queries between two anchors. */
const QUERIES_AMONG = 100;

/**
 * Share of the 64 nearest anchors that the set's index finds, with ties counted as found; to be read with the times.
 * Once for in-distribution prompts, once for generated ones, for which recall is lower. Nothing for a set with exact
 * search.
 */
export async function recallFigures(
  set: AnchorSet,
  size: SyntheticSetSize,
  { embedder, prompts }: Dependencies,
): Promise<Figure[]> {
  if (set.index.kind === "exact") return [];
  const vectors = await readAnchors(join(syntheticSetFolder(size, embedder), ANCHORS_FILE), embedder);
  const exact = createExactIndex(vectors);
  const figure = (id: string, of: string, queries: readonly Float32Array[]): Figure => ({
    ...{
      id: `latency/search/${set.index.kind}/k${NEIGHBOURS}/a${size.anchors}/${id}`,
      unit: "share",
      better: "higher",
    },
    ...{
      label: `${NEIGHBOURS} nearest of ${size.anchors.toLocaleString("en-US")} anchors, ${set.index.kind}, found for ${of}`,
    },
    ...{ value: recallOf(set.index, exact, { queries, k: NEIGHBOURS }) },
  });
  return [
    figure("recall", "prompts among the anchors", queriesAmong(vectors, exact)),
    figure("recall_out_of_distribution", "made-up prompts", await embedder.embed(prompts.get(TOKENS) ?? [])),
  ];
}

/** Share of the `k` nearest that `index` finds; of anchors equally near, one is as good as another. */
export function recallOf(
  index: AnchorIndex,
  exact: AnchorIndex,
  { queries, k }: { readonly queries: readonly Float32Array[]; readonly k: number },
): number {
  let found = 0;
  for (const query of queries) {
    const threshold = (exact.search(query, k).similarities.at(-1) ?? 1) - ROUNDING;
    found += index.search(query, k).similarities.filter((similarity) => similarity >= threshold).length;
  }
  return found / (k * queries.length);
}

/** Queries between an anchor and one of its nearest, evenly over the set. */
export function queriesAmong(vectors: AnchorVectors, exact: AnchorIndex): Float32Array[] {
  return Array.from({ length: QUERIES_AMONG }, (_, index) => {
    const anchor = decodeRow(vectors, Math.floor((index * vectors.count) / QUERIES_AMONG));
    const near = exact.search(anchor, 12).anchors[5 + (index % 6)] ?? 0;
    const other = decodeRow(vectors, near);
    const between = anchor.map((value, dimension) => value + 0.8 * (other[dimension] ?? 0));
    const length = Math.hypot(...between);
    return between.map((value) => value / length);
  });
}
