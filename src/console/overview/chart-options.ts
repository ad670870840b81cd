import type uPlot from "uplot";
import type { Chart, Line } from "./chart.js";
import type { ChartColours } from "./chart-colours.js";

interface Look extends Pick<Chart, "shape" | "format"> {
  /** As they are when asked. */
  readonly lines: () => readonly Line[];
  readonly colours: ChartColours;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** For ticks of at least so many seconds: how they are written, and what is added where a new day begins. */
const TIMES: uPlot.Axis.Values = [
  [DAY, "{MMM} {D}", null, null, null, null, null, null, 1],
  [HOUR, "{HH}:00", "\n{MMM} {D}", null, "\n{MMM} {D}", null, null, null, 1],
  [MINUTE, "{HH}:{mm}", "\n{MMM} {D}", null, "\n{MMM} {D}", null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", "\n{MMM} {D}", null, "\n{MMM} {D}", null, null, null, 1],
];

export function chartOptions(look: Look): Omit<uPlot.Options, "width" | "height"> {
  const { text, grid, font } = look.colours;
  const axis = { stroke: text, font, ticks: { show: false } };
  return {
    padding: [10, 12, 0, 4],
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false }, sync: { key: "overview" } },
    scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, space: 64, values: TIMES },
      {
        ...axis,
        grid: { stroke: grid, width: 1 },
        size: 62,
        space: 30,
        values: (_plot, ticks) => ticks.map((tick) => (tick === 0 ? "0" : look.format(tick))),
      },
    ],
    series: [
      { label: "Time", value: "{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}" },
      ...look.lines().map((line) => seriesOf(line, look)),
    ],
  };
}

function seriesOf({ label, colour }: Line, { shape, format, lines, colours }: Look): uPlot.Series {
  return {
    label,
    stroke: colours.line(colour),
    width: shape === "stacked" ? 1 : 1.75,
    spanGaps: shape === "levels",
    points: { show: false },
    ...(shape === "stacked" ? { fill: colours.area(colour) } : {}),
    // The plot of stacked values has only their sums.
    value: (_plot, _sum, series, step) => {
      const value = step === null ? undefined : lines()[series - 1]?.values[step];
      return value === undefined || value === null ? "–" : format(value);
    },
  };
}
