import { type Element, element } from "./element.js";
import { at } from "./figures.js";

/** A chart's plane: from values to positions in an SVG. */
export interface Plane {
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
}

export const CHART = { width: 520, height: 360 };
const MARGIN = { left: 58, right: 14, top: 14, bottom: 46 };
/** Where values are drawn. */
export const PLOT = { left: MARGIN.left, right: CHART.width - MARGIN.right };
const STEPS = 5;

/** Axes with some round marks, and grid lines. */
export function plane(across: Axis, up: Axis): Plane {
  const x = positions(across, { from: MARGIN.left, to: CHART.width - MARGIN.right });
  const y = positions(up, { from: CHART.height - MARGIN.bottom, to: MARGIN.top });
  const bottom = CHART.height - MARGIN.bottom;
  const right = CHART.width - MARGIN.right;
  const middle = (MARGIN.top + bottom) / 2;
  const axes = [
    ...marks(up).flatMap((mark) => [
      line("grid", { x1: MARGIN.left, x2: right, y1: y(mark), y2: y(mark) }),
      text(up.format(mark), { x: MARGIN.left - 8, y: y(mark) + 4, anchor: "end" }),
    ]),
    ...marks(across).map((mark) =>
      text(across.format(mark), { x: x(mark), y: bottom + 18, anchor: "middle" }),
    ),
    line("axis", { x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }),
    text(across.label, { x: (MARGIN.left + right) / 2, y: CHART.height - 8, anchor: "middle" }),
    element(
      "text",
      { x: 14, y: at(middle), "text-anchor": "middle", transform: `rotate(-90 14 ${at(middle)})` },
      up.label,
    ),
  ];
  return { x, y, axes };
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
): Element => element("text", { x: at(x), y: at(y), "text-anchor": anchor }, content);

function marks(axis: Axis): number[] {
  return axis.scale === "logarithmic" ? powers(axis) : roundSteps(axis);
}

/** About five round values within an axis. */
function roundSteps({ low, high }: Axis): number[] {
  const rough = (high - low) / STEPS;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? power;
  const found: number[] = [];
  for (let mark = Math.ceil(low / step - 1e-9) * step; mark <= high + step * 1e-6; mark += step)
    found.push(Number(mark.toPrecision(12)));
  return found;
}

/** Powers of ten within an axis, some six at most; on a short one also their doubles and halves. */
function powers({ low, high }: Axis): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const factors = last - first <= 3 ? [1, 2, 5] : [1];
  const step = Math.max(1, Math.ceil((last - first) / (STEPS + 1)));
  const found: number[] = [];
  for (let power = first; power <= last; power += step)
    for (const factor of factors) found.push(Number(`${factor}e${power}`));
  return found.filter((mark) => mark >= low && mark <= high);
}
