import type { Point } from "../api/series.js";
import { duration } from "../components/format.js";
import type { Line } from "./chart.js";
import { valuesAt } from "./figures.js";
import { TimeChart } from "./time-chart.js";

interface LatencyChartsProps {
  readonly points: readonly Point[];
  /** Beginnings of the steps, in seconds. */
  readonly steps: readonly number[];
  readonly onZoom?: ((fromMs: number, toMs: number) => void) | undefined;
}

type Percentiles = { readonly p50: number; readonly p95: number } | null;

const CHARTS: readonly (readonly [title: string, of: (point: Point) => Percentiles])[] = [
  ["Latency", (point) => point.latency_ms],
  ["Time to first token", (point) => point.ttft_ms],
];

/** Percentiles of the latency and of the time to the first token; nothing where there were no requests. */
export function LatencyCharts({ points, steps, onZoom }: LatencyChartsProps) {
  const line = (label: string, colour: Line["colour"], figure: (point: Point) => number | null): Line => ({
    label,
    colour,
    values: valuesAt(points, steps, { figure, none: null }),
  });
  return (
    <>
      {CHARTS.map(([title, of]) => (
        <TimeChart
          key={title}
          title={title}
          steps={steps}
          onZoom={onZoom}
          lines={[
            line("p50", 1, (point) => of(point)?.p50 ?? null),
            line("p95", 2, (point) => of(point)?.p95 ?? null),
          ]}
          format={duration}
          shape="levels"
        />
      ))}
    </>
  );
}
