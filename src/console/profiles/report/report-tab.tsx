import { loadCostWeights, loadSetReport } from "../../api/router.js";
import { Select } from "../../components/controls.js";
import { Loaded, useResource } from "../../components/resource.js";
import { useQuery } from "../../components/use-query.js";
import { RecommendedWeight } from "../../value/recommended-weight.js";

interface ReportTabProps {
  /** Changes whenever the sets in use do, or what is recommended for them. */
  readonly state: string;
}

/** What is known of a set in use. Its drawing, which no other page needs, is loaded with it. */
export function ReportTab({ state }: ReportTabProps) {
  const [query, change] = useQuery();
  const set = query.get("set");
  const report = useResource(`${state} ${set}`, async (signal) => {
    const [body, { recommended }, { SetReportView }] = await Promise.all([
      loadSetReport(set, signal),
      loadCostWeights(signal),
      import("./set-report-view.js"),
    ]);
    return { body, recommended: recommended.cost_weight, SetReportView };
  });
  return (
    <>
      {report.isLoading && (
        <p class="muted small">
          The first report after the profiles were loaded takes some seconds; the gateway keeps it.
        </p>
      )}
      <Loaded resource={report}>
        {({ body, recommended, SetReportView }) => (
          <>
            {body.sets.length > 1 && (
              <Select
                label="Profile set"
                look="narrow"
                options={body.sets.map((name) => [name, name])}
                value={body.name}
                onChange={(name) => change({ set: name })}
              />
            )}
            <RecommendedWeight />
            <SetReportView report={body} recommended={recommended} />
          </>
        )}
      </Loaded>
    </>
  );
}
