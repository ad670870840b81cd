import { join } from "node:path";
import type { AnchorSet } from "../../src/profiles/anchor-set.js";
import { createExactIndex } from "../../src/profiles/index/exact.js";
import { ANCHORS_FILE } from "../../src/profiles/manifest.js";
import type { Figure } from "../report/result.js";
import { readAnchors } from "./anchors.js";
import type { Parts } from "./parts.js";
import { type SyntheticSetSize, syntheticSetFolder } from "./synthetic-set.js";

const NEIGHBOURS = 64;
const TOKENS = 50;

/**
 * Share of the 64 nearest anchors that the set's graph finds, one of two equally near being as good as the other: a quick
 * search that misses is not quick. Nothing for a set that is searched exactly.
 */
export async function recallFigures(
  set: AnchorSet,
  size: SyntheticSetSize,
  { embedder, prompts }: Parts,
): Promise<Figure[]> {
  if (set.index.kind === "exact") return [];
  const queries = await embedder.embed(prompts.get(TOKENS) ?? []);
  const vectors = await readAnchors(join(syntheticSetFolder(size, embedder), ANCHORS_FILE), embedder);
  const exact = createExactIndex(vectors);
  let found = 0;
  for (const query of queries) {
    const bar = exact.search(query, NEIGHBOURS).similarities.at(-1) ?? 1;
    found += set.index
      .search(query, NEIGHBOURS)
      .similarities.filter((similarity) => similarity >= bar).length;
  }
  const anchors = size.anchors.toLocaleString("en-US");
  return [
    {
      ...{
        id: `latency/search/hnsw/k${NEIGHBOURS}/a${size.anchors}/recall`,
        unit: "share",
        better: "higher",
      },
      ...{ label: `${NEIGHBOURS} nearest of ${anchors} anchors, hnsw, found`, goal: 0.98 },
      value: found / (NEIGHBOURS * queries.length),
    },
  ];
}
