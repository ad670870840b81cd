import type { Point } from "../api/series.js";
import { shortCount, shortDollars } from "../components/format.js";
import type { Line } from "./chart.js";
import { type Figures, largestGroups, valuesAt } from "./figures.js";
import { LatencyCharts } from "./latency-charts.js";
import { type Range, stepsOf } from "./ranges.js";
import { TimeChart } from "./time-chart.js";

interface ChartsProps {
  readonly figures: Figures;
  readonly range: Range;
  readonly by: string;
  /** What a value of the dimension is called. */
  readonly nameOf: (group: string) => string;
  /** A part of the time was chosen, in milliseconds since the epoch. */
  readonly onZoom: (fromMs: number, toMs: number) => void;
}

export function Charts({ figures, range, by, nameOf, onZoom }: ChartsProps) {
  const steps = stepsOf(figures, range);
  const groups = largestGroups(figures.split, figures.totals);
  const counted = (figure: (point: Point) => number) => ({ figure, none: 0 });
  const ofGroups = (figure: (point: Point) => number): readonly Line[] =>
    groups.map(({ name, points }, at) => ({
      label: nameOf(name),
      colour: Math.min(6, at + 1) as Line["colour"],
      values: valuesAt(points, steps, counted(figure)),
    }));
  const ofAll = (label: string, colour: Line["colour"], how: Parameters<typeof valuesAt>[2]): Line => ({
    label,
    colour,
    values: valuesAt(figures.all, steps, how),
  });
  const whole = (value: number): string => (Number.isInteger(value) ? shortCount(value) : "");
  return (
    <div class="charts">
      <TimeChart
        title={`Requests by ${by}`}
        steps={steps}
        onZoom={onZoom}
        lines={ofGroups(({ requests, decisions }) => requests - decisions)}
        format={whole}
        shape="stacked"
      />
      <TimeChart
        title="Errors and timeouts"
        steps={steps}
        onZoom={onZoom}
        lines={[
          ofAll(
            "errors",
            5,
            counted(({ errors }) => errors),
          ),
          ofAll(
            "timeouts",
            2,
            counted(({ timeouts }) => timeouts),
          ),
        ]}
        format={whole}
        shape="stacked"
      />
      <TimeChart
        title={`Spend by ${by}`}
        steps={steps}
        onZoom={onZoom}
        lines={ofGroups((point) => point.cost_usd)}
        format={shortDollars}
        shape="stacked"
      />
      <TimeChart
        title="Tokens"
        steps={steps}
        onZoom={onZoom}
        lines={[
          ofAll(
            "prompts",
            1,
            counted((point) => point.tokens_in),
          ),
          ofAll(
            "answers",
            3,
            counted((point) => point.tokens_out),
          ),
        ]}
        format={shortCount}
        shape="stacked"
      />
      <LatencyCharts points={figures.all} steps={steps} onZoom={onZoom} />
    </div>
  );
}
