/** Which of a host's charges for a model is in force. */
import type { Charge, ChargedRates } from "../catalog-file.js";
import type { Price, TokenRates } from "../models/price.js";

export const FREE: Price = {
  inputUsdPerMtok: 0,
  cachedInputUsdPerMtok: null,
  cacheWriteUsdPerMtok: null,
  cacheWriteHourUsdPerMtok: null,
  outputUsdPerMtok: 0,
  tiers: [],
};

function priceOf({ above = [], calls, ...rates }: Charge): Price {
  return {
    ...ratesOf(rates),
    tiers: above.map(({ tokens, ...there }) => ({ abovePromptTokens: tokens, rates: ratesOf(there) })),
    ...(calls === undefined ? {} : { usdPerThousandCalls: calls }),
  };
}

const ratesOf = (rates: ChargedRates): TokenRates => ({
  inputUsdPerMtok: rates.input,
  cachedInputUsdPerMtok: rates.cached_input ?? null,
  cacheWriteUsdPerMtok: rates.cache_write ?? null,
  cacheWriteHourUsdPerMtok: rates.cache_write_hour ?? null,
  outputUsdPerMtok: rates.output,
});

/** Which price by the hour applies: that of the current hour, or that of the most expensive hour of the day. */
export type HourRule = "this-hour" | "most-expensive-hour";

/** The price in force at a moment, null for none. Later charges take precedence. */
export function priceInForce(charges: readonly Charge[], at: Date, hour: HourRule): Price | null {
  const possible: Charge[] = [];
  for (const charge of [...charges].reverse()) {
    if (!holds(charge, at, hour)) continue;
    possible.push(charge);
    if (hour === "this-hour" || charge.hours === undefined) break;
  }
  const [highest] = possible.sort((left, right) => right.output - left.output);
  return highest === undefined ? null : priceOf(highest);
}

function holds({ from, until, hours, weekdays }: Charge, at: Date, hour: HourRule): boolean {
  if (from !== undefined && at < new Date(from)) return false;
  if (until !== undefined && at >= new Date(until)) return false;
  if (hours === undefined || hour === "most-expensive-hour") return true;
  if (weekdays && at.getUTCDay() % 6 === 0) return false;
  const now = at.getTime() % DAY_MS;
  const [start, end] = [msOfDay(hours[0]), msOfDay(hours[1])];
  return start <= end ? now >= start && now < end : now >= start || now < end;
}

const DAY_MS = 86_400_000;

/** `16:30:00Z`, `00:30:00+08:00` → milliseconds after midnight in UTC. */
const msOfDay = (time: string): number => (Date.parse(`2000-01-01T${time}`) + DAY_MS) % DAY_MS;

/** The first moment after `at` at which another charge may apply; infinity when there is none. */
export function nextChange(
  charges: readonly Charge[],
  { at, hour }: { readonly at: Date; readonly hour: HourRule },
): number {
  const moments = charges.flatMap(({ from, until, hours = [] }) => [
    ...[from, until].flatMap((day) => (day === undefined ? [] : [Date.parse(day)])),
    ...(hour === "this-hour" ? hours.map((time) => nextTimeOfDay(msOfDay(time), at)) : []),
  ]);
  return Math.min(...moments.filter((moment) => moment > at.getTime()));
}

function nextTimeOfDay(ms: number, at: Date): number {
  const today = at.getTime() - (at.getTime() % DAY_MS) + ms;
  return today > at.getTime() ? today : today + DAY_MS;
}
