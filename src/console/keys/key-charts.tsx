import type { Refusal } from "../api/refusals.js";
import { shortDollars, wholeCount } from "../components/format.js";
import type { Chart, Line } from "../overview/chart.js";
import { linesOf } from "../overview/figures.js";
import { stepsOf } from "../overview/ranges.js";
import { TimeChart } from "../overview/time-chart.js";
import { KEY_RANGE, type KeyDetail } from "./key-detail.js";

const LIMITS: readonly (readonly [limit: Refusal["limit"], colour: Line["colour"]])[] = [
  ["requests", 2],
  ["tokens", 4],
  ["budget", 5],
];

/** Requests, spend and refusals of a key over the last day. */
export function KeyCharts({ detail: { startMs, points, refusals } }: { readonly detail: KeyDetail }) {
  const steps = stepsOf(startMs, KEY_RANGE);
  const refused = Map.groupBy(refusals, ({ start, limit }) => `${limit} ${Date.parse(start) / 1000}`);
  const charts: readonly Pick<Chart, "title" | "lines" | "format">[] = [
    {
      title: "Refused requests by limit",
      format: wholeCount,
      lines: LIMITS.map(([label, colour]) => ({
        label,
        colour,
        values: steps.map((second) => refused.get(`${label} ${second}`)?.[0]?.requests ?? 0),
      })),
    },
    ...(points === undefined
      ? []
      : [
          {
            title: "Accepted requests",
            format: wholeCount,
            lines: linesOf({ points, steps }, [["requests", 1, ({ requests }) => requests]]),
          },
          {
            title: "Spend",
            format: shortDollars,
            lines: linesOf({ points, steps }, [["spend", 3, ({ cost_usd: cost }) => cost]]),
          },
        ]),
  ];
  return (
    <div class="charts three">
      {charts.map((chart) => (
        <TimeChart key={chart.title} {...chart} steps={steps} shape="stacked" />
      ))}
    </div>
  );
}
