/** Figures as people read them. Unknown ones are a dash, never a nought. */
import { counted, count as known, usd } from "../../workbench/report/figures.js";

export { counted };

export const UNKNOWN = "–";

const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value: number | null): string => (value === null ? UNKNOWN : known(value));

/** 1234567 → 1.2M; below ten thousand as it is. */
export const shortCount = (value: number): string => (value < 10_000 ? known(value) : short.format(value));

/** The same for the ticks of an axis of things that are whole. */
export const wholeCount = (value: number): string => (Number.isInteger(value) ? shortCount(value) : "");

/** US dollars, the same value the same everywhere: 0.0127 → $0.0127, 12.3 → $12.30, 1234.5 → $1,235. */
export const dollars = (value: number | null): string => (value === null ? UNKNOWN : usd(value));

/** Milliseconds as ms below a second, else as s, min or h. */
export function duration(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  if (ms === 0) return "0 ms";
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  if (ms < 5_400_000) return `${(ms / 60_000).toFixed(1)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

/** A share from 0 to 1. Only nothing is "0%", and only all is "100%". */
export function percent(share: number | null): string {
  if (share === null) return UNKNOWN;
  if (share > 0 && share < 0.0005) return "<0.1%";
  if (share >= 0.995 && share < 1) return `${(Math.floor(share * 1000) / 10).toFixed(1)}%`;
  return `${(share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}%`;
}

export const share = (part: number, all: number): number | null => (all === 0 ? null : part / all);

/** With its 95 % interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** From so much more on, a change is shown as a multiple. */
const MANY = 9;

/** A change as a share, with its sign: −0.318 → −32%; 22.6 → ×24. */
export const changePercent = (change: number): string =>
  change >= MANY ? `×${known(Math.round(1 + change))}` : signOf(change, percent(Math.abs(change)));

/** A change of a share in percentage points, with its sign: −0.0064 → −0.6. */
export const points = (change: number): string => signOf(change, (Math.abs(change) * 100).toFixed(1));

/** "−41% to −22%" */
export const intervalText = ({ low, high }: Interval, format: (value: number) => string): string =>
  `${format(low)} to ${format(high)}`;

/** Whether a change may be a loss as well as a gain: its interval contains nought. */
export const isUnclear = ({ low, high }: Interval): boolean => low <= 0 && high >= 0 && low < high;

/** Nothing that rounds to nought, or is less than what is shown, has a sign. */
function signOf(change: number, text: string): string {
  if (text.startsWith("<") || !/[1-9]/.test(text)) return text;
  return change < 0 ? `−${text}` : `+${text}`;
}

/** As a share of what was before; null when that was nothing, or one of the two is not known. */
export const changeSince = (before: number | null | undefined, now: number | null): number | null =>
  now === null || before === null || before === undefined || before === 0 ? null : now / before - 1;

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const LONG_MS = 30 * 86_400_000;

/** "3 min. ago", "in 2 days"; a date when it is more than a month away. */
export function relativeTime(atMs: number, nowMs: number): string {
  const ms = atMs - nowMs;
  if (Math.abs(ms) > LONG_MS) return new Date(atMs).toISOString().slice(0, 10);
  const step = STEPS.find(([, size]) => Math.abs(ms) >= size);
  return step === undefined ? "now" : relative.format(Math.trunc(ms / step[1]), step[0]);
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const dayAndClock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** The time here: "14:03:22" today, "30 Jan, 14:03:22" within half a year, else with the year. */
export function localTime(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  if (at.toDateString() === new Date(nowMs).toDateString()) return clock.format(at);
  const isNear = Math.abs(nowMs - atMs) < 6 * LONG_MS;
  return isNear ? dayAndClock.format(at) : `${at.getFullYear()}, ${dayAndClock.format(at)}`;
}

/**
 * A date as an input for local time has it: one without a zone is UTC; empty when there is none.
 *
 * @param unit `minute` or `second`: the last one that is shown
 */
export function localInput(text: string | null, unit: "minute" | "second" = "minute"): string {
  const date = new Date(text?.includes("T") === true && !ZONE.test(text) ? `${text}Z` : (text ?? ""));
  if (Number.isNaN(date.getTime())) return "";
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, unit === "minute" ? 16 : 19);
}

const ZONE = /(Z|[+-]\d{2}:?\d{2})$/i;
