import { type ChartSize, horizontal, text } from "../../../src/workbench/report/axes.js";
import { type Content, element } from "../../../src/workbench/report/element.js";
import { at } from "../../../src/workbench/report/figures.js";
import { legible, legibleName, significant } from "../legible.js";
import type { Chart } from "../result.js";
import { axisOver } from "./domain.js";
import { CONTEXT, OURS, stylesOf } from "./theme.js";

const WIDTH = 720;
/** For names of rows at the left, and for values with their series at the right. */
const SIDE = 170;
/** Heights, and distances from bar to bar and from row to row. */
const [BAR, NEXT_BAR, NEXT_ROW, AXIS] = [17, 2, 8, 46];
const LONGEST_NAME = 27;

interface Bar {
  readonly series: string;
  readonly colour: string;
  readonly value: number;
  readonly top: number;
}

/** Lying bars, one row for each label in the order of its first appearance, one bar in it for each series. */
export function barsOf(chart: Chart): ChartSize & { readonly content: Content } {
  const rows = rowsOf(chart);
  const bars = rows.flatMap(({ name, bars }) => bars.map((bar) => ({ row: name, ...bar })));
  const values = bars.map(({ value }) => value);
  const height = (bars.at(-1)?.top ?? 0) + BAR + NEXT_ROW + AXIS;
  const size = { width: WIDTH, height, margin: { left: SIDE, right: SIDE, top: 0, bottom: AXIS } };
  const across = axisOver(values, { scale: chart.y.scale, start: "zero" });
  const { x, axis } = horizontal({ ...across, label: legible(chart.y.label, 90) }, size);
  const base = x(chart.y.scale === "log" ? across.low : 0);
  const content = [
    axis,
    bars.map(({ row, series, colour, value, top }) => {
      const [end, shown] = [x(value), significant(value, 4)];
      const [left, right] = [Math.min(base, end), Math.max(base, end)];
      const of = series === "" ? "" : `, ${series}`;
      const tip = `${row}${of}: ${legible(chart.y.label, 40)} ${shown}`;
      return [
        element(
          "rect",
          { x: at(left), y: top, width: at(right - left), height: BAR, rx: 2, fill: colour },
          element("title", {}, tip),
        ),
        text(
          `${shown}  ${series}`.trim(),
          { x: right + 6, y: top + 13, anchor: "start" },
          { class: "label" },
        ),
      ];
    }),
    rows.map(({ name, middle }) =>
      text(name, { x: SIDE - 8, y: middle + 4, anchor: "end" }, { class: "label" }),
    ),
  ];
  return { ...size, content };
}

function rowsOf({ series, y }: Chart) {
  // One bar a row: the row's name says it all, and colour need only tell ours from the rest.
  const named = series.length > 1 && series.some(({ points }) => points.length > 1);
  const styles = stylesOf(series);
  const bars = series.flatMap(({ name, ours, points }, index) =>
    points
      .filter((point) => y.scale === "linear" || point.y > 0)
      .map((point) => ({
        row: legibleName(point.label ?? name, LONGEST_NAME),
        series: named ? legibleName(name, LONGEST_NAME) : "",
        colour: named ? (styles[index]?.colour ?? CONTEXT) : ours ? OURS : CONTEXT,
        value: point.y,
      })),
  );
  let top = NEXT_ROW / 2;
  return [...new Set(bars.map(({ row }) => row))].map((name) => {
    const start = top;
    const own = bars.filter(({ row }) => row === name);
    const placed: Bar[] = own.map((bar, place) => ({ ...bar, top: start + place * (BAR + NEXT_BAR) }));
    top += own.length * (BAR + NEXT_BAR) + NEXT_ROW;
    return { name, bars: placed, middle: (start + top - NEXT_ROW - NEXT_BAR) / 2 };
  });
}
