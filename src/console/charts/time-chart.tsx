import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Point } from "../api/statistics.js";
import { duration } from "../components/format.js";
import { isDark } from "../components/theme.js";
import { chartLines } from "./figures.js";
import { type Chart, chartColours, chartOptions, type Line } from "./plot-options.js";

const HEIGHT = 190;
const LEAST_WIDTH = 200;

interface TimeChartProps extends Chart {
  /** A part of the time was chosen by dragging, in milliseconds since the epoch. */
  readonly onZoom?: ((fromMs: number, toMs: number) => void) | undefined;
  /** Of the plot, in pixels. */
  readonly height?: number;
  /** Of the caption: `unseen` where something else says it. */
  readonly look?: "unseen";
}

/** Figures over time. The table below the charts has them, too, which is the way for screen readers. */
export function TimeChart({
  title,
  steps,
  lines,
  format,
  shape,
  onZoom,
  height = HEIGHT,
  look,
}: TimeChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>();
  const shown = useRef(lines);
  shown.current = lines;
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const canZoom = onZoom !== undefined;
  const labels = lines.map(({ label }) => label).join("\n");
  const dark = isDark.value;
  const isEmpty = lines.every(({ values }) => values.every((value) => value === null));
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const widthNow = (): number => Math.max(LEAST_WIDTH, element.clientWidth);
    const options = chartOptions({
      shape,
      format,
      lines: () => shown.current,
      onSelect: canZoom ? (from, to) => zoom.current?.(from * 1000, to * 1000) : undefined,
      colours: chartColours(element),
    });
    const plot = new uPlot({ ...options, width: widthNow(), height }, dataOf(steps, lines, shape), element);
    chart.current = plot;
    const observer = new ResizeObserver(() => plot.setSize({ width: widthNow(), height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
      chart.current = undefined;
    };
  }, [labels, dark, shape, canZoom]);
  useEffect(() => chart.current?.setData(dataOf(steps, lines, shape)), [steps, lines, shape]);
  return (
    <figure class="chart">
      <figcaption class={look}>
        {title}
        {isEmpty && <span class="muted small"> – none in this period</span>}
      </figcaption>
      <div
        ref={frame}
        class="chart-frame"
        role="img"
        aria-label={`${title} over time: ${spoken(lines, format)}`}
      />
    </figure>
  );
}

/** Stacked values are summed from the last line to the first, so that each bar is drawn over those that it is on; none is of no height. */
function dataOf(steps: readonly number[], lines: readonly Line[], shape: Chart["shape"]): uPlot.AlignedData {
  const values = lines.map((line) => [...line.values]);
  if (shape === "stacked") {
    for (let at = values.length - 2; at >= 0; at--) {
      values[at] = (values[at] ?? []).map((value, step) => (value ?? 0) + (values[at + 1]?.[step] ?? 0));
    }
  }
  const heights = shape === "stacked" ? values.map((sums) => sums.map((sum) => sum || null)) : values;
  return [[...steps], ...heights];
}

function spoken(lines: readonly Line[], format: (value: number) => string): string {
  const texts = lines.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? `${label}: nothing` : `${label}: at most ${format(Math.max(...known))}`;
  });
  return texts.join("; ");
}

interface LatencyChartsProps {
  readonly points: readonly Point[];
  /** Beginnings of the steps, in seconds. */
  readonly steps: readonly number[];
}

type Times = (point: Point) => Point["latency_ms"];

/** Each with what it is compared with, of the same requests. */
const CHARTS: readonly (readonly [name: string, title: string, of: Times, whole?: Times])[] = [
  ["Latency", "Latency of answers", (point) => point.latency_ms],
  [
    "First token",
    "Time to first token, streamed",
    (point) => point.ttft_ms,
    (point) => point.streamed_latency_ms,
  ],
];

/** Percentiles of the latency and of the time to the first token; nothing where there were no answers. */
export const latencyCharts = ({ points, steps }: LatencyChartsProps) =>
  CHARTS.map(([name, title, of, whole]) => ({
    name,
    title,
    lines: chartLines({ points, steps, none: null }, [
      ["p50", 1, (point) => of(point)?.p50 ?? null],
      ["p95", 2, (point) => of(point)?.p95 ?? null],
      ...(whole === undefined
        ? []
        : [["whole answer, p50", 3, (point: Point) => whole(point)?.p50 ?? null] as const]),
    ]),
    format: duration,
    shape: "levels" as const,
  }));
