import type { CauseBody as Cause } from "../../gateway/features/traces/schema/causes.js";

/** From so many failed calls on, a provider is shown in yellow, and in red (guesses). */
const [SOME_ERRORS, MANY_ERRORS] = [0.05, 0.5];

/** How a share of failed calls looks. */
export const errorLook = (rate: number): "good" | "warn" | "bad" =>
  rate >= MANY_ERRORS ? "bad" : rate >= SOME_ERRORS ? "warn" : "good";

/** The cause at the provider that was seen last. */
export const lastCauseAt = (provider: string, causes: readonly Cause[]): Cause | undefined =>
  causes
    .filter((cause) => cause.provider === provider)
    .reduce<Cause | undefined>(
      (left, right) => (left === undefined || right.last_seen > left.last_seen ? right : left),
      undefined,
    );
