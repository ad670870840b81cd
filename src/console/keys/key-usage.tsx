import { dateFilters, limitText } from "../api/statistics.js";
import { Breakdown } from "../charts/breakdown.js";
import { chartLines } from "../charts/figures.js";
import type { Chart, Line } from "../charts/plot-options.js";
import { RANGE_NAMES, startOf, stepsOf } from "../charts/ranges.js";
import { TimeChart } from "../charts/time-chart.js";
import { Segments } from "../components/controls.js";
import { dollars, wholeCount } from "../components/format.js";
import { Link } from "../components/link.js";
import { Section } from "../components/page.js";
import { useQuery } from "../components/use-query.js";
import { CauseTable } from "../failures/cause-table.js";
import { KEY_RANGE, type KeyDetail, REFUSALS_RANGE } from "./load-keys.js";

interface UsageProps {
  readonly detail: KeyDetail;
  readonly id: string;
}

/** What a key did in a range of time that is chosen here, and what that cost. */
export function KeyUsage({ detail, id }: UsageProps) {
  const { range, startMs, models = [], causes } = detail;
  const [query, change] = useQuery();
  const all = new URLSearchParams({ key: id, range: range.name });
  return (
    <>
      <Section
        title={`Usage, ${range.spoken}`}
        actions={
          <Segments
            label="Range"
            values={RANGE_NAMES}
            value={query.get("range") ?? KEY_RANGE}
            onChange={(value) => change({ range: value }, "add")}
          />
        }
      >
        <KeyCharts detail={detail} />
      </Section>
      <Breakdown
        figures={{ totals: models, startMs }}
        by="model"
        nameOf={(model) => model}
        range={range}
        filters={{ key: id }}
      />
      {causes !== undefined && (
        <CauseTable
          title="Failed requests"
          tools={
            <>
              <Link href={`/failures?${all}`} class="button slim quiet">
                All its failures
              </Link>
              <Link href={`/traces?${all}`} class="button slim quiet">
                All its traces
              </Link>
            </>
          }
          causes={causes}
          filters={{ key: id, ...dateFilters(startMs) }}
        />
      )}
    </>
  );
}

const LIMITS = ["requests", "tokens", "budget"];
const COLOURS: readonly Line["colour"][] = [2, 4, 5, 1, 3];

/** Requests and spend of a key over time, and what its limits refused in the last day. */
function KeyCharts({ detail: { range, startMs, points, refusals } }: Pick<UsageProps, "detail">) {
  const lastDay = stepsOf(startOf(REFUSALS_RANGE, Date.now()), REFUSALS_RANGE);
  const steps = stepsOf(startMs, range);
  const refused = Map.groupBy(refusals, (one) => `${limitText(one)} ${Date.parse(one.start) / 1000}`);
  const charts: readonly Pick<Chart, "title" | "lines" | "format" | "steps">[] = [
    {
      title: "Refused requests by limit, 24 hours",
      format: wholeCount,
      steps: lastDay,
      lines: [...new Set([...LIMITS, ...refusals.map(limitText)])].map((label, at) => ({
        label,
        colour: COLOURS[at % COLOURS.length] ?? 1,
        values: lastDay.map((second) => refused.get(`${label} ${second}`)?.[0]?.requests ?? 0),
      })),
    },
    ...(points === undefined
      ? []
      : [
          {
            title: "Accepted requests",
            format: wholeCount,
            steps,
            lines: chartLines({ points, steps }, [["requests", 1, ({ requests }) => requests]]),
          },
          {
            title: "Spend",
            format: dollars,
            steps,
            lines: chartLines({ points, steps }, [["spend", 3, ({ cost_usd: cost }) => cost]]),
          },
        ]),
  ];
  return (
    <div class="charts three">
      {charts.map((chart) => (
        <TimeChart key={chart.title} {...chart} shape="stacked" />
      ))}
    </div>
  );
}
