import { type Content, type Element, element } from "./element.js";
import { at } from "./figures.js";

/** Extent of a chart in its own units, which are pixels where it has its natural size. */
export interface ChartSize {
  readonly width: number;
  readonly height: number;
  /** Room around the plot, where it is not the usual one. */
  readonly margin?: Partial<Record<keyof typeof MARGIN, number>>;
}

/** The plot of a chart: where values are drawn, in an SVG. */
export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A chart's plane: from values to positions in an SVG. */
export interface Plane extends Frame {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly axes: readonly Element[];
}

export interface Axis {
  readonly low: number;
  readonly high: number;
  readonly label: string;
  readonly format: (value: number) => string;
  /** Steps of equal factors; then `low` > 0. Default: linear. */
  readonly scale?: "linear" | "logarithmic";
  /** Whether lines cross the plot at the marks of a horizontal axis, as they always do at those of a vertical one. */
  readonly hasGrid?: boolean;
}

const MARGIN = { left: 58, right: 14, top: 14, bottom: 46 };
/** Width of a character of an axis, in the chart's units. */
const CHARACTER = 6.6;
/** Least room between two labels of an axis. */
const LABEL_GAP = 10;

function frameOf({ width, height, margin }: ChartSize): Frame {
  const { left, right, top, bottom } = { ...MARGIN, ...margin };
  return { left, right: width - right, top, bottom: height - bottom };
}

/** Axes with some round marks, whose labels do not overlap, and grid lines. */
export function plane(across: Axis, up: Axis, size: ChartSize): Plane {
  const frame = frameOf(size);
  const { left, right, top, bottom } = frame;
  const { x, axis } = horizontal(across, size);
  const y = positions(up, { from: bottom, to: top });
  const middle = (top + bottom) / 2;
  const axes = [
    ...(marksOf(up)[0] ?? []).flatMap((mark) => [
      line("grid", { x1: left, x2: right, y1: y(mark), y2: y(mark) }),
      text(up.format(mark), { x: left - 8, y: y(mark) + 4, anchor: "end" }),
    ]),
    ...axis,
    element(
      "text",
      { x: 14, y: at(middle), "text-anchor": "middle", transform: `rotate(-90 14 ${at(middle)})` },
      up.label,
    ),
  ];
  return { ...frame, x, y, axes };
}

/** An axis at the bottom alone. */
function horizontal(across: Axis, size: ChartSize): Pick<Plane, "x"> & { readonly axis: Element[] } {
  const { left, right, top, bottom } = frameOf(size);
  const x = positions(across, { from: left, to: right });
  const axis = [
    ...widestFit(across, { x, most: size.width }).flatMap((mark) => [
      ...(across.hasGrid === true ? [line("grid", { x1: x(mark), x2: x(mark), y1: top, y2: bottom })] : []),
      text(across.format(mark), { x: x(mark), y: bottom + 18, anchor: "middle" }),
    ]),
    line("axis", { x1: left, x2: right, y1: bottom, y2: bottom }),
    text(across.label, { x: (left + right) / 2, y: size.height - 8, anchor: "middle" }),
  ];
  return { x, axis };
}

function positions(
  { low, high, scale }: Axis,
  { from, to }: { readonly from: number; readonly to: number },
): (value: number) => number {
  const of = scale === "logarithmic" ? Math.log : (value: number) => value;
  const span = Math.max(of(high) - of(low), 1e-12);
  return (value) => from + ((of(Math.max(value, low)) - of(low)) / span) * (to - from);
}

export function line(
  kind: string,
  ends: { readonly x1: number; readonly x2: number; readonly y1: number; readonly y2: number },
): Element {
  const { x1, x2, y1, y2 } = ends;
  return element("line", { class: kind, x1: at(x1), x2: at(x2), y1: at(y1), y2: at(y2) });
}

export const text = (
  content: string,
  { x, y, anchor }: { readonly x: number; readonly y: number; readonly anchor: "start" | "middle" | "end" },
  attributes: Element["attributes"] = {},
): Element => element("text", { ...attributes, x: at(x), y: at(y), "text-anchor": anchor }, content);

/** Where something is drawn. */
export interface Position {
  readonly left: number;
  readonly top: number;
}

/** A point with a tooltip. */
export const circle = (
  { left, top }: Position,
  { kind, radius, title }: { readonly kind: string; readonly radius: number; readonly title: string },
): Element =>
  element("circle", { class: kind, cx: at(left), cy: at(top), r: radius }, element("title", {}, title));

/** A line through points, in their order. */
export const trail = (points: readonly Position[], attributes: Element["attributes"]): Element =>
  element("path", {
    ...attributes,
    d: points.map(({ left, top }, step) => `${step === 0 ? "M" : "L"}${at(left)} ${at(top)}`).join(""),
  });

interface Room {
  readonly x: (value: number) => number;
  /** Right end of the chart. */
  readonly most: number;
}

/** As many marks as have room for their labels side by side. */
function widestFit(axis: Axis, room: Room): readonly number[] {
  const choices = marksOf(axis);
  return choices.find((marks) => haveRoom(marks, axis, room)) ?? choices.at(-1)?.slice(0, 1) ?? [];
}

function haveRoom(marks: readonly number[], { format }: Axis, { x, most }: Room): boolean {
  let free = 0;
  return marks.every((mark) => {
    const half = (format(mark).length * CHARACTER) / 2;
    const fits = x(mark) - half >= free && x(mark) + half <= most;
    free = x(mark) + half + LABEL_GAP;
    return fits;
  });
}

/** Round values within an axis: the most of them first, then fewer and fewer. */
const marksOf = (axis: Axis): readonly (readonly number[])[] =>
  axis.scale === "logarithmic" ? powers(axis) : [5, 4, 3, 2, 1].map((steps) => roundSteps(axis, steps));

/** About so many round values. */
function roundSteps({ low, high }: Axis, steps: number): number[] {
  const rough = (high - low) / steps;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? power;
  const found: number[] = [];
  for (let mark = Math.ceil(low / step - 1e-9) * step; mark <= high + step * 1e-6; mark += step)
    found.push(Number(mark.toPrecision(12)));
  return found;
}

/** Powers of ten, at first with their doubles and halves, then alone, then every second one, and so on. */
function powers({ low, high }: Axis): number[][] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const within = (factors: readonly number[], every: number): number[] => {
    const found: number[] = [];
    for (let power = first; power <= last; power += every)
      for (const factor of factors) found.push(Number(`${factor}e${power}`));
    return found.filter((mark) => mark >= low && mark <= high);
  };
  const sparser = Array.from({ length: last - first }, (_, step) => within([1], step + 1));
  return [within([1, 2, 5], 1), within([1, 3], 1), ...sparser].filter((marks) => marks.length > 0);
}

/** Charts are drawn for wide and for narrow columns, so that their texts keep their size; the style shows the one that fits. */
const SIZES: readonly (ChartSize & { readonly kind: string })[] = [
  { kind: "wide", width: 520, height: 360 },
  { kind: "narrow", width: 330, height: 300 },
];

interface ChartFigure {
  readonly title: string;
  /** What the chart shows, for screen readers. */
  readonly label: string;
  readonly draw: (size: ChartSize) => Content;
  readonly caption: Content;
}

/** A chart with its title and caption. */
export const chartFigure = ({ title, label, draw, caption }: ChartFigure): Element =>
  element(
    "figure",
    {},
    element("h3", {}, title),
    SIZES.map(({ kind, ...size }) =>
      element(
        "svg",
        { class: kind, viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": label },
        draw(size),
      ),
    ),
    element("figcaption", {}, caption),
  );
