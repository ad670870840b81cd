import { autoWeight, loadCostWeights } from "../api/router.js";
import { type Replay, type ReplayQuestion, type ReplayReport, replayTraffic } from "../api/statistics.js";
import { changePercent, count, percent, points, share, UNKNOWN } from "../components/format.js";
import { Loaded, useResource } from "../components/resource.js";
import { type Column, numeric, priced, TableFrame } from "../components/table.js";
import { IntervalCell } from "./interval-cell.js";
import { scaleOf } from "./scale.js";

const WEIGHTS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

interface PastTrafficProps extends Pick<ReplayQuestion, "startMs" | "endMs"> {
  readonly recommended: number;
}

/** What each cost weight would have chosen for a sample of the requests, what that would have cost, and how good it would have been. */
export function PastTraffic({ startMs, endMs, recommended }: PastTrafficProps) {
  const auto = autoWeight(useResource("cost-weights", loadCostWeights).value);
  const replay = useResource<Replay>(auto === undefined ? undefined : `${startMs} ${auto}`, (signal) => {
    const more = [recommended, auto ?? recommended];
    const costWeights = [...new Set([...WEIGHTS, ...more])].sort((left, right) => left - right);
    return replayTraffic({ startMs, endMs, costWeights }, signal);
  });
  return (
    <Loaded resource={replay}>
      {({ reports, left_out: { named, failed, text, undecidable }, sampled }) => (
        <>
          <p class="muted small" role="status">
            Of {count(sampled)} requests, drawn evenly, {count(reports[0]?.requests ?? 0)} were decided again;
            left out: {count(named)} that named their model, {count(failed)} that failed or asked for
            embeddings, {count(text)} without their text, {count(undecidable)} whose models cannot be chosen
            now. No model is called. Quality is what the profiles expect.
          </p>
          <TableFrame
            label="Cost weights on past traffic"
            columns={columnsOf(reports, { "default of auto": auto, recommended })}
            rows={reports}
            keyOf={({ cost_weight: weight }) => weight}
            empty={{ title: "No request can be decided again", text: "" }}
          />
        </>
      )}
    </Loaded>
  );
}

function columnsOf(
  reports: readonly ReplayReport[],
  named: Readonly<Record<string, number | undefined>>,
): readonly Column<ReplayReport>[] {
  const spends = reports.flatMap(({ spend }) => spend.change ?? []);
  const spendScale = scaleOf(spends, { most: 1 });
  const qualityScale = scaleOf(reports.map(({ quality }) => quality.change));
  return [
    {
      head: "Cost weight",
      cell: ({ cost_weight: weight }) => [
        weight.toFixed(2),
        ...Object.keys(named).map(
          (name) => named[name] === weight && <span class="pill beside">{name}</span>,
        ),
      ],
    },
    numeric("To another model", ({ changed, requests }) => percent(share(changed, requests))),
    {
      head: "Spend",
      hint: "Against what was billed: the bill where the model stays, else what is expected, corrected by bills",
      cell: ({ spend: { change } }) =>
        change ? <IntervalCell interval={change} scale={spendScale} format={changePercent} /> : UNKNOWN,
    },
    priced("Per 1,000 requests", ({ spend: { requests, predicted_usd: predicted } }) =>
      requests === 0 ? null : (1000 * predicted.value) / requests,
    ),
    {
      head: "Quality, points",
      hint: "Against what was expected of the models that answered; contains how little is known of the models",
      cell: ({ quality: { change } }) => (
        <IntervalCell interval={change} scale={qualityScale} format={points} />
      ),
    },
  ];
}
