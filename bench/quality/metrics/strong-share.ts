/** For two models: the share of the strong one's lead that a router keeps as the share of its calls grows. */
export interface StrongShareOrder {
  /** Test prompts, the ones expected to gain most from the strong model first, `[test]`. */
  readonly order: Uint32Array;
  /** Positions in `order` where another expected gain begins. */
  readonly starts: readonly number[];
  /** What the strong model really gains per test prompt, `[test]`. */
  readonly gains: Float64Array;
}

export interface StrongShareMetrics {
  /** Mean over shares in [0, 1] of (quality − weak) / (strong − weak); 0.5 for a router that knows nothing. */
  readonly apgr: number;
  /** Least share of calls to the strong model that keeps 50 % and 80 % of its lead. */
  readonly cpt50: number;
  readonly cpt80: number;
}

/** @param predicted `[test × 2]` @param quality `[test × 2]` */
export function orderByGain(
  predicted: Float64Array,
  quality: Float64Array,
  { strong }: { readonly strong: number },
): StrongShareOrder {
  const gainOf = (table: Float64Array) =>
    Float64Array.from({ length: table.length / 2 }, (_, index) => {
      return (table[index * 2 + strong] ?? 0) - (table[index * 2 + 1 - strong] ?? 0);
    });
  const expected = gainOf(predicted);
  const order = Uint32Array.from(expected, (_, index) => index).sort(
    (a, b) => (expected[b] ?? 0) - (expected[a] ?? 0) || a - b,
  );
  const starts = [...order.keys()].filter(
    (position) => position === 0 || expected[order[position] ?? 0] !== expected[order[position - 1] ?? 0],
  );
  return { order, starts, gains: gainOf(quality) };
}

/**
 * Prompts with equal expected gains count as drawn in random order: the curve is straight across them.
 *
 * @param weights how often each test prompt counts, `[test]`
 */
export function strongShareMetrics(order: StrongShareOrder, weights: Float64Array): StrongShareMetrics {
  const curve = recoveryCurve(order, weights);
  let apgr = 0;
  for (let point = 1; point < curve.length; point++) {
    const [from, to] = [curve[point - 1], curve[point]];
    if (from === undefined || to === undefined) continue;
    apgr += ((to.share - from.share) * (to.recovered + from.recovered)) / 2;
  }
  return { apgr, cpt50: shareFor(curve, 0.5), cpt80: shareFor(curve, 0.8) };
}

interface CurvePoint {
  readonly share: number;
  readonly recovered: number;
}

function recoveryCurve({ order, starts, gains }: StrongShareOrder, weights: Float64Array): CurvePoint[] {
  let count = 0;
  let gain = 0;
  const points: CurvePoint[] = [{ share: 0, recovered: 0 }];
  for (const [run, start] of starts.entries()) {
    for (let position = start; position < (starts[run + 1] ?? order.length); position++) {
      const prompt = order[position] ?? 0;
      count += weights[prompt] ?? 0;
      gain += (weights[prompt] ?? 0) * (gains[prompt] ?? 0);
    }
    points.push({ share: count, recovered: gain });
  }
  return points.map(({ share, recovered }) => ({ share: share / count, recovered: recovered / gain }));
}

function shareFor(curve: readonly CurvePoint[], recovered: number): number {
  const index = curve.findIndex((point) => point.recovered >= recovered);
  const [before, after] = [curve[index - 1], curve[index]];
  if (before === undefined || after === undefined) return Number.NaN;
  const part = (recovered - before.recovered) / (after.recovered - before.recovered);
  return before.share + part * (after.share - before.share);
}
