/** A vector's soft memberships: cluster numbers and weights that sum to 1 over all resolutions. */
export interface Memberships {
  readonly cluster: readonly number[];
  readonly weight: readonly number[];
}

/** Softmax of similarity / temperature over the nearest clusters (both figures measured on the design's trial router). */
const TEMPERATURE = 0.05;
const NEAREST_CLUSTERS = 8;

/**
 * Which clusters a vector belongs to, each resolution counting the same. It weighs the cells of the cluster tables, when
 * they are filled as when they are read.
 *
 * @param similarities to every centroid, `[clusters]`
 * @param resolutionStarts start of each resolution's clusters; the last entry is the number of clusters
 */
export function clusterMemberships(
  similarities: Float32Array,
  resolutionStarts: readonly number[],
): Memberships {
  const cluster: number[] = [];
  const weight: number[] = [];
  const resolutions = resolutionStarts.length - 1;
  for (let resolution = 0; resolution < resolutions; resolution++) {
    const start = resolutionStarts[resolution] as number;
    const nearest = nearestClusters(similarities, start, resolutionStarts[resolution + 1] as number);
    const best = similarities[nearest[0] as number] as number;
    const first = weight.length;
    let total = 0;
    for (const candidate of nearest) {
      const value = Math.exp(((similarities[candidate] as number) - best) / TEMPERATURE);
      cluster.push(candidate);
      weight.push(value);
      total += value * resolutions;
    }
    for (let entry = first; entry < weight.length; entry++) weight[entry] = (weight[entry] as number) / total;
  }
  return { cluster, weight };
}

/** The most similar clusters of one resolution, best first; ties by cluster number. */
function nearestClusters(similarities: Float32Array, start: number, end: number): number[] {
  const nearest: number[] = [];
  let threshold = Number.NEGATIVE_INFINITY;
  for (let cluster = start; cluster < end; cluster++) {
    const similarity = similarities[cluster] as number;
    if (similarity <= threshold) continue;
    let place = Math.min(nearest.length, NEAREST_CLUSTERS - 1);
    while (place > 0 && similarity > (similarities[nearest[place - 1] as number] as number)) {
      nearest[place] = nearest[place - 1] as number;
      place--;
    }
    nearest[place] = cluster;
    if (nearest.length === NEAREST_CLUSTERS) threshold = similarities[nearest.at(-1) as number] as number;
  }
  return nearest;
}
