import { type Dimension, dimensionTitle } from "../api/dimensions.js";
import { chartLines, type Figures } from "../charts/figures.js";
import { type Group, largestGroups } from "../charts/groups.js";
import type { Line } from "../charts/plot-options.js";
import { type Range, stepsOf } from "../charts/ranges.js";
import { LatencyCharts, TimeChart } from "../charts/time-chart.js";
import { dollars, shortCount, wholeCount } from "../components/format.js";

interface ChartsProps {
  readonly figures: Figures;
  readonly range: Range;
  readonly by: Dimension;
  /** What a value of the dimension is called. */
  readonly nameOf: (group: string) => string;
  /** A part of the time was chosen, in milliseconds since the epoch. */
  readonly onZoom: (fromMs: number, toMs: number) => void;
}

export function Charts({ figures, range, by, nameOf, onZoom }: ChartsProps) {
  const steps = stepsOf(figures.startMs, range);
  const { all: points } = figures;
  // The same in both charts, so that a value has one colour. Days are the steps themselves.
  const groups: readonly Group[] = by === "day" ? [{ name: "all", points }] : largestGroups(figures);
  const ofGroups = (figure: (point: Group["points"][number]) => number): readonly Line[] =>
    groups.flatMap((group, at) =>
      chartLines({ points: group.points, steps }, [
        [nameOf(group.name), Math.min(6, at + 1) as Line["colour"], figure],
      ]),
    );
  const title = dimensionTitle(by);
  const charts = [
    { title: `Spend by ${title}`, format: dollars, lines: ofGroups(({ cost_usd: cost }) => cost) },
    {
      title: `Requests by ${title}`,
      format: wholeCount,
      lines: ofGroups(({ requests, decisions }) => requests - decisions),
    },
    {
      title: "Errors and timeouts",
      format: wholeCount,
      lines: chartLines({ points, steps }, [
        ["errors", 5, ({ errors }) => errors],
        ["timeouts", 2, ({ timeouts }) => timeouts],
      ]),
    },
    {
      title: "Tokens",
      format: shortCount,
      lines: chartLines({ points, steps }, [
        ["prompts", 1, (point) => point.tokens_in],
        ["answers", 3, (point) => point.tokens_out],
      ]),
    },
  ];
  return (
    <div class="charts">
      {charts.map((chart, at) => (
        <TimeChart key={at} {...chart} steps={steps} onZoom={onZoom} shape="stacked" />
      ))}
      <LatencyCharts points={points} steps={steps} onZoom={onZoom} />
    </div>
  );
}
