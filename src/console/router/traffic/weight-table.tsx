import type { Replay, ReplayReport } from "../../api/replay.js";
import { changePercent, points } from "../../components/estimates.js";
import { count, dollars, percent, share, UNKNOWN } from "../../components/format.js";
import { TableFrame } from "../../components/table-frame.js";
import { IntervalCell } from "./interval-cell.js";
import { type Scale, scaleOf } from "./scale.js";

interface WeightTableProps {
  readonly replay: Replay;
  readonly selected: number;
  readonly onSelect: (costWeight: number) => void;
}

/** Each cost weight: what goes elsewhere, what that saves, what it does to the expected quality. */
export function WeightTable({
  replay: { reports, past_cost_weights: pastWeights },
  selected,
  onSelect,
}: WeightTableProps) {
  const [first] = reports;
  if (first === undefined) return null;
  const mostUsed = pastWeights[0]?.cost_weight;
  const scales = {
    spend: scaleOf(
      reports.flatMap(({ spend }) => spend.change ?? []),
      { most: 1 },
    ),
    quality: scaleOf(reports.map(({ quality }) => quality.change)),
  };
  return (
    <TableFrame label="Cost weights on past traffic">
      <thead>
        <tr>
          <th scope="col">Cost weight</th>
          <th scope="col" class="right">
            To another model
          </th>
          <th scope="col">Spend</th>
          <th scope="col" class="right">
            Per 1,000 requests
          </th>
          <th scope="col" title="Expected quality, by the profiles">
            Quality, points
          </th>
        </tr>
      </thead>
      <tbody>
        <tr class="baseline">
          <th scope="row">As it was</th>
          <td class="right">{UNKNOWN}</td>
          <td>no change</td>
          <td class="right">{perThousand(first.spend.actual_usd, first)}</td>
          <td>{percent(first.quality.actual)} expected</td>
        </tr>
        {reports.map((report) => (
          <WeightRow
            key={report.cost_weight}
            report={report}
            scales={scales}
            isMostUsed={report.cost_weight === mostUsed}
            isSelected={report.cost_weight === selected}
            onSelect={onSelect}
          />
        ))}
      </tbody>
    </TableFrame>
  );
}

interface WeightRowProps extends Pick<WeightTableProps, "onSelect"> {
  readonly report: ReplayReport;
  readonly scales: { readonly spend: Scale; readonly quality: Scale };
  readonly isMostUsed: boolean;
  readonly isSelected: boolean;
}

function WeightRow({ report, scales, isMostUsed, isSelected, onSelect }: WeightRowProps) {
  const { cost_weight: costWeight, requests, changed, spend, quality } = report;
  return (
    <tr class={isSelected ? "chosen" : ""}>
      <th scope="row" class="tight">
        <button
          type="button"
          class="button slim weight"
          aria-pressed={isSelected}
          onClick={() => onSelect(costWeight)}
        >
          <span class="unseen">Cost weight </span>
          {costWeight.toFixed(2)}
        </button>
        {isMostUsed && <span class="pill beside">most requests now</span>}
      </th>
      <td class="right">{percent(share(changed, requests))}</td>
      <td>
        {spend.change === null ? (
          UNKNOWN
        ) : (
          <IntervalCell interval={spend.change} scale={scales.spend} format={changePercent} />
        )}
      </td>
      <td class="right">{perThousand(spend.predicted_usd.value, report)}</td>
      <td>
        <IntervalCell interval={quality.change} scale={scales.quality} format={points} />
      </td>
    </tr>
  );
}

const perThousand = (usd: number, { spend: { requests } }: ReplayReport): string =>
  requests === 0 ? UNKNOWN : dollars((1000 * usd) / requests);

/** "300 of 18,204 requests were read, 281 decided again." */
export function sampleText({ matching, sampled, reports, left_out: leftOut, ...replay }: Replay): string {
  const limit = sampled === replay.most_sampled ? "; SEXTANT_TRACE_MAX_SAMPLE allows no more" : "";
  const read =
    sampled === matching
      ? `All ${count(matching)} requests were read`
      : `${count(sampled)} of ${count(matching)} requests were read, drawn evenly (${percent(share(sampled, matching))}${limit})`;
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
