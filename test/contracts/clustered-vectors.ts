/** Seeded vectors that lie as embeddings of prompts do: topics of very different sizes, a common direction, duplicates. */
import { seededRandom } from "../../src/foundation/random.js";

export interface ClusteredVectors {
  readonly dimensions: number;
  /** f32 `[count × dimensions]`, unit rows. */
  readonly rows: Float32Array;
  /** Unit vectors of the same topics that are not among the rows. */
  readonly queries: readonly Float32Array[];
}

export interface ClusteredVectorsOptions {
  readonly count: number;
  readonly dimensions: number;
  readonly queries: number;
  readonly seed: number;
}

/** Every 20th row is a copy of the one before it. Topics follow each other, as benchmarks do in a profile set. */
export function clusteredVectors({
  count,
  dimensions,
  queries,
  seed,
}: ClusteredVectorsOptions): ClusteredVectors {
  const random = seededRandom(seed);
  const common = gaussian(dimensions, random);
  const topics = Array.from({ length: 1 + Math.ceil(Math.sqrt(count) / 2) }, () =>
    gaussian(dimensions, random),
  );
  const near = (topic: Float32Array): Float32Array => {
    const spread = 0.5 + random();
    const noise = gaussian(dimensions, random);
    return unit(topic.map((value, d) => 0.4 * (common[d] ?? 0) + value + spread * (noise[d] ?? 0)));
  };
  // Squaring makes some topics much larger than others.
  const topicOf = (share: number): Float32Array =>
    topics[Math.floor(share ** 2 * topics.length)] ?? new Float32Array(dimensions);
  const rows = new Float32Array(count * dimensions);
  for (let row = 0; row < count; row++) {
    const start = row * dimensions;
    if (row % 20 === 19) rows.copyWithin(start, start - dimensions, start);
    else rows.set(near(topicOf(row / count)), start);
  }
  return { dimensions, rows, queries: Array.from({ length: queries }, () => near(topicOf(random()))) };
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Numbers of the standard normal distribution. */
export function gaussian(dimensions: number, random: () => number): Float32Array {
  return new Float32Array(dimensions).map(
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}
