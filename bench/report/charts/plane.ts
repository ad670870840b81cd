import { legible, legibleName } from "../legible.js";
import type { Chart } from "../result.js";
import { type AxisScale, axisScale } from "./axis-scale.js";
import { type Box, type LabelPosition, type LabelRequest, placeLabels } from "./place-labels.js";
import { CHART_CONFIG, type ChartSpec, FAINT_INK, type SeriesStyle, stylesOf } from "./theme.js";

export const PLOT = { width: 530, height: 320 } as const;

/** Lines with more points are thinned out, which is invisible and limits the size of the page. */
const MOST_POINTS = 240;
/** Lines with at most this many points show them. */
const MOST_MARKS = 40;
const LONGEST_LABEL = 36;
/** Points of one series whose names are written beside them; the others have theirs as tooltips. */
const MOST_LABELS = 40;
/** Pixels between a mark and its label from which on a line joins them. */
const LEADER_FROM = 16;

interface Plane {
  readonly chart: Chart;
  readonly x: AxisScale;
  readonly y: AxisScale;
  readonly series: readonly PlacedSeries[];
}

interface PlacedSeries {
  readonly name: string;
  readonly mark: Chart["series"][number]["mark"];
  readonly style: SeriesStyle;
  readonly strong: boolean;
  readonly points: readonly PlacedPoint[];
}

interface PlacedPoint {
  readonly x: number;
  readonly y: number;
  readonly px: number;
  readonly py: number;
  readonly label: string | undefined;
}

/** Series over two axes, with their names beside them. */
export function planeSpec(chart: Chart): ChartSpec {
  const plane = layOut(chart);
  return {
    ...{ width: PLOT.width, height: PLOT.height, padding: 6, config: CHART_CONFIG },
    layer: [
      axesLayer(plane),
      ...guideLayers(plane),
      ...plane.series.flatMap((series) => seriesLayers(series, plane)),
      ...labelLayers(plane),
    ],
  };
}

function layOut(chart: Chart): Plane {
  const drawable = chart.series.map((series) => ({
    ...series,
    points: thinned(series.points.filter(({ x, y }) => fits(x, chart.x.scale) && fits(y, chart.y.scale))),
  }));
  const all = drawable.flatMap(({ points }) => points);
  const { fixedX, fixedY } = fixedDomains(chart);
  const x = axisScale(
    all.map((point) => point.x),
    {
      ...{ scale: chart.x.scale, length: PLOT.width, fixed: fixedX },
      start: chart.kind === "scaling" ? "zero when near" : "least",
    },
  );
  const y = axisScale(
    all.map((point) => point.y),
    {
      ...{ scale: chart.y.scale, length: PLOT.height, fixed: fixedY },
      start: chart.kind === "scaling" ? "zero when near" : "least",
    },
  );
  const styles = stylesOf(chart.series).map((style, index) =>
    isDiagonal(chart, chart.series[index]) ? GUIDE : style,
  );
  const series = drawable.map(({ name, mark, ours, points }, index) => ({
    ...{ name: legibleName(name, LONGEST_LABEL), mark, strong: ours, style: styles[index] as SeriesStyle },
    points: points.map((point) => ({
      ...{ x: point.x, y: point.y, px: x.at(point.x), py: PLOT.height - y.at(point.y) },
      label: point.label === undefined ? undefined : legibleName(point.label, LONGEST_LABEL),
    })),
  }));
  return { chart, x, y, series };
}

/** Reference series, drawn as guide lines. */
const GUIDE: SeriesStyle = { colour: FAINT_INK, shape: "circle", dash: [3, 3], width: 1 };

const isDiagonal = ({ kind }: Chart, series: Chart["series"][number] | undefined): boolean =>
  kind === "calibration" && series !== undefined && series.points.every(({ x, y }) => x === y);

const fits = (value: number, scale: "linear" | "log"): boolean => scale === "linear" || value > 0;

function thinned<Point>(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  return step <= 1 ? points : points.filter((_, index) => index % step === 0 || index === points.length - 1);
}

function fixedDomains({
  kind,
  x,
  y,
}: Chart): Record<"fixedX" | "fixedY", readonly [number, number] | undefined> {
  const unit = [0, 1] as const;
  return {
    fixedX: kind === "calibration" && x.scale === "linear" ? unit : undefined,
    fixedY: (kind === "calibration" || kind === "distribution") && y.scale === "linear" ? unit : undefined,
  };
}

type Layer = Readonly<Record<string, unknown>>;

const axisEncoding = (title: string, { type, domain, ticks, format }: AxisScale): Layer => ({
  type: "quantitative",
  scale: { type, domain, nice: false, ...(type === "linear" ? { zero: false } : {}) },
  axis: { title: legible(title, 90), format, tickCount: 6, ...(ticks ? { values: ticks } : {}) },
});

/** Invisible, so that the axes are there whatever the series are. */
function axesLayer({ chart, x, y }: Plane): Layer {
  return {
    data: { values: [{ x: x.domain[0], y: y.domain[0] }] },
    mark: { type: "point", opacity: 0, aria: false },
    encoding: {
      x: { field: "x", ...axisEncoding(chart.x.label, x) },
      y: { field: "y", ...axisEncoding(chart.y.label, y) },
    },
  };
}

const atPixels = {
  x: { field: "px", type: "quantitative", scale: null, axis: null },
  y: { field: "py", type: "quantitative", scale: null, axis: null },
} as const;

/** Guide lines: perfect calibration, the median of a distribution. */
function guideLayers({ chart, y }: Plane): Layer[] {
  const line = (values: readonly { px: number; py: number }[]): Layer => ({
    data: { values },
    mark: { type: "line", stroke: FAINT_INK, strokeWidth: 1, strokeDash: [3, 3], aria: false },
    encoding: atPixels,
  });
  if (chart.kind === "calibration") {
    if (chart.series.some((series) => isDiagonal(chart, series))) return [];
    return [
      line([
        { px: 0, py: PLOT.height },
        { px: PLOT.width, py: 0 },
      ]),
    ];
  }
  if (chart.kind === "distribution" && y.type === "linear") {
    const py = PLOT.height - y.at(0.5);
    return [
      line([
        { px: 0, py },
        { px: PLOT.width, py },
      ]),
    ];
  }
  return [];
}

function seriesLayers({ name, mark, style, points, strong }: PlacedSeries, { chart }: Plane): Layer[] {
  const values = points.map((point) => ({
    ...{ px: point.px, py: point.py },
    tip: `${point.label ?? name}${point.label === undefined ? "" : ` (${name})`}: ${tip(chart.x.label, point.x)}, ${tip(chart.y.label, point.y)}`,
  }));
  const line: Layer = {
    data: { values },
    mark: {
      type: "line",
      ...{ stroke: style.colour, strokeWidth: style.width, strokeDash: style.dash, strokeJoin: "round" },
      ...{ interpolate: mark === "step" ? "step-after" : "linear", aria: false },
    },
    encoding: { ...atPixels, order: { field: "order" } },
    transform: [{ window: [{ op: "row_number", as: "order" }] }],
  };
  const marks: Layer = {
    data: { values },
    mark: {
      type: "point",
      ...{ filled: true, fill: style.colour, stroke: "var(--paper)", strokeWidth: 1, opacity: 1 },
      ...{ shape: style.shape, size: mark === "point" ? (strong ? 110 : 70) : strong ? 44 : 28 },
    },
    encoding: { ...atPixels, description: { field: "tip", type: "nominal" } },
  };
  if (values.length === 0) return [];
  if (mark === "point") return [marks];
  return mark === "line" && values.length <= MOST_MARKS && style !== GUIDE ? [line, marks] : [line];
}

const tip = (label: string, value: number): string =>
  `${legible(label, 40)} ${value.toLocaleString("en-US", { maximumSignificantDigits: 4 })}`;

interface Named extends LabelRequest {
  readonly strong: boolean;
  readonly colour: string;
}

function labelLayers({ series, chart }: Plane): Layer[] {
  const requests: Named[] = [...series]
    .sort((a, b) => Number(b.strong) - Number(a.strong))
    .flatMap((line) => (line.points.length === 0 ? [] : requestsOf(line, chart.kind)));
  const positions = placeLabels(requests, {
    bounds: { left: 0, top: -6, right: PLOT.width + 180, bottom: PLOT.height },
    obstacles: series.flatMap(obstaclesOf),
  });
  const texts = requests.map(({ text, strong, colour }, index) => ({
    text,
    strong,
    colour,
    ...(positions[index] as LabelPosition),
  }));
  const leaders = texts.flatMap(({ from, x, y }, group) =>
    from === undefined || Math.hypot(from.x - x, from.y - y) < LEADER_FROM
      ? []
      : [
          { group, px: from.x, py: from.y },
          { group, px: x, py: y },
        ],
  );
  const textLayer = (align: LabelPosition["align"], strong: boolean): Layer[] => {
    const values = texts
      .filter((text) => text.align === align && text.strong === strong)
      .map(({ text, colour, x, y }) => ({ text, colour, px: x, py: y }));
    const mark = { type: "text", align, baseline: "middle", fontWeight: strong ? 600 : 400, aria: false };
    return values.length === 0
      ? []
      : [
          {
            name: `labels_${align}_${strong ? "ours" : "others"}`,
            data: { values },
            mark,
            encoding: {
              ...atPixels,
              text: { field: "text", type: "nominal" },
              fill: { field: "colour", type: "nominal", scale: null, legend: null },
            },
          },
        ];
  };
  return [
    ...(leaders.length === 0
      ? []
      : [
          {
            data: { values: leaders },
            mark: { type: "line", stroke: FAINT_INK, strokeWidth: 0.7, aria: false },
            encoding: { ...atPixels, detail: { field: "group", type: "nominal" } },
          },
        ]),
    ...(["left", "center", "right"] as const).flatMap((align) => [
      ...textLayer(align, false),
      ...textLayer(align, true),
    ]),
  ];
}

function requestsOf(series: PlacedSeries, kind: Chart["kind"]): Named[] {
  const { name, mark, points, strong } = series;
  const { colour } = series.style;
  if (mark === "point") {
    return points.slice(0, MOST_LABELS).map((point) => ({
      ...{ text: point.label ?? name, strong, colour },
      positions: positionsAround(point),
    }));
  }
  const named = points
    .slice(0, MOST_LABELS)
    .flatMap((point) =>
      point.label === undefined
        ? []
        : [{ text: point.label, strong: false, colour, positions: positionsAround(point) }],
    );
  // Cumulative curves all end in one corner.
  const along = mark === "step" || kind === "distribution";
  const positions = along ? positionsAlong(points) : positionsAtEnd(points.at(-1));
  return [{ text: name, strong, colour, positions }, ...named];
}

const DISTANCES = [9, 20, 34, 50];

/** Beside, above and below, then farther and farther away. */
function positionsAround({ px, py }: PlacedPoint): LabelPosition[] {
  const from = { x: px, y: py };
  return DISTANCES.flatMap(
    (distance) =>
      [
        { x: px + distance, y: py, align: "left", from },
        { x: px, y: py - distance - 4, align: "center", from },
        { x: px - distance, y: py, align: "right", from },
        { x: px, y: py + distance + 4, align: "center", from },
        { x: px + distance, y: py - distance, align: "left", from },
        { x: px + distance, y: py + distance, align: "left", from },
        { x: px - distance, y: py - distance, align: "right", from },
        { x: px - distance, y: py + distance, align: "right", from },
      ] satisfies LabelPosition[],
  );
}

/** To the right of where a line ends, moved up or down where others end too. */
function positionsAtEnd(end: PlacedPoint | undefined): LabelPosition[] {
  if (end === undefined) return [];
  const from = { x: end.px, y: end.py };
  return Array.from({ length: 40 }, (_, step) => (step % 2 === 0 ? 1 : -1) * Math.ceil(step / 2) * 5).map(
    (shift) => ({ x: end.px + 10, y: end.py + shift, align: "left", from }),
  );
}

/** Beside a distribution's curve, above the half or elsewhere on it. */
function positionsAlong(points: readonly PlacedPoint[]): LabelPosition[] {
  return [0.57, 0.42, 0.7, 0.3, 0.82, 0.15, 0.92].flatMap((share) => {
    const point = points[Math.floor(share * (points.length - 1))];
    if (point === undefined) return [];
    const { px: x, py: y } = point;
    return [
      { x: x + 8, y, align: "left" },
      { x: x - 8, y, align: "right" },
    ] satisfies LabelPosition[];
  });
}

const HALF_MARK = 5;

/** Points whole, lines as a row of small boxes between their points. */
function obstaclesOf({ points, mark }: PlacedSeries): Box[] {
  const box = (x: number, y: number, half: number): Box => ({
    ...{ left: x - half, right: x + half, top: y - half, bottom: y + half },
  });
  const own = points.length <= MOST_MARKS ? points.map(({ px, py }) => box(px, py, HALF_MARK)) : [];
  if (mark === "point") return own;
  const between = points.slice(1).flatMap((to, index) => {
    const from = points[index] as PlacedPoint;
    const pieces = Math.min(20, Math.ceil(Math.hypot(to.px - from.px, to.py - from.py) / 12));
    return Array.from({ length: pieces }, (_, piece) => {
      const part = (piece + 0.5) / pieces;
      return box(from.px + part * (to.px - from.px), from.py + part * (to.py - from.py), 2.5);
    });
  });
  return [...own, ...between];
}
