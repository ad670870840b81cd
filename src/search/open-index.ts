import type { AnchorIndex, IndexKind } from "./anchor-index.js";
import type { AnchorVectors } from "./anchor-vectors.js";
import { createExactIndex } from "./exact-index.js";
import { decodeIvfLists } from "./ivf-format.js";
import { createIvfIndex } from "./ivf-index.js";

/** Anchors from which IVF lists are searched by default. Below, an exact search takes less than 70 µs. */
export const IVF_FROM_ANCHORS = 9_600;

/** The kind of index that `profile build --index auto` builds: the fastest at a recall of at least .98, as measured. */
export const fastestKind = (anchors: number): IndexKind => (anchors < IVF_FROM_ANCHORS ? "exact" : "ivf");

export interface OpenAnchorIndexOptions {
  readonly vectors: AnchorVectors;
  /** A file that `encodeIvfLists` wrote for these vectors; undefined for an exact search. */
  readonly ivf: { readonly bytes: Uint8Array; readonly name: string } | undefined;
}

export interface OpenedAnchorIndex {
  readonly index: AnchorIndex;
  /** One sentence for a log: which index serves. */
  readonly note: string;
}

/** @throws SectionFileError when the lists are damaged or do not fit the vectors */
export function openAnchorIndex({ vectors, ivf }: OpenAnchorIndexOptions): OpenedAnchorIndex {
  const anchors = `${vectors.count.toLocaleString("en")} anchors`;
  if (ivf === undefined) return { index: createExactIndex(vectors), note: `exact search of ${anchors}` };
  const lists = decodeIvfLists(ivf.bytes, { vectors, name: ivf.name });
  return { index: createIvfIndex(vectors, lists), note: `IVF search of ${anchors}` };
}
