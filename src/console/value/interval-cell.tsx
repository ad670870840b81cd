import { type Interval, intervalText, isUnclear } from "../components/format.js";
import type { Scale } from "./scale.js";

interface IntervalCellProps {
  readonly interval: Interval;
  readonly scale: Scale;
  readonly format: (value: number) => string;
  /** Whether it says that the interval contains zero. */
  readonly says?: "clarity" | "figures";
}

/** A figure with its 95 % interval: as a bar on a scale that rows share, with a mark at zero, and in figures. */
export const IntervalCell = ({ interval, scale, format, says = "clarity" }: IntervalCellProps) => (
  <span class="bar-cell">
    <IntervalBar interval={interval} scale={scale} />
    <span class="number">
      {format(interval.value)}{" "}
      <span class="muted small">
        {format(interval.low) !== format(interval.high) && `(${intervalText(interval, format)})`}
        {says === "clarity" && isUnclear(interval) && " unclear"}
      </span>
    </span>
  </span>
);

const WIDTH = 96;
const MARGIN = 4;

/** What is beyond the scale ends in an arrow. */
export function IntervalBar({
  interval: { value, low, high },
  scale: { from, to },
}: Pick<IntervalCellProps, "interval" | "scale">) {
  const at = (figure: number): number =>
    MARGIN + ((Math.min(to, Math.max(from, figure)) - from) / (to - from)) * (WIDTH - 2 * MARGIN);
  const [start, end] = [at(Math.min(0, value)), at(Math.max(0, value))];
  return (
    <svg class="interval" width={WIDTH} height="14" viewBox={`0 0 ${WIDTH} 14`} aria-hidden="true">
      <rect class="interval-value" x={start} y="3" width={end - start} height="8" />
      <line class="interval-zero" x1={at(0)} x2={at(0)} y1="0" y2="14" />
      <line class="interval-range" x1={at(low)} x2={at(high)} y1="7" y2="7" />
      {high > to && <path class="interval-beyond" d={`M${WIDTH - MARGIN - 3} 3l4 4-4 4`} />}
    </svg>
  );
}
