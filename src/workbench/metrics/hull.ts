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
