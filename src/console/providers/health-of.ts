import type { Health, ServedModel } from "../api/providers.js";

interface ProviderHealth {
  /** The worst of its models. */
  readonly state: Health["state"];
  /** Null before the first call. */
  readonly worstErrorRate: number | null;
  /** Models that are not asked for at the moment. */
  readonly open: number;
}

/** A provider as a whole: breakers are kept for each of its models. */
export function healthOf(models: readonly ServedModel[]): ProviderHealth {
  const states = models.map(({ health }) => health.state);
  const rates = models.flatMap(({ health }) => health.error_rate ?? []);
  return {
    state: states.includes("open") ? "open" : states.includes("half_open") ? "half_open" : "closed",
    worstErrorRate: rates.length === 0 ? null : Math.max(...rates),
    open: states.filter((state) => state === "open").length,
  };
}
