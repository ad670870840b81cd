import { installCommand } from "../../foundation/optional-package.js";
import type { AnchorIndex } from "./anchor-index.js";
import { type VectorCodes, vectorsInMemory } from "./anchor-vectors.js";
import { createExactIndex } from "./exact-index.js";
import { createHnswIndex, readHnswGraph } from "./hnsw-index.js";
import { type OpenHnswLibrary, openHnswLibrary } from "./hnsw-library.js";
import { createIvfIndex } from "./ivf-index.js";
import { decodeIvfLists } from "./ivf-lists.js";

/** Anchors from which IVF lists are searched by default. Below, an exact search takes less than 70 µs. */
const IVF_FROM_ANCHORS = 9_600;

/**
 * The kind of index that `profile build --index auto` builds: the fastest with a recall of at least .98 for
 * in-distribution and out-of-distribution prompts (docs/decisions/search.md).
 */
export const fastestKind = (anchors: number): "exact" | "ivf" =>
  anchors < IVF_FROM_ANCHORS ? "exact" : "ivf";

/** The index files of a set, all built from its vectors. Those of a graph include IVF lists, for use without the library. */
export type StoredIndex =
  | { readonly kind: "exact" }
  | { readonly kind: "ivf"; readonly lists: StoredLists }
  | { readonly kind: "hnsw"; readonly lists: StoredLists; readonly graphPath: string };

interface StoredLists {
  /** As `encodeIvfLists` wrote them. */
  readonly bytes: Uint8Array;
  /** Of the file, for messages. */
  readonly name: string;
}

export interface OpenedAnchorIndex {
  readonly index: AnchorIndex;
  /** Why another index is used than the one that was built; undefined when it is that one. */
  readonly note?: string;
}

/** @throws SectionFileError when a file is damaged or does not fit the vectors */
export async function openAnchorIndex(
  vectors: VectorCodes,
  stored: StoredIndex,
  { openLibrary = openHnswLibrary }: { readonly openLibrary?: OpenHnswLibrary | undefined } = {},
): Promise<OpenedAnchorIndex> {
  if (stored.kind === "exact") return { index: createExactIndex(vectorsInMemory(vectors)) };
  const library = stored.kind === "hnsw" ? await openLibrary() : undefined;
  if (stored.kind === "hnsw" && library !== undefined) {
    const searched = vectorsInMemory(vectors);
    const graph = readHnswGraph(searched, { library, path: stored.graphPath });
    return { index: createHnswIndex(searched, graph) };
  }
  const lists = decodeIvfLists(stored.lists.bytes, { vectors, name: stored.lists.name });
  const index = await createIvfIndex(vectors, lists);
  if (stored.kind === "ivf") return { index };
  const remedy = `\`${installCommand("hnswlib-node")}\` where Sextant is installed`;
  return {
    index,
    note: `searched by IVF lists: the HNSW graph needs the package hnswlib-node; run ${remedy}`,
  };
}
