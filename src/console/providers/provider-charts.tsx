import type { Point } from "../api/statistics.js";
import { linesOf } from "../charts/figures.js";
import { type Range, stepsOf } from "../charts/ranges.js";
import { LatencyCharts, TimeChart } from "../charts/time-chart.js";
import { wholeCount } from "../components/format.js";

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
  const steps = stepsOf(startMs, range);
  return (
    <div class="charts three provider-charts">
      <TimeChart
        title="Requests"
        steps={steps}
        lines={linesOf({ points: own, steps }, [
          ["errors", 5, ({ errors }) => errors],
          ["timeouts", 2, ({ timeouts }) => timeouts],
          ["answered", 1, ({ requests, errors, timeouts }) => requests - errors - timeouts],
        ])}
        format={wholeCount}
        shape="stacked"
      />
      <LatencyCharts points={own} steps={steps} />
    </div>
  );
}
