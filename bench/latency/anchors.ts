import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import {
  type AnchorVectors,
  allocateAnchorVectors,
  decodeRow,
  quantiseRow,
} from "../../src/engine/search/anchor-vectors.js";
import { createExactIndex } from "../../src/engine/search/exact-index.js";
import { sampleWithoutReplacement, seededRandom } from "../../src/foundation/random.js";
import { decodeSections } from "../../src/foundation/section-file.js";

/** Vectors of public benchmark prompts, as the default profile set ships them; no text is in it. */
const SHIPPED_ANCHORS = join("profiles", "default", "anchors.bin");
/** Neighbours of a real anchor that span the directions in which its copies are moved. */
const SPAN = 24;

/**
 * As many anchors as requested, distributed like real prompts: the shipped set's own in a random order, and beyond
 * their number copies moved at random along the directions of their 24 nearest neighbours, in proportion to their
 * spread. 100,000 of them have the intrinsic dimension of the real ones (`intrinsicDimension` of 2,000: 15.8 against
 * 15.3; of 8,000: 9.0 against 11.5). Embeddings of generated sentences would be unsuitable: they form a few tight
 * clusters, on which every index performs well.
 *
 * @throws Error when the shipped set was made with an embedder of other dimensions
 */
export async function realisticAnchors(count: number, embedder: Embedder): Promise<AnchorVectors> {
  const real = await readAnchors(SHIPPED_ANCHORS, embedder);
  const random = seededRandom(11);
  const order = shuffled(real.count, random);
  const vectors = allocateAnchorVectors(count, embedder.dimensions);
  const neighbours = count > real.count ? neighbourLists(real) : [];
  const row = new Float32Array(embedder.dimensions);
  for (let anchor = 0; anchor < count; anchor++) {
    const origin = order[anchor % real.count] as number;
    if (anchor < real.count) row.set(decodeRow(real, origin));
    else moveAlong(real, { origin, neighbours: neighbours[origin] as Int32Array, random, into: row });
    quantiseRow(vectors, anchor, row);
  }
  return vectors;
}

/** @throws Error when the file holds vectors of another length, or none */
export async function readAnchors(path: string, { dimensions, id }: Embedder): Promise<AnchorVectors> {
  const { codes, scales } = decodeSections(await readFile(path), path).sections;
  const count = scales?.length ?? 0;
  if (codes?.length !== count * dimensions || count === 0) {
    throw new Error(
      `${path} does not hold vectors of ${dimensions} dimensions, which ${id} makes. Build that set again.`,
    );
  }
  const vectors = allocateAnchorVectors(count, dimensions);
  vectors.codes.set(codes);
  vectors.scales.set(scales ?? []);
  return vectors;
}

function shuffled(count: number, random: () => number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let index = count - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [order[index], order[other]] = [order[other] as number, order[index] as number];
  }
  return order;
}

function neighbourLists(vectors: AnchorVectors): Int32Array[] {
  const index = createExactIndex(vectors);
  return Array.from({ length: vectors.count }, (_, anchor) =>
    index.search(decodeRow(vectors, anchor), SPAN + 1).anchors.filter((other) => other !== anchor),
  );
}

interface Move {
  readonly origin: number;
  readonly neighbours: Int32Array;
  readonly random: () => number;
  readonly into: Float32Array;
}

/** origin + Σ g·(neighbour − origin) / √span, to unit length: a draw from the spread of its neighbourhood. */
function moveAlong(real: AnchorVectors, { origin, neighbours, random, into }: Move): void {
  const { codes, scales, dimensions } = real;
  const factors = Array.from(neighbours, () => gaussian(random) / Math.sqrt(SPAN));
  const own = (1 - factors.reduce((sum, factor) => sum + factor, 0)) * (scales[origin] as number);
  for (let d = 0; d < dimensions; d++) into[d] = own * (codes[origin * dimensions + d] as number);
  for (const [index, neighbour] of neighbours.entries()) {
    const factor = (factors[index] as number) * (scales[neighbour] as number);
    const start = neighbour * dimensions;
    for (let d = 0; d < dimensions; d++)
      into[d] = (into[d] as number) + factor * (codes[start + d] as number);
  }
  const length = Math.hypot(...into);
  for (let d = 0; d < dimensions; d++) into[d] = (into[d] as number) / length;
}

/** Standard normal, by Box and Muller. */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Dimensions of the surface the vectors lie on, by the ratio of the distances to the second and the first neighbour
 * (Facco et al. 2017, "TwoNN", maximum likelihood). On a sample of `sample` rows, so that sets of different sizes compare.
 */
export function intrinsicDimension(
  vectors: AnchorVectors,
  { sample, seed }: { readonly sample: number; readonly seed: number },
): number {
  const rows = sampleWithoutReplacement(vectors.count, { count: sample, random: seededRandom(seed) });
  const subset = allocateAnchorVectors(rows.length, vectors.dimensions);
  rows.forEach((row, position) => {
    quantiseRow(subset, position, decodeRow(vectors, row));
  });
  const index = createExactIndex(subset);
  let sum = 0;
  let counted = 0;
  for (let position = 0; position < subset.count; position++) {
    const { anchors, similarities } = index.search(decodeRow(subset, position), 3);
    const others = [...similarities].filter((_, at) => anchors[at] !== position);
    const [first, second] = others.map((similarity) => Math.sqrt(Math.max(0, 2 - 2 * similarity)));
    // Nearer than int8 codes tell apart: a copy of the same prompt.
    if (first === undefined || second === undefined || first < 0.05) continue;
    sum += Math.log(second / first);
    counted += 1;
  }
  return counted / sum;
}
