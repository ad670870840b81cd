import type { Refusal } from "../api/refusals.js";
import { shortCount, shortDollars } from "../components/format.js";
import type { Line } from "../overview/chart.js";
import { valuesAt } from "../overview/figures.js";
import { TimeChart } from "../overview/time-chart.js";
import { KEY_RANGE, type KeyDetail } from "./key-detail.js";

const LIMITS: readonly (readonly [limit: Refusal["limit"], colour: Line["colour"]])[] = [
  ["requests", 2],
  ["tokens", 4],
  ["budget", 5],
];

const whole = (value: number): string => (Number.isInteger(value) ? shortCount(value) : "");

/** Requests, spend and refusals of a key over the last day. */
export function KeyCharts({ detail: { startMs, points, refusals } }: { readonly detail: KeyDetail }) {
  const { lengthMs, stepMs } = KEY_RANGE;
  const steps = Array.from({ length: lengthMs / stepMs }, (_, at) => (startMs + at * stepMs) / 1000);
  return (
    <div class="charts three">
      <TimeChart
        title="Refused requests by limit"
        steps={steps}
        lines={LIMITS.map(([limit, colour]) => ({
          label: limit,
          colour,
          values: refusedAt(steps, { refusals, limit }),
        }))}
        format={whole}
        shape="stacked"
      />
      {points !== undefined && (
        <>
          <TimeChart
            title="Accepted requests"
            steps={steps}
            lines={[
              {
                label: "requests",
                colour: 1,
                values: valuesAt(points, steps, { figure: ({ requests }) => requests, none: 0 }),
              },
            ]}
            format={whole}
            shape="stacked"
          />
          <TimeChart
            title="Spend"
            steps={steps}
            lines={[
              {
                label: "known costs",
                colour: 3,
                values: valuesAt(points, steps, { figure: ({ cost_usd }) => cost_usd, none: 0 }),
              },
            ]}
            format={shortDollars}
            shape="stacked"
          />
        </>
      )}
    </div>
  );
}

function refusedAt(
  steps: readonly number[],
  { refusals, limit }: { readonly refusals: readonly Refusal[]; readonly limit: Refusal["limit"] },
): readonly number[] {
  const bySecond = new Map(
    refusals
      .filter((refusal) => refusal.limit === limit)
      .map(({ start, requests }) => [Date.parse(start) / 1000, requests]),
  );
  return steps.map((second) => bySecond.get(second) ?? 0);
}
