/** How long vendors ask to wait: `Retry-After`, or the headers that say how much of a limit is left. */
import { memberOf, objectsIn } from "../chat.js";
import type { ReplyHeaders } from "../provider.js";

/**
 * Prefix and suffix around the name of a limit, of what is left of it and of when it is full again.
 *
 * - OpenAI, a time from now, `6m0s`: https://developers.openai.com/api/docs/guides/rate-limits, as of 2026-06-26 at
 *   https://spybara.com/openai/api/history/docs/en/2026-06-24-2202..2026-06-26-1757/. Groq the same, `2m59.56s`:
 *   https://console.groq.com/docs/rate-limits.md. Azure whole seconds, and -1 left where it does not count:
 *   https://learn.microsoft.com/en-us/answers/questions/5625878/ (2025-11-17). Mistral sends what is left without a time.
 * - Anthropic, a moment in RFC 3339: https://docs.aws.amazon.com/claude-platform/latest/userguide/rate-limits.md, and a
 *   recorded reply of 2025-08-21 in the tests of the R package tidyllm.
 *
 * Excerpts of these pages were seen on 2026-11-26, not the pages as they are served.
 */
const LIMITS: readonly (readonly [left: string, reset: string])[] = [
  ["x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
  ["x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
  ["anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"],
  ["anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"],
  ["anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"],
  ["anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"],
];

/**
 * How long until the limits that a reply says are used up are full again, in milliseconds > 0; null when there are none.
 * A vendor that refills them steadily may accept a request sooner.
 *
 * @param nowMs milliseconds since the epoch
 */
export function usedUpForMs(headers: ReplyHeaders, nowMs: number): number | null {
  let longestMs = 0;
  for (const [left, reset] of LIMITS) {
    if (headers[left] === "0") longestMs = Math.max(longestMs, resetMs(headers[reset], nowMs));
  }
  return longestMs > 0 ? longestMs : null;
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** 0 for what cannot be read. */
function resetMs(field: ReplyHeaders[string], nowMs: number): number {
  if (typeof field !== "string") return 0;
  if (/^\d{1,9}(\.\d+)?$/.test(field)) return Number(field) * 1000;
  if (/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(field)) {
    const parts = field.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g);
    return [...parts].reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
  }
  const moment = /^\d{4}-\d\d-\d\dT/.test(field) ? Date.parse(field) : Number.NaN;
  return Number.isNaN(moment) ? 0 : Math.max(0, moment - nowMs);
}

/** How long the upstream asks to wait; for a 429 that does not say, until the limits that it says are used up are full again. */
export function waitMs(
  { status, headers }: { readonly status: number; readonly headers: ReplyHeaders },
  { nowMs, body }: { readonly nowMs: number; readonly body: unknown },
): number | null {
  const asked = retryAfterMs(headers, nowMs) ?? retryDelayMs(body);
  return asked === null && status === 429 ? usedUpForMs(headers, nowMs) : asked;
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date; null without one that can be read. Never negative. */
function retryAfterMs(headers: ReplyHeaders, nowMs: number): number | null {
  const exact = decimal(headers["retry-after-ms"]);
  if (exact !== null) return exact;
  const field = headers["retry-after"];
  const seconds = decimal(field);
  if (seconds !== null) return seconds * 1000;
  const date = typeof field === "string" && /^[A-Z][a-z]+, /.test(field) ? Date.parse(field) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

/**
 * Gemini's wait, `{"error": {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s"}]}}`, which no
 * header repeats (https://ai.google.dev/gemini-api/docs/troubleshooting, google.rpc.RetryInfo; read on 2026-11-23); else null.
 */
function retryDelayMs(body: unknown): number | null {
  const details = memberOf(memberOf(Array.isArray(body) ? body[0] : body, "error"), "details");
  for (const { retryDelay: delay } of objectsIn(details)) {
    if (typeof delay === "string" && delay.endsWith("s")) {
      const seconds = decimal(delay.slice(0, -1));
      if (seconds !== null) return seconds * 1000;
    }
  }
  return null;
}

function decimal(field: ReplyHeaders[string]): number | null {
  return typeof field === "string" && /^\d{1,12}(\.\d{1,9})?$/.test(field.trim()) ? Number(field) : null;
}
