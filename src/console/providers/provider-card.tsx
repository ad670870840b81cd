import type { Provider } from "../api/providers.js";
import { count, percent } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { BreakerPill } from "./breaker-pill.js";
import { healthOf } from "./health-of.js";
import { ServedModels } from "./served-models.js";

interface ProviderCardProps {
  readonly provider: Provider;
  readonly isOpen: boolean;
}

/** A provider that is switched on, with what it serves. */
export function ProviderCard({ provider, isOpen }: ProviderCardProps) {
  const { state, worstErrorRate, open } = healthOf(provider.models);
  return (
    <details class="card provider" open={isOpen}>
      <summary>
        <h2>
          <Plain text={provider.id} />
        </h2>
        <span class="pill">{provider.type}</span>
        <span class="pill good">configured</span>
        <span class="muted small">breaker</span>
        <BreakerPill state={state} />
        <span class="provider-facts muted small">
          {count(provider.models.length)} {provider.models.length === 1 ? "model" : "models"}
          {open > 0 && ` · ${open} not called for now`}
          {worstErrorRate !== null && ` · error rate up to ${percent(worstErrorRate)}`}
        </span>
      </summary>
      {provider.models.length === 0 ? (
        <p class="muted provider-none">
          It serves none of the models that are known by name. Name models in the settings.
        </p>
      ) : (
        <ServedModels provider={provider} />
      )}
    </details>
  );
}
