import type { ProviderFault, ProviderFaultCode } from "../provider.js";

/**
 * `resting`: not used for a while, because the vendor asked for fewer requests; `refused`: because the vendor refused the
 * key or its account is empty; `not_set`: its variable is not set.
 */
type KeyState = "usable" | "resting" | "refused" | "not_set";

export interface KeyModelHealth {
  /** Name of the model at the provider. */
  readonly upstream_model: string;
  readonly state: KeyState;
  /** The fault that it rests for; null while it is usable. */
  readonly reason: ProviderFaultCode | null;
  readonly rests_for_ms: number;
  readonly calls: number;
  /** Of these calls, those that failed. */
  readonly failures: number;
}

/** Milliseconds of a rest when the vendor does not say, doubled with each in a row, up to the last (guesses). */
const REST_MS = { limit: [1000, 60_000], model: [60_000, 600_000], account: [600_000, 600_000] } as const;

/** A vendor that asks for a day would otherwise not be asked again after it recovered. */
const LONGEST_REST_MS = 3_600_000;

/** How long what a fault `rests` does so; as the vendor asks, within bounds. @param before rests in a row */
export function restMsOf({ rests, retryAfterMs }: ProviderFault, before = 0): number {
  const [firstMs, mostMs] = REST_MS[rests ?? "limit"];
  const askedMs = retryAfterMs ?? Math.min(firstMs * 2 ** before, mostMs);
  return Math.min(Math.max(askedMs, REST_MS.limit[0]), LONGEST_REST_MS);
}

/** Whether a key rests, for one model or all. */
export class KeyRest {
  reason: ProviderFaultCode | null = null;
  untilMs = Number.NEGATIVE_INFINITY;
  /** The vendor said that a limit is used up: others are preferred until then. */
  usedUpUntilMs = Number.NEGATIVE_INFINITY;
  #calls = 0;
  #failures = 0;
  /** In a row. */
  #refusals = 0;

  begin(fault: ProviderFault, nowMs: number): void {
    const untilMs = nowMs + restMsOf(fault, this.#refusals);
    this.#refusals += 1;
    if (untilMs < this.untilMs) return;
    this.untilMs = untilMs;
    this.reason = fault.code;
  }

  /** @param fault of a call; null when it succeeded, which ends no rest: it may have started before the refusal */
  count(fault: ProviderFault | null): void {
    this.#calls += 1;
    if (fault === null) this.#refusals = 0;
    else this.#failures += 1;
  }

  leftMs(nowMs: number): number {
    return Math.max(0, this.untilMs - nowMs);
  }

  health(nowMs: number): Omit<KeyModelHealth, "upstream_model"> {
    const restMs = this.leftMs(nowMs);
    const reason = restMs > 0 ? this.reason : null;
    const state = reason === null ? "usable" : reason === "rate_limited" ? "resting" : "refused";
    return { state, reason, rests_for_ms: Math.ceil(restMs), calls: this.#calls, failures: this.#failures };
  }
}
