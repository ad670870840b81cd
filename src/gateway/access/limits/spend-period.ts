import { clockTime, momentOf, zoneOffsets } from "../../../foundation/time-zone.js";

export const PERIODS = ["day", "week", "month"] as const;
export type PeriodKind = (typeof PERIODS)[number];

/** A part of time for which spending is added up. */
export interface SpendPeriod {
  /** `2026-01` of a month, `2026-01-31` of a day, and of a week the date of its Monday. */
  readonly name: string;
  /** Milliseconds since the epoch; start inclusive, end exclusive. */
  readonly startMs: number;
  readonly endMs: number;
}

const DAY_MS = 86_400_000;
/** Longer than any period, so that the offsets of its zone cover it. */
const AROUND_MS = 40 * DAY_MS;
/** How the names of all accounts of budgets begin. */
export const BUDGET = "budget:";

/** The last period of each kind and zone: a request asks for one that has been worked out. */
const known = new Map<string, SpendPeriod>();

/**
 * The period that contains a time. Days and months are those of the calendar in the zone, so that a day has 23 or 25 hours when
 * its clock changes; weeks begin on Monday.
 *
 * @param timeZone a name of the IANA database
 * @throws RangeError for a zone that is not known
 */
export function periodOf(
  kind: PeriodKind,
  timeZone: string,
  { nowMs }: { readonly nowMs: number },
): SpendPeriod {
  const key = `${kind}:${timeZone}`;
  const before = known.get(key);
  if (before !== undefined && before.startMs <= nowMs && nowMs < before.endMs) return before;
  const around = { fromMs: nowMs - AROUND_MS, toMs: nowMs + AROUND_MS };
  const offsets = timeZone === "UTC" ? [] : zoneOffsets(timeZone, around);
  const [from, to] = bounds(kind, new Date(clockTime(nowMs, offsets)));
  const period = {
    name: new Date(from).toISOString().slice(0, kind === "month" ? 7 : 10),
    startMs: momentOf(from, offsets),
    endMs: momentOf(to, offsets),
  };
  known.set(key, period);
  return period;
}

/** Start and end, by the clock that shows this date. */
function bounds(kind: PeriodKind, date: Date): readonly [from: number, to: number] {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (kind === "month") return [Date.UTC(year, month), Date.UTC(year, month + 1)];
  if (kind === "day") return [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)];
  const monday = day - ((date.getUTCDay() + 6) % 7);
  return [Date.UTC(year, month, monday), Date.UTC(year, month, monday + 7)];
}

/** A forecast from less of a period would be noise (a guess). */
const LEAST_PASSED = 0.1;

/** What a period will have cost when it ends, if spending goes on as in it so far; null before a tenth of it has passed. */
export function forecastUsd(
  spentUsd: number,
  { startMs, endMs, nowMs }: Pick<SpendPeriod, "startMs" | "endMs"> & { readonly nowMs: number },
): number | null {
  const passed = (nowMs - startMs) / (endMs - startMs);
  return passed < LEAST_PASSED ? null : spentUsd / passed;
}

/** What counters count for a budget and one value: it says which periods it has. */
export interface BudgetAccount {
  readonly period: PeriodKind;
  readonly timeZone: string;
  /** Name of the budget, without a colon. */
  readonly name: string;
  readonly value: string;
}

export const budgetAccount = ({ period, timeZone, name, value }: BudgetAccount): string =>
  `${BUDGET}${period}:${timeZone}:${name}:${value}`;

/** The start of all accounts of a budget. */
export const accountsOf = (budget: Omit<BudgetAccount, "value">): string =>
  budgetAccount({ ...budget, value: "" });

/** The period in which an account counts now: of a budget its own, of a key or token the calendar month, UTC. */
export function periodAt(account: string, nowMs: number): SpendPeriod {
  if (!account.startsWith(BUDGET)) return periodOf("month", "UTC", { nowMs });
  const [, kind, timeZone = "UTC"] = account.split(":", 3);
  return periodOf(kind as PeriodKind, timeZone, { nowMs });
}
