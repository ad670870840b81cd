interface SparklineProps {
  /** From the oldest to the newest, ≥ 0. */
  readonly values: readonly number[];
}

/** Counts over time as small columns. The figures stand beside it, so that it says nothing to a screen reader. */
export function Sparkline({ values }: SparklineProps) {
  const most = Math.max(1, ...values);
  // Of one kind, one element: a page has hundreds of these.
  const columns = (areOf: (value: number) => boolean): string =>
    values
      .map((value, at) => {
        const height = value === 0 ? 1 : 2 + (value / most) * 18;
        return areOf(value) ? `M${at * 4} 20v${-height}h3v${height}z` : "";
      })
      .join("");
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${values.length * 4} 20`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={columns((value) => value > 0)} />
      <path class="quiet" d={columns((value) => value === 0)} />
    </svg>
  );
}
