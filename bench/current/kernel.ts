/** The nearest training prompts of a prompt with their weights, which sum to 1. */
export interface KernelNeighbours {
  readonly rows: Int32Array;
  readonly weights: Float64Array;
  /** Kish's effective number. */
  readonly effective: number;
}

/** The router's kernel over unit vectors: exp((similarity − best) / width). Ties by row. */
export function nearestRows(
  vector: Float32Array,
  rows: readonly Float32Array[],
  { neighbours, width }: { readonly neighbours: number; readonly width: number },
): KernelNeighbours {
  const similarity = Float64Array.from(rows, (row) => {
    let sum = 0;
    for (let d = 0; d < row.length; d++) sum += (row[d] as number) * (vector[d] as number);
    return sum;
  });
  const order = Int32Array.from(similarity, (_, row) => row).sort(
    (a, b) => (similarity[b] as number) - (similarity[a] as number) || a - b,
  );
  const nearest = order.slice(0, neighbours);
  const best = similarity[nearest[0] ?? 0] ?? 0;
  const raw = Float64Array.from(nearest, (row) => Math.exp(((similarity[row] as number) - best) / width));
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  const squares = raw.reduce((sum, weight) => sum + weight * weight, 0);
  return {
    rows: nearest,
    weights: raw.map((weight) => weight / total),
    effective: squares > 0 ? (total * total) / squares : 0,
  };
}

export function kernelMean({ rows, weights }: KernelNeighbours, values: ArrayLike<number>): number {
  let sum = 0;
  for (let entry = 0; entry < rows.length; entry++)
    sum += (weights[entry] as number) * (values[rows[entry] as number] as number);
  return sum;
}
