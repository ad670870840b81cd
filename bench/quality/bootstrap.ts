/** Resamples of the test prompts, drawn once per set, so that all methods are compared on the same ones. */
export interface Resamples {
  /** How often each prompt counts, one `[test]` per resample. */
  readonly weights: readonly Float64Array[];
}

export interface Interval {
  readonly difference: number;
  /** 95 % percentile interval over resamples. */
  readonly low: number;
  readonly high: number;
}

export function drawResamples(
  count: number,
  { resamples, random }: { readonly resamples: number; readonly random: () => number },
): Resamples {
  const weights = Array.from({ length: resamples }, () => {
    const times = new Float64Array(count);
    for (let draw = 0; draw < count; draw++) {
      const place = Math.floor(random() * count);
      times[place] = (times[place] ?? 0) + 1;
    }
    return times;
  });
  return { weights };
}

/** A statistic of ours minus the same of theirs, resample by resample. */
export function pairedInterval(
  { weights }: Resamples,
  difference: (weights: Float64Array) => number,
): Interval {
  const all = new Float64Array(weights[0]?.length ?? 0).fill(1);
  const drawn = weights.map(difference).sort((a, b) => a - b);
  const at = (share: number) =>
    drawn[Math.min(drawn.length - 1, Math.floor(share * drawn.length))] ?? Number.NaN;
  return { difference: difference(all), low: at(0.025), high: at(0.975) };
}

export function weightedMean(values: Float64Array, weights: Float64Array): number {
  let sum = 0;
  let total = 0;
  for (let place = 0; place < values.length; place++) {
    sum += (values[place] ?? 0) * (weights[place] ?? 0);
    total += weights[place] ?? 0;
  }
  return sum / total;
}
