import uPlot from "uplot";
import { isolatedIn } from "./values.js";

/** What a chart shows. */

export interface Line {
  readonly label: string;
  /** Of the tokens `--series-…`. */
  readonly colour: 1 | 2 | 3 | 4 | 5 | 6;
  /** At each step; null: nothing is known. */
  readonly values: readonly (number | null)[];
}

export interface Chart {
  readonly title: string;
  /** Seconds since the epoch. */
  readonly steps: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  /** `stacked`: bars that add up to a whole. `levels`: independent lines, with gaps where nothing is known. */
  readonly shape: "stacked" | "levels";
}

interface Look extends Pick<Chart, "shape" | "format"> {
  /** As they are when asked. */
  readonly lines: () => readonly Line[];
  readonly colours: ChartColours;
  /** A part of the time was chosen by dragging, in seconds since the epoch. */
  readonly onSelect?: ((from: number, to: number) => void) | undefined;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** For ticks of at least so many seconds: how they are written, and what is added where a new day begins. */
const TIMES: uPlot.Axis.Values = [
  [DAY, "{D} {MMM}", null, null, null, null, null, null, 1],
  [HOUR, "{HH}:00", "\n{D} {MMM}", null, "\n{D} {MMM}", null, null, null, 1],
  [MINUTE, "{HH}:{mm}", "\n{D} {MMM}", null, "\n{D} {MMM}", null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", "\n{D} {MMM}", null, "\n{D} {MMM}", null, null, null, 1],
];

export function chartOptions(look: Look): Omit<uPlot.Options, "width" | "height"> {
  const { text, grid, font } = look.colours;
  const axis = { stroke: text, font, ticks: { show: false } };
  return {
    padding: [10, 18, 0, 4],
    cursor: {
      y: false,
      points: { size: 6 },
      drag: { x: look.onSelect !== undefined, y: false, setScale: false },
      // Not the drag: each chart would zoom by itself.
      sync: { key: "overview", filters: { pub: (type) => type !== "mousedown" && type !== "mouseup" } },
    },
    hooks: {
      setSelect: [(plot) => selected(plot, look.onSelect)],
      draw: [(plot) => hatchFilling(plot, text)],
    },
    scales: {
      x: { range: withLastStep },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 64, values: TIMES },
      {
        ...axis,
        grid: { stroke: grid, width: 1 },
        size: 62,
        space: 30,
        // Heights mean nothing where nothing is known.
        values: (_plot, ticks) =>
          ticks.map((tick) => (tick === 0 ? "0" : hasValues(look.lines()) ? look.format(tick) : "")),
      },
    ],
    series: [
      {
        label: "",
        value: (_plot, seconds) => (seconds == null ? "" : MOMENT(new Date(seconds * 1000))),
      },
      ...look.lines().map((line) => seriesOf(line, look)),
    ],
  };
}

const MOMENT = uPlot.fmtDate("{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}");

const hasValues = (lines: readonly Line[]): boolean =>
  lines.some(({ values }) => values.some((value) => (value ?? 0) > 0));

const sumOf = (values: Line["values"]): number =>
  values.reduce((sum: number, value) => sum + (value ?? 0), 0);

const shownIn = (value: number | null | undefined, format: Look["format"]): string =>
  value === undefined || value === null ? "–" : format(value);

/** From the beginning of a step on, with a little space between two. */
const BARS = uPlot.paths.bars?.({ size: [0.86, 64], align: 1, gap: 0 });

/** Steps are at their beginnings: the last one ends a step later. */
function withLastStep({ data: [steps] }: uPlot, least: number, most: number): [number, number] {
  const [first, second] = steps;
  return [least, first === undefined || second === undefined ? most : most + (second - first)];
}

/** Lines across a step that is not over: its values will still rise. */
function hatchFilling(plot: uPlot, colour: string): void {
  const { bbox, ctx } = plot;
  const [steps] = plot.data;
  const [last, before] = [steps[steps.length - 1], steps[steps.length - 2]];
  if (last === undefined || before === undefined || (2 * last - before) * 1000 <= Date.now()) return;
  const [from, to] = [plot.valToPos(last, "x", true), bbox.left + bbox.width];
  ctx.save();
  ctx.beginPath();
  ctx.rect(from, bbox.top, to - from, bbox.height);
  ctx.clip();
  ctx.beginPath();
  for (let at = from - bbox.height; at < to; at += HATCH_PIXELS) {
    ctx.moveTo(at, bbox.top + bbox.height);
    ctx.lineTo(at + bbox.height, bbox.top);
  }
  ctx.globalAlpha = 0.35;
  ctx.lineWidth = 1;
  ctx.strokeStyle = colour;
  ctx.stroke();
  ctx.restore();
}

const HATCH_PIXELS = 6;

/** Shorter movements are clicks. */
const LEAST_PIXELS = 8;

function selected(plot: uPlot, onSelect: Look["onSelect"]): void {
  const { left, width } = plot.select;
  if (onSelect === undefined || width < LEAST_PIXELS) return;
  const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onSelect(from, to);
}

function seriesOf({ label, colour }: Line, { shape, format, lines, colours }: Look): uPlot.Series {
  return {
    label,
    stroke: colours.line(colour),
    width: shape === "stacked" ? 1 : 1.75,
    spanGaps: false,
    ...(shape === "stacked"
      ? {
          points: { show: false },
          fill: colours.area(colour),
          ...(BARS === undefined ? {} : { paths: BARS }),
        }
      : {
          // What stands alone between gaps would not be seen as a line.
          points: { size: 5, filter: (plot, at) => isolatedIn(plot.data[at] ?? []) },
        }),
    // The plot of stacked values has only their sums. Without a pointer the legend has the whole time, or what is known last.
    value: (_plot, _sum, series, step) => {
      const values = lines()[series - 1]?.values ?? [];
      if (step !== null) return shownIn(values[step], format);
      return shape === "stacked"
        ? format(sumOf(values))
        : shownIn(
            values.findLast((value) => value !== null),
            format,
          );
    },
  };
}

export interface ChartColours {
  readonly text: string;
  readonly grid: string;
  readonly line: (at: number) => string;
  /** Paler but opaque, because stacked areas overlap. */
  readonly area: (at: number) => string;
  readonly font: string;
}

/** The colours of the page as they are now: a canvas knows nothing of custom properties. */
export function chartColours(element: HTMLElement): ChartColours {
  const probe = document.createElement("span");
  element.append(probe);
  const resolved = (colour: string): string => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
  const tokens = [1, 2, 3, 4, 5, 6].map((at) => `var(--series-${at})`);
  const lines = tokens.map(resolved);
  const areas = tokens.map((token) => resolved(`color-mix(in srgb, ${token} 38%, var(--surface))`));
  const colours: ChartColours = {
    text: resolved("var(--muted)"),
    grid: resolved("var(--grid)"),
    line: (at) => lines[at - 1] ?? "gray",
    area: (at) => areas[at - 1] ?? "silver",
    font: `12px ${getComputedStyle(element).fontFamily}`,
  };
  probe.remove();
  return colours;
}
