import { element, htmlOf } from "../../../src/workbench/report/element.js";
import { legible } from "../legible.js";
import type { Chart } from "../result.js";
import { barsOf } from "./bars.js";
import { planeOf } from "./plane.js";

/**
 * A chart as SVG. Its colours are CSS custom properties (theme.ts), which the page around it must define, and its style is that of
 * the page. Marks carry their values as tooltips.
 */
export function renderChart(chart: Chart): string {
  const { width, height, content } = chart.kind === "bars" ? barsOf(chart) : planeOf(chart);
  const label = legible(chart.title, 120);
  const box = { width, height, viewBox: `0 0 ${width} ${height}` };
  return htmlOf(element("svg", { ...box, class: "chart", role: "img", "aria-label": label }, content));
}
