/** So many rows were done at that moment, counted from the one before. */
export interface Step {
  /** Milliseconds since the start, ascending. */
  readonly atMs: number;
  readonly rows: number;
}

/** Rows a second over the whole run. */
export function overallRate(steps: readonly Step[]): number {
  const rows = steps.reduce((sum, step) => sum + step.rows, 0);
  return (rows * 1000) / (steps.at(-1)?.atMs ?? Number.NaN);
}

/**
 * Rows a second in the slowest stretch of that length; over the whole run when it is shorter. A step counts evenly over
 * the time since the one before it, so that a pause of the store lowers the rate wherever it falls.
 */
export function slowestRate(steps: readonly Step[], windowMs: number): number {
  const done = cumulative(steps);
  const end = done.at(-1)?.atMs ?? 0;
  if (end <= windowMs) return overallRate(steps);
  // Rows over time are straight lines between steps: the least window starts or ends at a step.
  const starts = done.flatMap(({ atMs }) => [atMs, atMs - windowMs]);
  const rates = starts
    .filter((start) => start >= 0 && start + windowMs <= end)
    .map((start) => rowsAt(done, start + windowMs) - rowsAt(done, start));
  return rates.reduce((least, rows) => Math.min(least, rows), Number.POSITIVE_INFINITY) / (windowMs / 1000);
}

function cumulative(steps: readonly Step[]): Step[] {
  let rows = 0;
  return [
    { atMs: 0, rows: 0 },
    ...steps.map((step) => {
      rows += step.rows;
      return { atMs: step.atMs, rows };
    }),
  ];
}

/** Rows done at that moment, of cumulative steps. */
function rowsAt(done: readonly Step[], atMs: number): number {
  let low = 0;
  let high = done.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((done[middle]?.atMs ?? 0) < atMs) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [done[low - 1], done[low]];
  if (before === undefined || after === undefined) return done[low]?.rows ?? 0;
  const share = (atMs - before.atMs) / (after.atMs - before.atMs);
  return before.rows + share * (after.rows - before.rows);
}
