import { z } from "zod";
import { PARSE_ONCE } from "../../foundation/parse-once.js";
import { decodeSections, encodeSections, SectionFileError } from "../../foundation/section-file.js";
import type { VectorCodes } from "./anchor-vectors.js";

/**
 * An inverted file (IVF): the anchors of one set partitioned into lists around centroids, so that a search scans only
 * the lists near the query (docs/decisions/search.md). Contains no vectors; the set's own codes are
 * used.
 */
export interface IvfLists {
  /** List of each anchor, `[anchors]`. A list may be empty. */
  readonly listOf: Uint16Array;
  /**
   * Mean of each list's anchors, not normalised: its norm decreases as the anchors of the list differ. int8 `[lists ×
   * dimensions]` and f32 `[lists]`.
   */
  readonly centroids: { readonly codes: Int8Array; readonly scales: Float32Array };
  readonly probeBound: ProbeBound;
}

/**
 * Number of deviations above its expected similarity up to which a list is assumed to contain anchors (see
 * `ListBounds`), measured for in-distribution and for out-of-distribution queries, and interpolated by the similarity
 * of the nearest anchor found so far.
 */
export interface ProbeBound {
  readonly inDistribution: ProbeBoundPoint;
  readonly outOfDistribution: ProbeBoundPoint;
}

export interface ProbeBoundPoint {
  /** Median similarity of such queries to their nearest anchor. */
  readonly similarity: number;
  /** > 0 */
  readonly deviations: number;
}

const pointSchema = z.object({ similarity: z.number(), deviations: z.number().positive() });

const factsSchema = z.object({
  probe_bound: z.object({ in_distribution: pointSchema, out_of_distribution: pointSchema }),
});

/** A list of 128 dimensions takes 132 bytes and an anchor 2: 140 kB for 25,000 anchors. */
export function encodeIvfLists({ listOf, centroids, probeBound }: IvfLists): Uint8Array {
  return encodeSections({
    facts: {
      probe_bound: {
        in_distribution: probeBound.inDistribution,
        out_of_distribution: probeBound.outOfDistribution,
      },
    },
    sections: { list_of: listOf, codes: centroids.codes, scales: centroids.scales },
  });
}

/**
 * Reads what `encodeIvfLists` wrote. The caller ensures, by the checksums of both files, that the lists belong to these
 * vectors.
 *
 * @param options.name of the file, for messages
 * @throws SectionFileError when the file is damaged, or its lists cannot belong to these vectors
 */
export function decodeIvfLists(
  bytes: Uint8Array,
  { vectors, name }: { readonly vectors: VectorCodes; readonly name: string },
): IvfLists {
  const { facts, sections } = decodeSections(bytes, name);
  const parsed = factsSchema.safeParse(facts, PARSE_ONCE);
  if (!parsed.success) throw new SectionFileError(`${name} does not hold IVF lists. Build the set again.`);
  const { list_of: listOf, codes, scales } = sections;
  const fits =
    listOf instanceof Uint16Array &&
    codes instanceof Int8Array &&
    scales instanceof Float32Array &&
    listOf.length === vectors.count &&
    codes.length === scales.length * vectors.dimensions &&
    listOf.every((list) => list < scales.length);
  if (!fits)
    throw new SectionFileError(
      `${name} does not fit the ${vectors.count} anchors of ${vectors.dimensions} dimensions. Build the set again.`,
    );
  const { in_distribution, out_of_distribution } = parsed.data.probe_bound;
  return {
    listOf,
    centroids: { codes, scales },
    probeBound: { inDistribution: in_distribution, outOfDistribution: out_of_distribution },
  };
}
