import { at, escaped } from "./markup.js";

/** A chart's plane: from values to positions in an SVG. */
export interface Plane {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly markup: string;
}

export interface Axis {
  readonly low: number;
  readonly high: number;
  readonly label: string;
  readonly format: (value: number) => string;
}

export const CHART = { width: 520, height: 360 };
const MARGIN = { left: 58, right: 14, top: 14, bottom: 46 };
const STEPS = 5;

/** Axes with some round marks, and grid lines. */
export function plane(across: Axis, up: Axis): Plane {
  const [xs, ys] = [marks(across), marks(up)];
  const scale = (axis: Axis, from: number, to: number) => (value: number) =>
    from + ((value - axis.low) / Math.max(axis.high - axis.low, 1e-12)) * (to - from);
  const x = scale(across, MARGIN.left, CHART.width - MARGIN.right);
  const y = scale(up, CHART.height - MARGIN.bottom, MARGIN.top);
  const bottom = CHART.height - MARGIN.bottom;
  const right = CHART.width - MARGIN.right;
  const lines = [
    ...ys.map(
      (mark) =>
        `<line class="grid" x1="${MARGIN.left}" x2="${right}" y1="${at(y(mark))}" y2="${at(y(mark))}"/>` +
        `<text x="${MARGIN.left - 8}" y="${at(y(mark) + 4)}" text-anchor="end">${escaped(up.format(mark))}</text>`,
    ),
    ...xs.map(
      (mark) =>
        `<text x="${at(x(mark))}" y="${bottom + 18}" text-anchor="middle">${escaped(across.format(mark))}</text>`,
    ),
    `<line class="axis" x1="${MARGIN.left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`,
    `<text x="${(MARGIN.left + right) / 2}" y="${CHART.height - 8}" text-anchor="middle">${escaped(across.label)}</text>`,
    `<text x="14" y="${(MARGIN.top + bottom) / 2}" text-anchor="middle" transform="rotate(-90 14 ${(MARGIN.top + bottom) / 2})">${escaped(up.label)}</text>`,
  ];
  return { x, y, markup: lines.join("") };
}

/** About five round values within an axis. */
function marks({ low, high }: Axis): number[] {
  const rough = (high - low) / STEPS;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? power;
  const found: number[] = [];
  for (let mark = Math.ceil(low / step - 1e-9) * step; mark <= high + step * 1e-6; mark += step)
    found.push(Number(mark.toPrecision(12)));
  return found;
}
