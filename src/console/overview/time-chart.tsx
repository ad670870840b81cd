import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { isDark } from "../layout/theme.js";
import type { Chart, Line } from "./chart.js";
import { chartColours } from "./chart-colours.js";
import { chartOptions } from "./chart-options.js";

const HEIGHT = 190;
const LEAST_WIDTH = 200;

/** Figures over time. The table below the charts has them, too, which is the way for screen readers. */
export function TimeChart({ title, steps, lines, format, shape }: Chart) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>();
  const shown = useRef(lines);
  shown.current = lines;
  const labels = lines.map(({ label }) => label).join("\n");
  const dark = isDark.value;
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const widthNow = (): number => Math.max(LEAST_WIDTH, element.clientWidth);
    const options = chartOptions({
      shape,
      format,
      lines: () => shown.current,
      colours: chartColours(element),
    });
    const plot = new uPlot(
      { ...options, width: widthNow(), height: HEIGHT },
      dataOf(steps, lines, shape),
      element,
    );
    chart.current = plot;
    const observer = new ResizeObserver(() => plot.setSize({ width: widthNow(), height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
      chart.current = undefined;
    };
  }, [labels, dark, shape]);
  useEffect(() => chart.current?.setData(dataOf(steps, lines, shape)), [steps, lines, shape]);
  return (
    <figure class="card chart">
      <figcaption>{title}</figcaption>
      <div
        ref={frame}
        class="chart-frame"
        role="img"
        aria-label={`${title} over time: ${spoken(lines, format)}`}
      />
    </figure>
  );
}

/** Stacked values are summed from the last line to the first, so that each area is drawn over those below it. */
function dataOf(steps: readonly number[], lines: readonly Line[], shape: Chart["shape"]): uPlot.AlignedData {
  const values = lines.map((line) => [...line.values]);
  if (shape === "stacked") {
    for (let at = values.length - 2; at >= 0; at--) {
      values[at] = (values[at] ?? []).map((value, step) => (value ?? 0) + (values[at + 1]?.[step] ?? 0));
    }
  }
  return [[...steps], ...values];
}

function spoken(lines: readonly Line[], format: (value: number) => string): string {
  const texts = lines.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? `${label}: nothing` : `${label}: at most ${format(Math.max(...known))}`;
  });
  return texts.join("; ");
}
