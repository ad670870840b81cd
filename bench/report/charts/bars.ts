import { legible, legibleName, significant } from "../legible.js";
import type { Chart } from "../result.js";
import { axisScale } from "./axis-scale.js";
import { textWidth } from "./place-labels.js";
import { CHART_CONFIG, type ChartSpec, CONTEXT, OURS, type SeriesStyle, stylesOf } from "./theme.js";

/** Of the whole chart, names and values included, so that all charts of a page are written in one size. */
const WHOLE = 650;
const LEAST_WIDTH = 200;
const BAR = 17;
const GAP = 10;

interface Bar {
  readonly row: string;
  readonly series: string;
  readonly strong: boolean;
  readonly style: SeriesStyle;
  readonly value: number;
  readonly top: number;
}

/** Lying bars, one row for each label in the order of its first appearance, one bar in it for each series. */
export function barsSpec(chart: Chart): ChartSpec {
  const { bars, rows, height, width } = layOut(chart);
  const axis = axisScale(
    bars.map(({ value }) => value),
    { scale: chart.y.scale, length: width, start: "zero" },
  );
  const base = axis.type === "log" ? 0 : axis.at(0);
  const values = bars.map(({ row, series, value, top, strong, style }) => {
    const end = axis.at(value);
    const shown = significant(value, 4);
    return {
      ...{
        left: Math.min(base, end),
        right: Math.max(base, end),
        top,
        bottom: top + BAR,
        middle: top + BAR / 2,
      },
      ...{ text: series === "" ? shown : `${shown}  ${series}`, colour: style.colour, strong },
      tip: `${row}${series === "" ? "" : `, ${series}`}: ${legible(chart.y.label, 40)} ${shown}`,
    };
  });
  return {
    ...{ width, height, padding: 6, config: CHART_CONFIG },
    layer: [
      axisLayer(chart, axis),
      {
        data: { values },
        mark: { type: "bar", cornerRadiusEnd: 2, opacity: 1 },
        encoding: {
          ...{ x: pixels("left"), x2: { field: "right" }, y: pixels("top"), y2: { field: "bottom" } },
          fill: { field: "colour", type: "nominal", scale: null, legend: null },
          description: { field: "tip", type: "nominal" },
        },
      },
      textLayer(
        "labels_values",
        values.map(({ right, middle, text }) => ({ text, px: right + 6, py: middle })),
        "left",
      ),
      textLayer(
        "labels_rows",
        rows.map(({ name, middle }) => ({ text: name, px: -8, py: middle })),
        "right",
      ),
    ],
  };
}

function layOut(chart: Chart) {
  // One bar a row: the row's name says it all, and colour need only tell ours from the rest.
  const named = chart.series.length > 1 && chart.series.some(({ points }) => points.length > 1);
  const styles = stylesOf(chart.series).map((style, index) =>
    named ? style : { ...style, colour: chart.series[index]?.ours ? OURS : CONTEXT },
  );
  const names = [
    ...new Set(
      chart.series.flatMap(({ points, name }) => points.map(({ label }) => legibleName(label ?? name, 36))),
    ),
  ];
  const bars: Bar[] = [];
  const rows: { readonly name: string; readonly middle: number }[] = [];
  let top = GAP / 2;
  for (const row of names) {
    const start = top;
    for (const [index, { name, ours, points }] of chart.series.entries()) {
      for (const { y, label } of points) {
        if (legibleName(label ?? name, 36) !== row || (chart.y.scale === "log" && y <= 0)) continue;
        const style = styles[index] as SeriesStyle;
        bars.push({ row, series: named ? legibleName(name, 36) : "", strong: ours, style, value: y, top });
        top += BAR + 2;
      }
    }
    rows.push({ name: row, middle: (start + top - 2) / 2 });
    top += GAP;
  }
  const beside = (texts: readonly string[]) => Math.max(0, ...texts.map(textWidth));
  const width = WHOLE - beside(names) - beside(bars.map(({ series }) => `0.0000  ${series}`));
  return { bars, rows, height: Math.max(top - GAP / 2, BAR), width: Math.max(LEAST_WIDTH, width) };
}

const pixels = (field: string) => ({ field, type: "quantitative", scale: null, axis: null });

function axisLayer(chart: Chart, { type, domain, ticks, format }: ReturnType<typeof axisScale>) {
  const axis = {
    ...{ title: legible(chart.y.label, 90), format, tickCount: 6, orient: "bottom" },
    ...(ticks ? { values: ticks } : {}),
  };
  return {
    data: { values: [{ x: domain[0] }] },
    mark: { type: "point", opacity: 0, aria: false },
    encoding: {
      x: { field: "x", type: "quantitative", scale: { type, domain, nice: false }, axis },
      y: { value: 0 },
    },
  };
}

interface Text {
  readonly text: string;
  readonly px: number;
  readonly py: number;
}

function textLayer(name: string, values: readonly Text[], align: "left" | "right") {
  return {
    ...{ name, data: { values }, mark: { type: "text", align, baseline: "middle", aria: false } },
    encoding: { x: pixels("px"), y: pixels("py"), text: { field: "text", type: "nominal" } },
  };
}
