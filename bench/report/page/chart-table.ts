import { legible, legibleName } from "../legible.js";
import type { Chart } from "../result.js";
import { quantile } from "../statistics.js";
import { html, type Markup } from "./html.js";

/** A name of a model or a set: whatever runs from right to left in it does so within itself. */
export const nameOf = (text: string, longest?: number): Markup =>
  html`<bdi>${legibleName(text, longest)}</bdi>`;

/** Points of a line that its table shows. */
const MOST_ROWS = 11;

/** The figures of a chart, for those who read numbers: of distributions some percentiles, of the rest every point. */
export function chartTable(chart: Chart): Markup {
  if (chart.kind === "distribution") return percentileTable(chart);
  const severalSeries = chart.series.length > 1;
  const rows = chart.series.flatMap(({ name, points }) =>
    spread(points).map(({ x, y, label }) => {
      const first =
        label === undefined || label === name ? name : severalSeries ? `${label} · ${name}` : label;
      const middle = chart.kind === "bars" ? html`` : html`<td>${shown(x)}</td>`;
      return html`<tr><td>${nameOf(first, 80)}</td>${middle}<td>${shown(y)}</td></tr>`;
    }),
  );
  const middle = chart.kind === "bars" ? html`` : html`<th>${legible(chart.x.label)}</th>`;
  return html`<table><thead><tr><th></th>${middle}<th>${legible(chart.y.label)}</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** Of long lines some points, evenly spread, the first and the last among them. */
function spread<Point>(points: readonly Point[]): readonly Point[] {
  if (points.length <= MOST_ROWS) return points;
  const indexes = Array.from({ length: MOST_ROWS }, (_, row) =>
    Math.round((row * (points.length - 1)) / (MOST_ROWS - 1)),
  );
  return indexes.map((index) => points[index] as Point);
}

const SHARES = [0.1, 0.5, 0.9, 0.99];

function percentileTable({ series, x }: Chart): Markup {
  const head = SHARES.map((share) => html`<th>${100 * share} %</th>`);
  const rows = series.map(({ name, points }) => {
    const cells = SHARES.map((share) => html`<td>${shown(valueAt(points, share))}</td>`);
    return html`<tr><td>${nameOf(name, 80)}</td>${cells}</tr>`;
  });
  return html`<table><thead><tr><th>${legible(x.label)}, not exceeded by</th>${head}</tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** Where a cumulative curve reaches the share; of other curves the quantile of their values. */
function valueAt(points: Chart["series"][number]["points"], share: number): number {
  const reached = points.find(({ y }) => y >= share);
  return (
    reached?.x ??
    quantile(
      points.map((point) => point.x),
      share,
    )
  );
}

const shown = (value: number): string => value.toLocaleString("en-US", { maximumSignificantDigits: 4 });
