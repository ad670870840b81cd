import type { Point } from "../api/series.js";
import { duration } from "../components/format.js";
import { linesOf } from "./figures.js";
import { TimeChart } from "./time-chart.js";

interface LatencyChartsProps {
  readonly points: readonly Point[];
  /** Beginnings of the steps, in seconds. */
  readonly steps: readonly number[];
  readonly onZoom?: ((fromMs: number, toMs: number) => void) | undefined;
}

const CHARTS: readonly (readonly [title: string, of: (point: Point) => Point["latency_ms"]])[] = [
  ["Latency", (point) => point.latency_ms],
  ["Time to first token", (point) => point.ttft_ms],
];

/** Percentiles of the latency and of the time to the first token; nothing where there were no requests. */
export const LatencyCharts = ({ points, steps, onZoom }: LatencyChartsProps) => (
  <>
    {CHARTS.map(([title, of]) => (
      <TimeChart
        key={title}
        title={title}
        steps={steps}
        onZoom={onZoom}
        lines={linesOf({ points, steps, none: null }, [
          ["p50", 1, (point) => of(point)?.p50 ?? null],
          ["p95", 2, (point) => of(point)?.p95 ?? null],
        ])}
        format={duration}
        shape="levels"
      />
    ))}
  </>
);
