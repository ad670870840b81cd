import { type Interval, rangeOf } from "../../components/format.js";
import type { Scale } from "./scale.js";

interface IntervalCellProps {
  readonly interval: Interval;
  readonly scale: Scale;
  readonly format: (value: number) => string;
}

/** A change with its 95 % interval: drawn on a scale that rows share, with a mark at no change, and in figures. */
export function IntervalCell({ interval, scale, format }: IntervalCellProps) {
  return (
    <span class="interval-cell">
      <IntervalBar interval={interval} scale={scale} />
      <span class="number">
        {format(interval.value)}
        <span class="muted small interval-figures">{rangeOf(interval, format)}</span>
      </span>
    </span>
  );
}

const WIDTH = 96;
const MARGIN = 4;

/** What is beyond the scale ends in an arrow. */
function IntervalBar({
  interval: { value, low, high },
  scale: { from, to },
}: Omit<IntervalCellProps, "format">) {
  const at = (change: number): number =>
    MARGIN + ((Math.min(to, Math.max(from, change)) - from) / (to - from)) * (WIDTH - 2 * MARGIN);
  return (
    <svg class="interval" width={WIDTH} height="14" viewBox={`0 0 ${WIDTH} 14`} aria-hidden="true">
      <line class="interval-zero" x1={at(0)} x2={at(0)} y1="0" y2="14" />
      <line class="interval-range" x1={at(low)} x2={at(high)} y1="7" y2="7" />
      {high > to && <path class="interval-beyond" d={`M${WIDTH - MARGIN - 3} 3l4 4-4 4`} />}
      {value <= to && <circle class="interval-value" cx={at(value)} cy="7" r="3" />}
    </svg>
  );
}
