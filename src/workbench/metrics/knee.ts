import { type CostQuality, risingHull } from "./hull.js";

/**
 * The knee of a curve of cost and quality: the point furthest above the line from its cheapest to its best point, both axes scaled
 * to that line (Satopää et al. 2011, "Finding a 'Kneedle' in a Haystack"). Only points of the rising convex hull are considered.
 *
 * @returns index of the point, the first of equal ones; of the best where the hull has no point between its ends; null where
 *   nothing is known of any point
 */
export function kneeOf(points: readonly CostQuality[]): number | null {
  const hull = risingHull(points);
  const [cheapest, best] = [hull[0], hull.at(-1)];
  if (cheapest === undefined || best === undefined) return null;
  const height = ({ cost, quality }: CostQuality): number =>
    (quality - cheapest.quality) / (best.quality - cheapest.quality) -
    (cost - cheapest.cost) / (best.cost - cheapest.cost);
  const knee = hull.slice(1, -1).reduce((top, point) => (height(point) > height(top) ? point : top), best);
  return points.findIndex(({ cost, quality }) => cost === knee.cost && quality === knee.quality);
}
