import type { ReplayReport } from "../../api/statistics.js";
import { CopyButton } from "../../components/controls.js";
import {
  changePercent,
  count,
  type Interval,
  intervalText,
  isUnclear,
  percent,
  points,
  share,
} from "../../components/format.js";
import { Link } from "../../components/link.js";
import { Section } from "../../components/page.js";
import { numeric, TableFrame } from "../../components/table.js";
import { Plain } from "../../components/text.js";

type Move = ReplayReport["moves"][number];

const MOST_MOVES = 12;

/** The selected weight in words, which requests it moves, and how to use it. */
export function WeightVerdict({ report }: { readonly report: ReplayReport }) {
  const { cost_weight: costWeight, requests, changed, moves } = report;
  const field = `"router": {"cost_weight": ${costWeight}}`;
  return (
    <Section title={<>Cost weight {costWeight.toFixed(2)}</>}>
      <p data-testid="verdict">{verdict(report)}</p>
      <div class="row">
        <code>{field}</code>
        <CopyButton text={field} label="Copy the field" />
        <Link href={`/router?cost_weight=${costWeight}`}>Try it on a prompt</Link>
      </div>
      <p class="muted small">
        With <code>"model": "auto"</code>; on POST /v1/router, the field is <code>cost_weight</code> itself.
      </p>
      {moves.length > 0 && (
        <TableFrame
          label="Requests that go to another model"
          rows={moves.slice(0, MOST_MOVES)}
          keyOf={({ from, to }) => `${from} ${to}`}
          columns={[
            { head: "From", look: "clip", cell: ({ from }) => <Plain text={from} /> },
            { head: "To", look: "clip", cell: ({ to }) => <Plain text={to} /> },
            numeric<Move>("Requests", (move) => (
              <>
                {count(move.requests)} <span class="muted">({percent(share(move.requests, requests))})</span>
              </>
            )),
            numeric<Move>("Quality, points", ({ quality }) => points(quality), {
              hint: "Expected quality, by the profiles",
            }),
          ]}
        />
      )}
      {moves.length > MOST_MOVES && (
        <p class="muted small">
          The {MOST_MOVES} most frequent changes; {count(changed)} of {count(requests)} requests change in
          all.
        </p>
      )}
    </Section>
  );
}

function verdict({ requests, changed, spend, quality }: ReplayReport): string {
  const moved = `${percent(share(changed, requests))} of the requests would have gone to another model.`;
  const spent =
    spend.change === null
      ? "Nothing was billed, so that there is no spend to compare."
      : `Spend: ${changeText(spend.change, { format: changePercent })}`;
  return `${moved} ${spent} Expected quality: ${changeText(quality.change, { format: points, unit: " points" })}`;
}

interface ChangeFormat {
  readonly format: (value: number) => string;
  readonly unit?: string;
}

function changeText(change: Interval, { format, unit = "" }: ChangeFormat): string {
  const figure = `${format(change.value)}${unit}`;
  const said = isUnclear(change) ? `no clear difference (${figure}, ` : `${figure} (`;
  return `${said}95% interval ${intervalText(change, format)}).`;
}
