interface SparklineProps {
  /** From the oldest to the newest, ≥ 0. */
  readonly values: readonly number[];
}

/** Counts over time as small columns. The figures stand beside it, so that it says nothing to a screen reader. */
export function Sparkline({ values }: SparklineProps) {
  const most = Math.max(1, ...values);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${values.length * 4} 20`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {values.map((value, at) => {
        const height = value === 0 ? 1 : 2 + (value / most) * 18;
        return (
          <rect
            key={at}
            class={value === 0 ? "quiet" : ""}
            x={at * 4}
            y={20 - height}
            width="3"
            height={height}
          />
        );
      })}
    </svg>
  );
}
