import { z } from "zod";
import { decodeSections, encodeSections } from "../foundation/section-file.js";
import type { AnchorVectors } from "./anchor-vectors.js";
import type { Cells, CellsOutcome } from "./cells.js";
import { checksumOf } from "./vectors-checksum.js";

/** Changes with what is stored, and with how anchors are dealt: older cells are then built again. */
const VERSION = 1;

const reachPoint = z.object({ similarity: z.number(), deviations: z.number().positive() });

const factsSchema = z.object({
  version: z.int(),
  size: z.int(),
  dimensions: z.int(),
  vectors_sha256: z.string(),
  reach: z.object({ among: reachPoint, apart: reachPoint }),
});

/** 140 bytes a cell of 128 dimensions and 2 an anchor: 140 kB for 25,000 anchors. */
export function serialiseCells({
  size,
  dimensions,
  vectorsChecksum,
  cellOf,
  means,
  reach,
}: Cells): Uint8Array {
  return encodeSections({
    facts: { version: VERSION, size, dimensions, vectors_sha256: vectorsChecksum, reach },
    sections: { cell_of: cellOf, codes: means.codes, scales: means.scales },
  });
}

/**
 * The cells that `serialiseCells` wrote, if they fit the vectors. Never throws on what was read: `absent`, `stale` (other vectors
 * or format) and `corrupt` come with a reason, and the caller builds new ones.
 */
export function restoreCells(vectors: AnchorVectors, bytes: Uint8Array | undefined): CellsOutcome {
  if (!bytes) return { status: "absent", reason: "no cells are stored" };
  try {
    const { facts, sections } = decodeSections(bytes, "the file");
    const parsed = factsSchema.safeParse(facts);
    if (!parsed.success) return corrupt("its header is not of cells");
    const { version, size, dimensions, reach, vectors_sha256: vectorsChecksum } = parsed.data;
    if (version !== VERSION) return stale(`their format is version ${version}, this is version ${VERSION}`);
    if (
      size !== vectors.count ||
      dimensions !== vectors.dimensions ||
      checksumOf(vectors) !== vectorsChecksum
    )
      return stale("they were made of other vectors");
    const { cell_of: cellOf, codes, scales } = sections;
    const whole =
      cellOf instanceof Uint16Array &&
      codes instanceof Int8Array &&
      scales instanceof Float32Array &&
      cellOf.length === size &&
      codes.length === scales.length * dimensions &&
      cellOf.every((cell) => cell < scales.length);
    if (!whole) return corrupt("its parts do not fit each other");
    return {
      status: "ready",
      cells: { size, dimensions, vectorsChecksum, cellOf, means: { codes, scales }, reach },
    };
  } catch (error) {
    return corrupt(error instanceof Error ? error.message : String(error));
  }
}

function corrupt(reason: string): CellsOutcome {
  return { status: "corrupt", reason: `the stored cells are damaged: ${reason}` };
}

function stale(reason: string): CellsOutcome {
  return { status: "stale", reason: `the stored cells do not fit: ${reason}` };
}
