import { useRef } from "preact/hooks";
import { autoWeight, loadCostWeights } from "../../api/router.js";
import { type Replay, type ReplayReport, replayTraffic } from "../../api/statistics.js";
import { rangeNamed } from "../../charts/ranges.js";
import { ComparisonsTable } from "../../comparisons/comparisons-table.js";
import { Button, Segments } from "../../components/controls.js";
import { count, percent } from "../../components/format.js";
import { Empty, Loading, Notice, useResource } from "../../components/resource.js";
import { useQuestion } from "../question.js";
import { WeightVerdict } from "./chosen-weight.js";
import { SAMPLES } from "./scales.js";
import { sampleText, WeightTable } from "./weight-table.js";

const WEIGHTS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const RANGES = ["24h", "7d", "30d"] as const;

/** What other cost weights would have chosen for past requests, what that would have cost, and how good it would have been. */
export function PastTraffic() {
  const { query, change, costWeight: given } = useQuestion();
  const range = RANGES.find((name) => name === query.get("range")) ?? "7d";
  const sample = query.get("sample");
  const known = useResource("cost-weights", loadCostWeights);
  // A weight that is not in the table is added when the page is opened with it, not while it is moved.
  const { current: opened } = useRef(given);
  const auto = autoWeight(known.value);
  const recommended = known.value?.recommended.cost_weight;
  const { lengthMs, spoken } = rangeNamed(range);
  const asked = known.value && JSON.stringify([range, sample]);
  const replay = useResource<Replay>(asked, (signal) => {
    const more = [opened, recommended, auto].flatMap((weight) => weight ?? []);
    const costWeights = [...new Set([...WEIGHTS, ...more])].sort((left, right) => left - right);
    return replayTraffic({ startMs: Date.now() - lengthMs, costWeights, sample }, signal);
  });
  const fault = known.fault ?? replay.fault;
  const shown = replay.isLoading ? undefined : replay.value;
  const today = shown?.past_cost_weights[0]?.cost_weight ?? auto;
  const costWeight = given ?? today ?? 0;
  const report = shown && nearestReport(shown.reports, costWeight);
  return (
    <>
      <div class="row">
        <Segments
          label="Range"
          values={RANGES}
          value={range}
          onChange={(value) => change({ range: value }, "add")}
        />
        <span class="row">
          <span class="muted small">Sample size</span>
          <Segments
            label="Sample size"
            values={SAMPLES}
            value={sample ?? SAMPLES[0]}
            onChange={(value) => change({ sample: value }, "add")}
          />
        </span>
      </div>
      {fault !== undefined && (
        <Notice kind="error">
          {fault}{" "}
          <Button look="slim" onClick={known.fault === undefined ? replay.reload : known.reload}>
            Try again
          </Button>
        </Notice>
      )}
      {(known.isLoading || replay.isLoading) && fault === undefined && (
        <Loading>Deciding requests of {spoken} again…</Loading>
      )}
      {shown !== undefined && (
        <>
          <p class="muted" role="status">
            {sampleText(shown)}
          </p>
          {shown.reports.length === 0 ? (
            <Empty title="No request can be decided again">
              Requests are decided again when they were routed (`"model": "auto"`) and their text was kept.
            </Empty>
          ) : (
            <>
              <p class="muted">Recommended is cost weight {recommended}.</p>
              <WeightTable
                replay={shown}
                selected={report?.cost_weight ?? costWeight}
                recommended={recommended}
                onSelect={(weight) => change({ cost_weight: String(weight) })}
              />
              {shown.feedback !== null && (
                <p class="muted small">
                  Clients gave feedback for {count(shown.feedback.requests)} of these requests: mean score{" "}
                  {percent(shown.feedback.mean)}, where {percent(shown.feedback.expected)} were expected.
                </p>
              )}
            </>
          )}
          {report !== undefined && <WeightVerdict report={report} />}
          <p class="muted small">
            Spend is what was billed where the model stays, else the expected cost, corrected by what answers
            were billed. Quality is what the profiles expect, not a measurement. Intervals include how
            uncertain the profiles are about the models, which does not shrink with more requests. No model is
            called.
          </p>
          <ComparisonsTable />
        </>
      )}
    </>
  );
}

/** Requests may have been decided with a weight that is not in the table. */
const nearestReport = (reports: readonly ReplayReport[], weight: number): ReplayReport | undefined =>
  reports.toSorted(
    (left, right) => Math.abs(left.cost_weight - weight) - Math.abs(right.cost_weight - weight),
  )[0];
