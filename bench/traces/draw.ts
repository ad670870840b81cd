/** Draws an index of a list. */
export type Draw = (random: () => number) => number;

/** Size of the table for draws: an entry with a smaller share is never drawn. */
const TABLE = 2 ** 18;

/** Indexes 0 to `count` − 1, with a share proportional to 1 ÷ (r + 1)^exponent for rank r (Zipf's law). */
export function zipf(count: number, exponent: number): Draw {
  return weighted(Array.from({ length: count }, (_, rank) => 1 / (rank + 1) ** exponent));
}

/** Indexes with shares proportional to the weights. Constant time for any number of weights. */
export function weighted(weights: readonly number[]): Draw {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const table = new Uint32Array(TABLE);
  let index = 0;
  let reached = (weights[0] ?? 0) / total;
  for (let entry = 0; entry < TABLE; entry++) {
    while ((entry + 0.5) / TABLE > reached && index < weights.length - 1) {
      index += 1;
      reached += (weights[index] ?? 0) / total;
    }
    table[entry] = index;
  }
  return (random) => table[Math.floor(random() * TABLE)] ?? 0;
}

/** A value whose logarithm is normal: `median`, and `spread` as the standard deviation of the logarithm. */
export function logNormal(
  random: () => number,
  { median, spread }: { median: number; spread: number },
): number {
  // Box and Muller; 1 − random() is never 0.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(spread * normal);
}
