import type { Provider } from "../api/providers.js";
import type { Point } from "../api/statistics.js";
import { chartLines } from "../charts/figures.js";
import { during, type Range, stepsOf } from "../charts/ranges.js";
import { latencyCharts, TimeChart } from "../charts/time-chart.js";
import { wholeCount } from "../components/format.js";
import { Link } from "../components/link.js";
import { Section } from "../components/page.js";
import { Plain } from "../components/text.js";
import { ProviderKeys } from "./provider-keys.js";
import { ServedModelTable } from "./served-models.js";

/** What providers answered over a range. */
export interface Activity {
  readonly range: Range;
  readonly startMs: number;
  /** By step and provider. */
  readonly points: readonly Point[];
}

interface ProviderDetailProps {
  readonly provider: Provider;
  /** Undefined while it is not known. */
  readonly activity: Activity | undefined;
}

/** One provider: its requests over time, its keys and its models. */
export const ProviderDetail = ({ provider, activity }: ProviderDetailProps) => (
  <Section
    title={<Plain text={provider.id} />}
    actions={
      <Link href="/providers" class="button slim quiet">
        Close
      </Link>
    }
  >
    {activity !== undefined && <ProviderCharts provider={provider.id} activity={activity} />}
    {provider.keys.length > 0 && <ProviderKeys provider={provider} />}
    {provider.models.length === 0 ? (
      <p class="muted">It serves no known model. List its models in the settings.</p>
    ) : (
      <ServedModelTable provider={provider} />
    )}
  </Section>
);

interface ProviderChartsProps {
  readonly provider: string;
  readonly activity: Activity;
}

/** Answers, failures and latency of a provider over time. */
function ProviderCharts({ provider, activity: { range, startMs, points } }: ProviderChartsProps) {
  const own = points.filter(({ group }) => group === provider);
  if (own.length === 0) return <p class="muted small">No request was sent to it {during(range)}.</p>;
  const steps = stepsOf(startMs, range);
  return (
    <div class="charts three">
      <TimeChart
        title="Requests"
        steps={steps}
        lines={chartLines({ points: own, steps }, [
          ["errors", 5, ({ errors }) => errors],
          ["timeouts", 2, ({ timeouts }) => timeouts],
          ["answered", 1, ({ requests, errors, timeouts }) => requests - errors - timeouts],
        ])}
        format={wholeCount}
        shape="stacked"
      />
      {latencyCharts({ points: own, steps }).map((chart) => (
        <TimeChart key={chart.name} {...chart} steps={steps} />
      ))}
    </div>
  );
}
