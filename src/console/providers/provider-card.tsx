import type { Health, Provider, ServedModel } from "../api/providers.js";
import { count, percent } from "../components/format.js";
import { Plain } from "../components/text.js";
import { ConnectionTestButton } from "./connection-test.js";
import { type Activity, ProviderCharts } from "./provider-charts.js";
import { retiringSoon } from "./retirement.js";
import { BreakerPill, ServedModels } from "./served-models.js";

interface ProviderCardProps {
  readonly provider: Provider;
  /** Undefined while it is not known. */
  readonly activity: Activity | undefined;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** A provider that is switched on, with what it serves. */
export function ProviderCard({ provider, activity, isOpen, onToggle }: ProviderCardProps) {
  const { state, worstErrorRate, open } = healthOf(provider.models);
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
        <span class="pill">configured</span>
        <span class="muted small">breaker</span>
        <BreakerPill state={state} />
        {retiring.length > 0 && <span class="pill warn">{count(retiring.length)} retiring soon</span>}
        <span class="provider-facts muted small">
          {count(provider.models.length)} {provider.models.length === 1 ? "model" : "models"}
          {open > 0 && ` · ${open} not called for now`}
        </span>
        {worstErrorRate !== null && (
          <span class={`pill ${errorLook(worstErrorRate)}`}>error rate up to {percent(worstErrorRate)}</span>
        )}
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
      {activity !== undefined && <ProviderCharts provider={provider.id} activity={activity} />}
      {provider.models.length === 0 ? (
        <p class="muted provider-none">
          It serves none of the models that are known by name. Name models in the settings.
        </p>
      ) : (
        <ServedModels provider={provider} />
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
}

/** A provider as a whole: breakers are kept for each of its models. */
function healthOf(models: readonly ServedModel[]): ProviderHealth {
  const states = models.map(({ health }) => health.state);
  const rates = models.flatMap(({ health }) => health.error_rate ?? []);
  return {
    state: states.includes("open") ? "open" : states.includes("half_open") ? "half_open" : "closed",
    worstErrorRate: rates.length === 0 ? null : Math.max(...rates),
    open: states.filter((state) => state === "open").length,
  };
}

/** From so many failed calls of a model on, its provider is shown in yellow, and in red (guesses). */
const [SOME_ERRORS, MANY_ERRORS] = [0.05, 0.5];

const errorLook = (rate: number): "good" | "warn" | "bad" =>
  rate >= MANY_ERRORS ? "bad" : rate >= SOME_ERRORS ? "warn" : "good";
