/** A point in time, or the words after "it" that say what is wrong with the text. */
export type Instant = { readonly ms: number } | { readonly fault: string };

const FORM =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(Z|z|[+ -]\d{2}(?::?\d{2})?)?)?$/;

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

const fault = (text: string): Instant => ({ fault: text });

/**
 * Reads an ISO 8601 date (`2026-01-31`, its first moment) or date and time (`2026-01-31T09:30`, seconds, fractions and
 * zone if wanted), in UTC when there is no zone.
 *
 * A fraction of a millisecond counts as the next whole one, which is right for either end of a range over whole ones.
 * `24:00` is the end of a day. A leap second (`:60`, at the end of a month in UTC) is the first second after it. A space
 * before the zone is taken for the `+` that a URL turned into it.
 */
export function parseInstant(text: string): Instant {
  const parts = FORM.exec(text);
  if (parts === null) return fault("must be a date such as 2026-01-31, or 2026-01-31T09:30:00Z");
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const badDate = faultOfDate({ year, month, day });
  if (badDate !== undefined) return fault(badDate);
  const endOfDay = hour === 24 && minute === 0 && second === 0 && Number(parts[7] ?? 0) === 0;
  if ((hour > 23 && !endOfDay) || minute > 59 || second > 60) {
    return fault("has a time that does not exist: hours go to 23, minutes and seconds to 59");
  }
  const offsetMinutes = minutesOfZone(parts[8]);
  if (offsetMinutes === undefined)
    return fault("has a zone that does not exist: they go from -23:59 to +23:59");
  const startOfMinute = new Date(0);
  startOfMinute.setUTCFullYear(year, month - 1, day);
  startOfMinute.setUTCHours(hour, minute - offsetMinutes);
  const ms = startOfMinute.getTime() + second * 1000;
  if (second === 60 && !isStartOfMonth(ms)) {
    return fault("has a second 60, which only the last minute of a month (UTC) can have");
  }
  return { ms: ms + millisecondsOf(parts[7] ?? "") };
}

function faultOfDate({ year, month, day }: { year: number; month: number; day: number }): string | undefined {
  const name = MONTHS[month - 1];
  if (name === undefined) return "has a month that does not exist: they go from 01 to 12";
  const lastDay = new Date(0);
  lastDay.setUTCFullYear(year, month, 0);
  const days = lastDay.getUTCDate();
  if (day >= 1 && day <= days) return undefined;
  return `has a day that does not exist: ${name} ${year} has ${days}`;
}

/** Minutes east of UTC; undefined when there is no such zone. */
function minutesOfZone(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === "Z" || zone === "z") return 0;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

function isStartOfMonth(ms: number): boolean {
  const date = new Date(ms);
  return date.getUTCDate() === 1 && date.getUTCHours() === 0 && date.getUTCMinutes() === 0;
}

/** Of the digits after the point, rounded up. */
function millisecondsOf(fraction: string): number {
  const whole = Number(fraction.slice(0, 3).padEnd(3, "0"));
  return /[1-9]/.test(fraction.slice(3)) ? whole + 1 : whole;
}
