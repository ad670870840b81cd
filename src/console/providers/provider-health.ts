import type { PauseBody as Pause } from "../../gateway/features/pauses/schema.js";
import type { AdminProviderBody as Provider } from "../../gateway/features/providers/schema.js";
import type { CauseBody as Cause } from "../../gateway/features/traces/schema/causes.js";

/** Shares of failed calls or requests from which a provider is degraded, or failing (guesses). */
const [SOME_ERRORS, MANY_ERRORS] = [0.05, 0.5];

/** How a share of failures looks. */
export const errorLook = (rate: number | null): "good" | "warn" | "bad" =>
  rate === null || rate < SOME_ERRORS ? "good" : rate < MANY_ERRORS ? "warn" : "bad";

/** The highest error rate of recent calls of any of its models, breakers are kept for each; null before the first call. */
export function worstCalls({ models }: Pick<Provider, "models">): number | null {
  const rates = models.flatMap(({ health }) => health.error_rate ?? []);
  return rates.length === 0 ? null : Math.max(...rates);
}

interface Facts {
  readonly pauses: readonly Pick<Pause, "kind" | "target">[];
  /** Share of its requests that failed, 0 to 1; null without any. */
  readonly failed: number | null;
}

export interface State {
  readonly look: "" | "good" | "warn" | "bad";
  readonly words: string;
}

/** How a provider is: by operators, by recent calls, and by requests. */
export function stateOf(provider: Pick<Provider, "id" | "models">, { pauses, failed }: Facts): State {
  const isPaused = pauses.some(({ kind, target }) => kind === "provider" && target === provider.id);
  if (isPaused) return { look: "warn", words: "paused" };
  const { models } = provider;
  if (models.length === 0) return { look: "", words: "serves nothing" };
  const open = models.filter(({ health }) => health.state === "open").length;
  if (open === models.length) return { look: "bad", words: "not called" };
  const calls = worstCalls(provider);
  const worst = Math.max(calls ?? 0, failed ?? 0);
  const look = errorLook(worst);
  if (look !== "good") return { look, words: look === "bad" ? "failing" : "degraded" };
  if (open > 0) return { look: "warn", words: `${open} of ${models.length} models not called` };
  return calls === null && failed === null ? { look: "", words: "not used yet" } : { look, words: "healthy" };
}

/** The cause at the provider that was seen last. */
export const lastCauseAt = (provider: string, causes: readonly Cause[]): Cause | undefined =>
  causes
    .filter((cause) => cause.provider === provider)
    .reduce<Cause | undefined>(
      (left, right) => (left === undefined || right.last_seen > left.last_seen ? right : left),
      undefined,
    );

/** The names in "set A and B" or "set A or B". */
export const variablesIn = (remedy: string): readonly string[] =>
  remedy.match(/\b[A-Z][A-Z0-9_]{3,}\b/g) ?? [];
