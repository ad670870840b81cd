import type { PrincipalLimits } from "../principal.js";
import type { Tally } from "./counters.js";

/** `x-ratelimit-…` of API §1, for the limits the principal has. Budgets have no header. */
export function limitHeaders(
  { requestsPerMinute, tokensPerMinute }: PrincipalLimits,
  { requests, tokens, minuteEndsInMs }: Pick<Tally, "requests" | "tokens" | "minuteEndsInMs">,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const reset = durationText(minuteEndsInMs);
  if (requestsPerMinute !== null) {
    headers["x-ratelimit-limit-requests"] = String(requestsPerMinute);
    headers["x-ratelimit-remaining-requests"] = String(Math.max(0, requestsPerMinute - requests));
    headers["x-ratelimit-reset-requests"] = reset;
  }
  if (tokensPerMinute !== null) {
    headers["x-ratelimit-limit-tokens"] = String(tokensPerMinute);
    headers["x-ratelimit-remaining-tokens"] = String(Math.max(0, tokensPerMinute - tokens));
    headers["x-ratelimit-reset-tokens"] = reset;
  }
  return headers;
}

/** A duration as OpenAI's headers have it: `120ms`, `1s`, `8.64s`, `6m0s`. Rounded up to whole milliseconds. */
export function durationText(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole < 1_000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = `${(whole - minutes * 60_000) / 1_000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}
