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

/** How long a key rests for a fault of its own, when the vendor does not say (guesses). */
const REST_MS = {
  /** Doubled with each refusal in a row, up to the last. */
  rate_limited: [1000, 60_000],
  quota_exhausted: [600_000, 600_000],
  credentials_refused: [600_000, 600_000],
} as const satisfies Partial<Record<ProviderFaultCode, readonly [number, number]>>;

type KeyFaultCode = keyof typeof REST_MS;

/** A vendor that asks for a day would otherwise not be asked again after it recovered. */
const LONGEST_REST_MS = 3_600_000;

/** Whether a fault concerns the key that was used and not the request or the provider: another key may do better. */
export const isKeyFault = ({ code }: ProviderFault): boolean => code in REST_MS;

/** Whether a key rests, for one model or all. */
export class KeyRest {
  reason: KeyFaultCode | null = null;
  untilMs = Number.NEGATIVE_INFINITY;
  /** The vendor said that a limit is used up: others are preferred until then. */
  usedUpUntilMs = Number.NEGATIVE_INFINITY;
  #calls = 0;
  #failures = 0;
  /** In a row. */
  #refusals = 0;

  begin({ code, retryAfterMs }: ProviderFault, nowMs: number): void {
    const reason = code as KeyFaultCode;
    const [firstMs, mostMs] = REST_MS[reason];
    const usualMs = Math.min(firstMs * 2 ** this.#refusals, mostMs);
    this.#refusals += 1;
    const restMs = Math.min(Math.max(retryAfterMs ?? usualMs, firstMs), LONGEST_REST_MS);
    if (nowMs + restMs < this.untilMs) return;
    this.untilMs = nowMs + restMs;
    this.reason = reason;
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
