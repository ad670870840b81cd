import type { Replay, ReplayReport } from "../../api/statistics.js";
import { Button } from "../../components/controls.js";
import {
  changePercent,
  count,
  type Interval,
  intervalText,
  isUnclear,
  percent,
  points,
  share,
  UNKNOWN,
} from "../../components/format.js";
import { type Column, numeric, priced, TableFrame } from "../../components/table.js";
import { type Scale, scaleOf, type WeightRow, withoutRepeats } from "./scales.js";

interface WeightTableProps {
  readonly replay: Replay;
  readonly selected: number;
  readonly recommended: number | undefined;
  readonly onSelect: (costWeight: number) => void;
}

/** Each cost weight, below what was: what goes elsewhere, what that saves, what it does to the expected quality. */
export function WeightTable({ replay, selected, recommended, onSelect }: WeightTableProps) {
  const { reports, past_cost_weights: pastWeights } = replay;
  const [first] = reports;
  if (first === undefined) return null;
  const mostUsed = pastWeights[0]?.cost_weight;
  const spendScale = scaleOf(
    reports.flatMap(({ spend }) => spend.change ?? []),
    { most: 1 },
  );
  const qualityScale = scaleOf(reports.map(({ quality }) => quality.change));
  // Null: as it was.
  const columns: readonly Column<WeightRow | null>[] = [
    {
      head: "Cost weight",
      look: "tight",
      cell: (report) =>
        report === null ? (
          "Current"
        ) : (
          <>
            <Button
              look="slim weight"
              aria-pressed={report.weights.includes(selected)}
              onClick={() => onSelect(report.cost_weight)}
            >
              <span class="unseen">Cost weight </span>
              {weightsText(report.weights)}
            </Button>
            {report.weights.includes(mostUsed ?? -1) && <span class="pill beside">most requests now</span>}
            {report.weights.includes(recommended ?? -1) && (
              <span class="pill accent beside">recommended</span>
            )}
          </>
        ),
    },
    numeric("To another model", (report) =>
      report === null ? UNKNOWN : percent(share(report.changed, report.requests)),
    ),
    {
      head: "Spend",
      cell: (report) =>
        report === null
          ? "no change"
          : ((report.spend.change && (
              <IntervalCell interval={report.spend.change} scale={spendScale} format={changePercent} />
            )) ??
            UNKNOWN),
    },
    priced("Per 1,000 requests", (report) =>
      report === null
        ? perThousand(first.spend.actual_usd, first)
        : perThousand(report.spend.predicted_usd.value, report),
    ),
    {
      head: "Quality, points",
      hint: "Expected quality, by the profiles",
      cell: (report) =>
        report === null ? (
          `${percent(first.quality.actual)} expected`
        ) : (
          <IntervalCell interval={report.quality.change} scale={qualityScale} format={points} />
        ),
    },
  ];
  return (
    <TableFrame
      label="Cost weights on past traffic"
      columns={columns}
      rows={[null, ...withoutRepeats(reports)]}
      keyOf={(report) => report?.cost_weight ?? "as it was"}
      lookOf={(report) => (report === null ? "baseline" : report.weights.includes(selected) ? "chosen" : "")}
    />
  );
}

const weightsText = (weights: readonly number[]): string => {
  const [first = 0, last = first] = [weights[0], weights.at(-1)];
  return first === last ? first.toFixed(2) : `${first.toFixed(2)}–${last.toFixed(2)}`;
};

const perThousand = (usd: number, { spend: { requests } }: ReplayReport): number | null =>
  requests === 0 ? null : (1000 * usd) / requests;

/** "300 of 18,204 requests were read, 281 decided again." */
export function sampleText({ matching, sampled, reports, left_out: leftOut }: Replay): string {
  const read =
    sampled === matching
      ? `All ${count(matching)} requests were read`
      : `${count(sampled)} of ${count(matching)} requests were read, drawn evenly (${percent(share(sampled, matching))})`;
  const reasons = [
    [leftOut.named, "that named their model"],
    [leftOut.failed, "that failed or asked for embeddings"],
    [leftOut.text, "whose text was not kept"],
    [leftOut.undecidable, "whose models have no profile or cannot be chosen now"],
  ] as const;
  const listed = reasons
    .filter(([requests]) => requests > 0)
    .map(([requests, why]) => `${count(requests)} ${why}`);
  return `${read}, ${count(reports[0]?.requests ?? 0)} decided again${listed.length === 0 ? "" : `; left out: ${listed.join(", ")}`}.`;
}

interface IntervalCellProps {
  readonly interval: Interval;
  readonly scale: Scale;
  readonly format: (value: number) => string;
}

/** A change with its 95 % interval: drawn on a scale that rows share, with a mark at no change, and in figures where it is clear. */
function IntervalCell({ interval, scale, format }: IntervalCellProps) {
  return (
    <span class="interval-cell">
      <IntervalBar interval={interval} scale={scale} />
      <span class="number">
        {isUnclear(interval) ? "unclear" : format(interval.value)}
        <span class="muted small interval-figures">{intervalText(interval, format)}</span>
      </span>
    </span>
  );
}

const WIDTH = 96;
const MARGIN = 4;

/** What is beyond the scale ends in an arrow. */
function IntervalBar({
  interval: { value, low, high },
  scale: { from, to },
}: Pick<IntervalCellProps, "interval" | "scale">) {
  const at = (change: number): number =>
    MARGIN + ((Math.min(to, Math.max(from, change)) - from) / (to - from)) * (WIDTH - 2 * MARGIN);
  return (
    <svg class="interval" width={WIDTH} height="14" viewBox={`0 0 ${WIDTH} 14`} aria-hidden="true">
      <line class="interval-zero" x1={at(0)} x2={at(0)} y1="0" y2="14" />
      <line class="interval-range" x1={at(low)} x2={at(high)} y1="7" y2="7" />
      {high > to && <path class="interval-beyond" d={`M${WIDTH - MARGIN - 3} 3l4 4-4 4`} />}
      {value <= to && <circle class="interval-value" cx={at(value)} cy="7" r="3" />}
    </svg>
  );
}
