import { useState } from "preact/hooks";
import {
  type ConnectionTest,
  type Health,
  type Provider,
  type ServedModel,
  testProvider,
} from "../api/providers.js";
import type { Cause, Point } from "../api/statistics.js";
import { chartLines } from "../charts/figures.js";
import { during, type Range, stepsOf } from "../charts/ranges.js";
import { LatencyCharts, TimeChart } from "../charts/time-chart.js";
import { Button } from "../components/controls.js";
import { count, dollars, duration, percent, wholeCount } from "../components/format.js";
import { Notice, useAction } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { LastCause, ProviderFacts } from "./provider-facts.js";
import { errorLook, lastCauseAt } from "./provider-health.js";
import { ProviderKeys } from "./provider-keys.js";
import { retiringSoon } from "./retirement.js";
import { BreakerPill, ServedModelTable } from "./served-models.js";

interface ProviderCardProps {
  readonly provider: Provider;
  /** Undefined while it is not known. */
  readonly activity: Activity | undefined;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** A provider that is switched on, with what it serves. */
export function ProviderCard({ provider, activity, isOpen, onToggle }: ProviderCardProps) {
  const { state, worstErrorRate, open, reasons } = healthOf(provider.models);
  const unusable = provider.keys.filter(({ state }) => state !== "usable").length;
  const retiring = retiringSoon(provider.models, Date.now());
  return (
    <details
      class="card provider"
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) onToggle(currentTarget.open);
      }}
    >
      <summary>
        <h2>
          <Plain text={provider.id} />
        </h2>
        <span class="pill">{provider.type}</span>
        {state !== "closed" && <BreakerPill state={state} />}
        {retiring.length > 0 && <span class="pill warn">{count(retiring.length)} retiring soon</span>}
        {unusable > 0 && <span class="pill warn">keys not used for now: {count(unusable)}</span>}
        {open > 0 && <span class="pill bad">{`${count(open)} not called for now: ${reasons}`}</span>}
        {worstErrorRate !== null && errorLook(worstErrorRate) !== "good" && (
          <span class={`pill ${errorLook(worstErrorRate)}`}>
            error rate now up to {percent(worstErrorRate)}
          </span>
        )}
        <ProviderFacts
          provider={provider}
          total={activity?.totals.find(({ group }) => group === provider.id)}
        />
        <LastCause of={activity && lastCauseAt(provider.id, activity.causes)} />
      </summary>
      {isOpen && <Content provider={provider} activity={activity} />}
    </details>
  );
}

/** Drawn when it is looked at: a provider may serve hundreds of models. */
function Content({ provider, activity }: Pick<ProviderCardProps, "provider" | "activity">) {
  return (
    <>
      {provider.models.length > 0 && <ConnectionTestButton provider={provider.id} />}
      {provider.keys.length > 0 && <ProviderKeys provider={provider} />}
      {activity !== undefined && <ProviderCharts provider={provider.id} activity={activity} />}
      {provider.models.length === 0 ? (
        <p class="muted provider-none">It serves no known model. List its models in the settings.</p>
      ) : (
        <ServedModelTable provider={provider} />
      )}
    </>
  );
}

interface ProviderHealth {
  /** The worst of its models. */
  readonly state: Health["state"];
  /** Null before the first call. */
  readonly worstErrorRate: number | null;
  /** Models that are not asked for at the moment. */
  readonly open: number;
  /** Codes of the failures that they are not asked for. */
  readonly reasons: string;
}

/** A provider as a whole: breakers are kept for each of its models. */
function healthOf(models: readonly ServedModel[]): ProviderHealth {
  const states = models.map(({ health }) => health.state);
  const rates = models.flatMap(({ health }) => health.error_rate ?? []);
  return {
    state: states.includes("open") ? "open" : states.includes("half_open") ? "half_open" : "closed",
    worstErrorRate: rates.length === 0 ? null : Math.max(...rates),
    open: states.filter((state) => state === "open").length,
    reasons: [...new Set(models.flatMap(({ health }) => health.reason ?? []))].join(", "),
  };
}

/** What providers answered over a range, by step and provider. */
export interface Activity {
  readonly range: Range;
  readonly startMs: number;
  readonly points: readonly Point[];
  /** The same in one step. */
  readonly totals: readonly Point[];
  /** What went wrong in it. */
  readonly causes: readonly Cause[];
}

interface ProviderChartsProps {
  readonly provider: string;
  readonly activity: Activity;
}

/** Answers, failures and latency of a provider over time. */
function ProviderCharts({ provider, activity }: ProviderChartsProps) {
  const { range, startMs, points } = activity;
  const own = points.filter(({ group }) => group === provider);
  if (own.length === 0) {
    return <p class="muted small provider-quiet">No request was sent to it {during(range)}.</p>;
  }
  const steps = stepsOf(startMs, range);
  return (
    <div class="charts three provider-charts">
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
      <LatencyCharts points={own} steps={steps} />
    </div>
  );
}

/** Whether requests to a provider would work now, on demand: it costs a little. */
function ConnectionTestButton({ provider }: { readonly provider: string }) {
  const [test, setTest] = useState<ConnectionTest>();
  const { run, running, fault } = useAction(async () => {
    setTest(undefined);
    setTest(await testProvider(provider));
  });
  return (
    <div class="connection-test">
      <div class="row">
        <Button look="slim" disabled={running !== undefined} onClick={() => run()}>
          {running === undefined ? "Test connection" : "Testing…"}
        </Button>
        <span class="muted small">
          Sends one prompt to the cheapest model, with an answer of at most 16 tokens.
        </span>
      </div>
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
      {test !== undefined && <Result test={test} />}
    </div>
  );
}

function Result({ test }: { readonly test: ConnectionTest }) {
  const { ok, model, code, status, message, latency_ms: latency, cost_usd: cost } = test;
  return (
    <Notice kind={ok ? "success" : "error"}>
      <Plain text={model} /> {ok ? "answered" : `failed with ${code}${status === null ? "" : ` (${status})`}`}{" "}
      after {duration(latency)}
      {cost === null ? (ok ? ", at an unknown cost" : "") : `, for ${dollars(cost)}`}.
      {message !== null && (
        <>
          {" "}
          <Plain text={message} />
        </>
      )}
    </Notice>
  );
}
