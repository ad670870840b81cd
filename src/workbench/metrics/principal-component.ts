const POWER_ITERATIONS = 8;

/** A direction along which vectors differ. */
export interface PrincipalComponent {
  /** Unit length, `[dimensions]`. */
  readonly direction: Float64Array;
  /** Of each vector, its distance from the mean along the direction. */
  readonly scores: Float64Array;
}

/**
 * The direction in which vectors differ most, by power iteration: exact enough to order them by. O(vectors × dimensions).
 *
 * @param options.orthogonalTo an earlier component
 */
export function principalComponent(
  vectors: readonly Float32Array[],
  { orthogonalTo }: { readonly orthogonalTo?: PrincipalComponent } = {},
): PrincipalComponent {
  const dimensions = vectors[0]?.length ?? 0;
  const mean = meanOf(vectors, dimensions);
  // Any start that is orthogonal to no likely direction.
  let direction: Float64Array = Float64Array.from({ length: dimensions }, (_, d) => Math.sin(d + 1));
  let scores: Float64Array = new Float64Array(vectors.length);
  for (let iteration = 0; iteration < POWER_ITERATIONS; iteration++) {
    if (orthogonalTo !== undefined) direction = without(direction, orthogonalTo.direction);
    scores = scoresOf(vectors, { mean, direction });
    const next = new Float64Array(dimensions);
    vectors.forEach((vector, row) => {
      const score = scores[row] as number;
      for (let d = 0; d < dimensions; d++)
        next[d] = (next[d] as number) + score * ((vector[d] as number) - (mean[d] as number));
    });
    const length = Math.hypot(...next);
    if (length === 0) break;
    direction = next.map((value) => value / length);
  }
  return { direction, scores };
}

function meanOf(vectors: readonly Float32Array[], dimensions: number): Float64Array {
  const mean = new Float64Array(dimensions);
  for (const vector of vectors)
    for (let d = 0; d < dimensions; d++)
      mean[d] = (mean[d] as number) + (vector[d] as number) / vectors.length;
  return mean;
}

function scoresOf(
  vectors: readonly Float32Array[],
  { mean, direction }: { readonly mean: Float64Array; readonly direction: Float64Array },
): Float64Array {
  return Float64Array.from(vectors, (vector) => {
    let score = 0;
    for (let d = 0; d < mean.length; d++)
      score += ((vector[d] as number) - (mean[d] as number)) * (direction[d] as number);
    return score;
  });
}

function without(direction: Float64Array, other: Float64Array): Float64Array {
  const shared = direction.reduce((sum, value, d) => sum + value * (other[d] as number), 0);
  return direction.map((value, d) => value - shared * (other[d] as number));
}
