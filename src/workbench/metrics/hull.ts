/** Mean cost and quality of a way of choosing. */

export interface CostQuality {
  /** Mean dollars a prompt. */
  readonly cost: number;
  /** Mean quality in [0, 1]. */
  readonly quality: number;
}

/**
 * The non-decreasing convex hull: the costs and qualities that random mixtures of the points reach, without paying more
 * for lower quality. By cost, both strictly increasing; quality is linear between two points and constant above the
 * last.
 */
export function risingHull(points: readonly CostQuality[]): CostQuality[] {
  const sorted = points.toSorted((a, b) => a.cost - b.cost || b.quality - a.quality);
  const hull: CostQuality[] = [];
  for (const point of sorted) {
    if (Number.isNaN(point.cost) || Number.isNaN(point.quality)) continue;
    if (point.quality <= (hull.at(-1)?.quality ?? Number.NEGATIVE_INFINITY)) continue;
    while (hull.length > 1 && isBelow(hull.at(-1), { from: hull.at(-2), to: point })) hull.pop();
    hull.push(point);
  }
  return hull;
}

function isBelow(
  middle: CostQuality | undefined,
  { from, to }: { readonly from: CostQuality | undefined; readonly to: CostQuality },
): boolean {
  if (middle === undefined || from === undefined) return false;
  const rise = (middle.quality - from.quality) * (to.cost - from.cost);
  return rise <= (to.quality - from.quality) * (middle.cost - from.cost);
}

/** Quality of a hull at a cost; 0 below its cheapest point. */
export function qualityAt(hull: readonly CostQuality[], cost: number): number {
  const after = hull.findIndex((point) => point.cost > cost);
  if (after === 0 || hull.length === 0) return 0;
  const before = hull[after === -1 ? hull.length - 1 : after - 1] as CostQuality;
  const next = after === -1 ? before : (hull[after] as CostQuality);
  if (next.cost === before.cost) return before.quality;
  const share = (cost - before.cost) / (next.cost - before.cost);
  return before.quality + share * (next.quality - before.quality);
}

/**
 * Least height of a pronounced knee: the share of the range of cost that it saves exceeds the share of the range of quality that it
 * loses by a quarter. Wherever on the curve such a knee is, a dollar saved beyond it costs at least 2.7 times as much quality as one
 * saved before it: ((1 + ¼) / (1 − ¼))². The figure is a guess, above what chance makes of a straight curve: in a simulation 95 % of
 * such curves have heights below 0.23 by 40 prompts, 0.16 by 100 and 0.11 by 200.
 */
const LEAST_HEIGHT = 0.25;

/**
 * The knee of a curve of cost and quality: the point furthest above the line from its cheapest to its best point, both axes scaled
 * to that line (Satopää et al. 2011, "Finding a 'Kneedle' in a Haystack"). Only points of the rising convex hull are considered.
 *
 * @returns index of the point, the first of equal ones; null where no point is a quarter of both axes above the line, as on a curve
 *   that is nearly straight or has no point between its ends
 */
export function kneeOf(points: readonly CostQuality[]): number | null {
  const hull = risingHull(points);
  const [cheapest, best] = [hull[0], hull.at(-1)];
  if (cheapest === undefined || best === undefined) return null;
  const height = ({ cost, quality }: CostQuality): number =>
    (quality - cheapest.quality) / (best.quality - cheapest.quality) -
    (cost - cheapest.cost) / (best.cost - cheapest.cost);
  const [first, ...others] = hull.slice(1, -1);
  if (first === undefined) return null;
  const knee = others.reduce((top, point) => (height(point) > height(top) ? point : top), first);
  if (height(knee) < LEAST_HEIGHT) return null;
  return points.findIndex(({ cost, quality }) => cost === knee.cost && quality === knee.quality);
}

/**
 * AIQ (RouterBench): mean quality over the costs between the cheapest and the most expensive single model, along the
 * non-decreasing convex hull of a router's points. The cheapest single model is on every router's hull, since a router
 * can always choose it.
 *
 * @param points of a router along its cost weight; those of the single models for the zero router
 * @param singles one point per single model, at least 2 of different cost; NaN otherwise
 */
export function averageImprovement(points: readonly CostQuality[], singles: readonly CostQuality[]): number {
  const byCost = singles.toSorted((a, b) => a.cost - b.cost || b.quality - a.quality);
  const [cheapest, mostExpensive] = [byCost[0], byCost.at(-1)];
  if (cheapest === undefined || mostExpensive === undefined || mostExpensive.cost <= cheapest.cost)
    return Number.NaN;
  const hull = risingHull([cheapest, ...points]);
  const costs = [cheapest.cost, ...hull.map(({ cost }) => cost), mostExpensive.cost]
    .filter((cost) => cost >= cheapest.cost && cost <= mostExpensive.cost)
    .sort((a, b) => a - b);
  let area = 0;
  for (let step = 1; step < costs.length; step++) {
    const [from, to] = [costs[step - 1] as number, costs[step] as number];
    area += ((to - from) * (qualityAt(hull, from) + qualityAt(hull, to))) / 2;
  }
  return area / (mostExpensive.cost - cheapest.cost);
}

/** Quality below the best single model's that still counts as equal: half a point. */
const EQUAL_WITHIN = 0.005;

/**
 * CostSave: share of the best single model's cost that a router saves at equal quality: at its cheapest setting that is at
 * most half a point worse. Negative when that costs more; NaN when no setting is that good.
 */
export function costSaved(points: readonly CostQuality[], best: CostQuality): number {
  const equal = points.filter(({ quality }) => quality >= best.quality - EQUAL_WITHIN);
  if (equal.length === 0 || best.cost <= 0) return Number.NaN;
  return 1 - Math.min(...equal.map(({ cost }) => cost)) / best.cost;
}

/** Share of the gap between the best single model and the oracle that is closed; NaN when there is no gap. */
export function gapClosed(
  quality: number,
  { best, oracle }: { readonly best: number; readonly oracle: number },
): number {
  return oracle > best ? (quality - best) / (oracle - best) : Number.NaN;
}
