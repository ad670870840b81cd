/** Maps values to pixel positions in a plot. */
export interface Axis {
  readonly toPixel: (value: number) => number;
  readonly ticks: readonly number[];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Powers of ten and, where there are few, their doubles and fives. */
export function logAxis(values: readonly number[], { from, to }: Span): Axis {
  const [least, most] = [Math.min(...values) / 1.6, Math.max(...values) * 1.6];
  const [low, high] = [Math.log10(least), Math.log10(most)];
  const toPixel = (value: number): number => from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  const steps = high - low > 2.5 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(low); power <= high; power++) {
    for (const step of steps) {
      const tick = step * 10 ** power;
      if (tick >= least && tick <= most) ticks.push(tick);
    }
  }
  return { toPixel, ticks };
}

/** Tenths, from below the least to above the largest value. */
export function shareAxis(values: readonly number[], { from, to }: Span): Axis {
  const low = Math.max(0, Math.floor((Math.min(...values) - 0.02) * 10) / 10);
  const high = Math.min(1, Math.ceil((Math.max(...values) + 0.02) * 10) / 10);
  const count = Math.round((high - low) * 10);
  return {
    toPixel: (value) => from + ((value - low) / (high - low)) * (to - from),
    ticks: Array.from({ length: count + 1 }, (_, at) => low + at / 10),
  };
}
