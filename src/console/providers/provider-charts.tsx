import type { Point } from "../api/series.js";
import { shortCount } from "../components/format.js";
import type { Line } from "../overview/chart.js";
import { valuesAt } from "../overview/figures.js";
import { LatencyCharts } from "../overview/latency-charts.js";
import { type Range, stepsOf } from "../overview/ranges.js";
import { TimeChart } from "../overview/time-chart.js";

/** What providers answered over a range, by step and provider. */
export interface Activity {
  readonly range: Range;
  readonly startMs: number;
  readonly points: readonly Point[];
}

interface ProviderChartsProps {
  readonly provider: string;
  readonly activity: Activity;
}

/** Answers, failures and latency of a provider over time. */
export function ProviderCharts({ provider, activity }: ProviderChartsProps) {
  const { range, startMs, points } = activity;
  const own = points.filter(({ group }) => group === provider);
  if (own.length === 0) {
    return <p class="muted small provider-quiet">No request was sent to it in {range.spoken}.</p>;
  }
  const steps = stepsOf({ startMs, stepMs: range.stepMs, all: own }, range);
  const line = (label: string, colour: Line["colour"], how: Parameters<typeof valuesAt>[2]): Line => ({
    label,
    colour,
    values: valuesAt(own, steps, how),
  });
  const counted = (figure: (point: Point) => number) => ({ figure, none: 0 });
  return (
    <div class="charts three provider-charts">
      <TimeChart
        title="Requests"
        steps={steps}
        lines={[
          line(
            "errors",
            5,
            counted(({ errors }) => errors),
          ),
          line(
            "timeouts",
            2,
            counted(({ timeouts }) => timeouts),
          ),
          line(
            "answered",
            1,
            counted(({ requests, errors, timeouts }) => requests - errors - timeouts),
          ),
        ]}
        format={whole}
        shape="stacked"
      />
      <LatencyCharts points={own} steps={steps} />
    </div>
  );
}

const whole = (value: number): string => (Number.isInteger(value) ? shortCount(value) : "");
