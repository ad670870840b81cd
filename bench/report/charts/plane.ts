import {
  type ChartSize,
  line,
  type Plane,
  type Position,
  plane,
  text,
  trail,
} from "../../../src/workbench/report/axes.js";
import { type Content, type Element, element } from "../../../src/workbench/report/element.js";
import { at } from "../../../src/workbench/report/figures.js";
import { type Label, placeLabels } from "../../../src/workbench/report/place-labels.js";
import { legible, legibleName } from "../legible.js";
import type { Chart } from "../result.js";
import { axisOver } from "./domain.js";
import { FAINT_INK, type SeriesStyle, stylesOf } from "./theme.js";

/** The room at the right is for the names of lines, which end there. */
const SIZE: ChartSize = { width: 780, height: 380, margin: { left: 66, right: 180 } };

/** Lines with more points are thinned out, which is invisible and limits the size of the page. */
const MOST_POINTS = 240;
/** Lines with at most this many points show them. */
const MOST_MARKS = 40;
const LONGEST_LABEL = 30;
/** Points of one series whose names are written beside them; the others have theirs as tooltips. */
const MOST_LABELS = 40;

interface PlacedSeries extends Pick<Chart["series"][number], "mark" | "ours"> {
  readonly name: string;
  readonly style: SeriesStyle;
  readonly points: readonly PlacedPoint[];
}

interface PlacedPoint extends Position {
  readonly x: number;
  readonly y: number;
  readonly label: string | undefined;
}

/** Series over two axes, with their names beside them. */
export function planeOf(chart: Chart): ChartSize & { readonly content: Content } {
  const drawable = chart.series.map(({ points, ...series }) => ({
    ...series,
    points: thinned(points.filter(({ x, y }) => fits(x, chart.x.scale) && fits(y, chart.y.scale))),
  }));
  const all = drawable.flatMap(({ points }) => points);
  const axis = (name: "x" | "y", isShare: boolean) => {
    const { scale, label } = chart[name];
    const start = chart.kind === "scaling" ? "zero when near" : "least";
    const fixed = isShare && scale === "linear" ? ([0, 1] as const) : undefined;
    const over = axisOver(
      all.map((point) => point[name]),
      { scale, fixed, start },
    );
    return { ...over, label: legible(label, 90) };
  };
  const isCalibration = chart.kind === "calibration";
  const on = plane(axis("x", isCalibration), axis("y", isCalibration || chart.kind === "distribution"), SIZE);
  const styles = stylesOf(chart.series);
  const series = drawable.map(({ name, mark, ours, points }, index) => ({
    ...{ name: legibleName(name, LONGEST_LABEL), mark, ours },
    style: isDiagonal(chart, chart.series[index]) ? GUIDE : (styles[index] as SeriesStyle),
    points: points.map(({ x, y, label }) => ({
      ...{ x, y, left: on.x(x), top: on.y(y) },
      label: label === undefined ? undefined : legibleName(label, LONGEST_LABEL),
    })),
  }));
  const content = [
    on.axes,
    guide(chart, on),
    series.map((one) => drawn(one, chart)),
    labels(series, chart, on),
  ];
  return { ...SIZE, content };
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

/** Perfect calibration, or the median of a distribution. */
function guide(chart: Chart, { x, y, left, right }: Plane): Content {
  if (chart.kind === "calibration" && !chart.series.some((series) => isDiagonal(chart, series)))
    return line("guide", { x1: x(0), y1: y(0), x2: x(1), y2: y(1) });
  if (chart.kind === "distribution" && chart.y.scale === "linear")
    return line("guide", { x1: left, x2: right, y1: y(0.5), y2: y(0.5) });
  return null;
}

/** Forms of marks whose radius is 1. */
const SHAPES: Readonly<Record<SeriesStyle["shape"], string>> = {
  circle: "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
  square: "M-.9-.9h1.8v1.8h-1.8z",
  up: "M0-1.1L1.1.9H-1.1z",
  diamond: "M0-1.3L1.3 0 0 1.3-1.3 0z",
  cross: "M-.4-1h.8v.6H1v.8H.4V1h-.8V.4H-1v-.8h.6z",
  down: "M0 1.1L1.1-.9H-1.1z",
  right: "M1.1 0L-.9 1.1V-1.1z",
};

function drawn({ name, mark, style, points, ours }: PlacedSeries, { x, y }: Chart): Content {
  const { colour, shape, dash, width } = style;
  const radius = mark === "point" ? (ours ? 6 : 4.7) : ours ? 3.7 : 3;
  const marks = points.map((point) => {
    const of = point.label === undefined ? name : `${point.label} (${name})`;
    const tip = `${of}: ${figure(x.label, point.x)}, ${figure(y.label, point.y)}`;
    return element(
      "path",
      {
        ...{ class: "mark", d: SHAPES[shape], fill: colour },
        transform: `translate(${at(point.left)} ${at(point.top)}) scale(${radius})`,
      },
      element("title", {}, tip),
    );
  });
  if (mark === "point") return marks;
  const curve = trail(mark === "step" ? stepped(points) : points, {
    ...{ fill: "none", stroke: colour, "stroke-width": width, "stroke-linejoin": "round" },
    "stroke-dasharray": dash.join(" "),
  });
  return mark === "line" && points.length <= MOST_MARKS && style !== GUIDE ? [curve, marks] : curve;
}

/** The same with the corners of steps, which rise where the next one begins. */
const stepped = (points: readonly Position[]): readonly Position[] =>
  points.flatMap((point, index) => {
    const before = points[index - 1];
    return before === undefined ? [point] : [{ left: point.left, top: before.top }, point];
  });

const figure = (label: string, value: number): string =>
  `${legible(label, 40)} ${value.toLocaleString("en-US", { maximumSignificantDigits: 4 })}`;

interface Named extends Label {
  readonly colour: string;
  readonly ours: boolean;
}

function labels(series: readonly PlacedSeries[], { kind }: Chart, { top, bottom, left }: Plane): Element[] {
  const named = series
    .toSorted((one, other) => Number(other.ours) - Number(one.ours))
    .flatMap((one): Named[] => namesOf(one, kind));
  const placed = placeLabels(
    named.toSorted((one, other) => Number(other.isNeeded) - Number(one.isNeeded)),
    {
      plot: { left, right: SIZE.width, top: top - 6, bottom },
      marks: series
        .filter(({ points }) => points.length <= MOST_MARKS)
        .flatMap(({ points }) => points.map((point) => ({ ...point, radius: 4 }))),
      curves: series.flatMap(({ mark, points }) =>
        mark === "point" ? [] : [mark === "step" ? stepped(points) : points],
      ),
    },
  );
  return placed.map(({ label, ...place }) =>
    text(label.text, place, {
      ...{ class: label.ours ? "label strong" : "label", fill: label.colour },
    }),
  );
}

/** The names of a series and of its points: a line must have its own. */
function namesOf({ name, mark, points, ours, style }: PlacedSeries, kind: Chart["kind"]): Named[] {
  const of = ({ left, top }: Position, text: string, isNeeded: boolean): Named => ({
    ...{ left, top, text, isNeeded, ours, colour: style.colour, radius: 4 },
  });
  const first = points.slice(0, MOST_LABELS);
  if (mark === "point")
    return first.map((point) => of(point, point.label ?? name, point.label === undefined));
  // Cumulative curves all end in one corner.
  const end =
    mark === "step" || kind === "distribution" ? points[Math.floor(0.57 * points.length)] : points.at(-1);
  return [
    ...(end === undefined ? [] : [of(end, name, true)]),
    ...first.flatMap((point) => (point.label === undefined ? [] : of(point, point.label, false))),
  ];
}
