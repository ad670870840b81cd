import { useMemo } from "preact/hooks";
import { type ProfileSet, type Replay, replayTraffic } from "../../api/statistics.js";
import { rangeNamed } from "../../charts/ranges.js";
import { Segments } from "../../components/controls.js";
import { Empty, Loading, Notice, useResource } from "../../components/resource.js";
import { useQuestion } from "../question.js";
import { WeightVerdict } from "./chosen-weight.js";
import { samplesUpTo } from "./scales.js";
import { sampleText, WeightTable } from "./weight-table.js";

const WEIGHTS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const RANGES = ["24h", "7d", "30d"] as const;
const SETS: readonly ProfileSet[] = ["live", "shadow"];

/** What other cost weights would have chosen for past requests, what that would have cost, and how good it would have been. */
export function PastTraffic() {
  const { query, change, costWeight, setCostWeight } = useQuestion();
  const range = RANGES.find((name) => name === query.get("range")) ?? "7d";
  const sample = query.get("sample");
  const profiles = SETS.find((set) => set === query.get("profiles")) ?? "live";
  // A weight that is not in the table is added when the page is opened with it, not while it is moved.
  const costWeights = useMemo(() => [...new Set([...WEIGHTS, costWeight])].sort((a, b) => a - b), []);
  const { lengthMs, spoken } = rangeNamed(range);
  const replay = useResource<Replay>(JSON.stringify([range, sample, profiles]), (signal) =>
    replayTraffic({ startMs: Date.now() - lengthMs, costWeights, sample, profiles }, signal),
  );
  const samples = samplesUpTo(replay.value?.most_sampled);
  const shown = replay.isLoading ? undefined : replay.value;
  const report = shown?.reports.find((each) => each.cost_weight === costWeight);
  return (
    <>
      <div class="row">
        <Segments
          label="Range"
          values={RANGES}
          value={range}
          onChange={(value) => change({ range: value })}
        />
        <span class="row">
          <span class="muted small">Sample size</span>
          <Segments
            label="Sample size"
            values={samples}
            value={sample ?? samples[0] ?? ""}
            onChange={(value) => change({ sample: value })}
          />
        </span>
        {(shown?.available_profiles.includes("shadow") === true || profiles === "shadow") && (
          <Segments
            label="Profiles"
            values={SETS}
            value={profiles}
            onChange={(value) => change({ profiles: value })}
          />
        )}
      </div>
      {replay.fault !== undefined && <Notice kind="error">{replay.fault}</Notice>}
      {replay.isLoading && replay.fault === undefined && (
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
            <WeightTable replay={shown} selected={costWeight} onSelect={setCostWeight} />
          )}
          {report !== undefined && <WeightVerdict report={report} />}
          <p class="muted small">
            Spend is what was billed where the model stays, else the expected cost, corrected by what answers
            were billed. Quality is what the profiles expect, not a measurement. Intervals contain what the
            profiles do not know of the models, which does not shrink with more requests. No model is called.
          </p>
        </>
      )}
    </>
  );
}
