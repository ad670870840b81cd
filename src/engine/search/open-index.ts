import type { AnchorIndex } from "./anchor-index.js";
import { type VectorCodes, vectorsInMemory } from "./anchor-vectors.js";
import { createExactIndex } from "./exact-index.js";
import { createIvfIndex } from "./ivf-index.js";
import { decodeIvfLists } from "./ivf-lists.js";

/** Anchors from which IVF lists are searched by default. Below, an exact search takes less than 70 µs. */
const IVF_FROM_ANCHORS = 9_600;

/**
 * The kind of index that `profile build --index auto` builds: the fastest with a recall of at least .98 for
 * in-distribution and out-of-distribution prompts (docs/decisions/0002-nearest-neighbours.md).
 */
export const fastestKind = (anchors: number): "exact" | "ivf" =>
  anchors < IVF_FROM_ANCHORS ? "exact" : "ivf";

/** The index files of a set, built from its vectors. */
export type StoredIndex = { readonly kind: "exact" } | { readonly kind: "ivf"; readonly lists: StoredLists };

interface StoredLists {
  /** As `encodeIvfLists` wrote them. */
  readonly bytes: Uint8Array;
  /** Of the file, for messages. */
  readonly name: string;
}

export interface OpenedAnchorIndex {
  readonly index: AnchorIndex;
  /** For the log: which index is used. */
  readonly note: string;
}

/** @throws SectionFileError when a file is damaged or does not fit the vectors */
export function openAnchorIndex(vectors: VectorCodes, stored: StoredIndex): OpenedAnchorIndex {
  const anchors = `${vectors.count} anchors`;
  if (stored.kind === "exact")
    return { index: createExactIndex(vectorsInMemory(vectors)), note: `exact search of ${anchors}` };
  const lists = decodeIvfLists(stored.lists.bytes, { vectors, name: stored.lists.name });
  return { index: createIvfIndex(vectors, lists), note: `IVF search of ${anchors}` };
}
