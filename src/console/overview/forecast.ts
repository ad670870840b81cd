import type { Interval } from "../components/format.js";

/** What was spent on a day of the calendar here. */
export interface DaySpend {
  /** Midnight, in milliseconds since the epoch. */
  readonly startMs: number;
  readonly usd: number;
}

/** Whole days that a forecast needs (a guess: each day of the week once). */
const LEAST_DAYS = 7;
/** Whole days that it looks back at (a guess: as many as show what is usual now, each day of the week eight times). */
export const FORECAST_DAYS = 56;
/** Days by which the weight of a day halves (a guess). */
const HALF_LIFE_DAYS = 14;

/** Of a normal distribution within which 95 % lie. */
const Z_95 = 1.96;

const isWeekend = ({ startMs }: Pick<DaySpend, "startMs">): boolean =>
  [0, 6].includes(new Date(startMs).getDay());

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

interface Forecast {
  /** Whole days before today, oldest first, those without spend too. */
  readonly past: readonly DaySpend[];
  readonly spentUsd: number;
  /** Today is one of them, with what was spent of it so far. */
  readonly coming: readonly DaySpend[];
}

/**
 * What a month will have cost, with its 95 % interval: what was spent, and for each day to come the mean of past days of its kind,
 * working days or weekend, recent ones counting more. Null where there are too few days to tell.
 *
 * The interval has the spread of days around that mean, and what is not known of the mean; not a change of habits, such as a launch.
 */
export function forecastOf({ past, spentUsd, coming }: Forecast): Interval | null {
  if (past.length < LEAST_DAYS) return null;
  const weights = past.map((_, at) => 0.5 ** ((past.length - 1 - at) / HALF_LIFE_DAYS));
  const kinds = [true, false].map((weekend) => {
    const days = past.flatMap((day, at) =>
      isWeekend(day) === weekend ? [{ usd: day.usd, weight: weights[at] ?? 0 }] : [],
    );
    const total = sum(days.map(({ weight }) => weight));
    const mean = sum(days.map(({ usd, weight }) => usd * weight)) / total;
    // As many days of equal weight would say as much.
    const effective = total ** 2 / sum(days.map(({ weight }) => weight ** 2));
    const spread = sum(days.map(({ usd, weight }) => weight * (usd - mean) ** 2)) / total;
    return { weekend, mean, effective, variance: spread * (effective / Math.max(0.5, effective - 1)) };
  });
  let [expected, variance] = [0, 0];
  for (const { weekend, mean, effective, variance: ofDay } of kinds) {
    const days = coming.filter((day) => isWeekend(day) === weekend);
    if (days.length === 0 || !Number.isFinite(mean)) continue;
    // Of today, what is still to come.
    expected += sum(days.map(({ usd }) => Math.max(0, mean - usd)));
    variance += ofDay * (days.length + days.length ** 2 / effective);
  }
  const margin = Z_95 * Math.sqrt(variance);
  const value = spentUsd + expected;
  return { value, low: Math.max(spentUsd, value - margin), high: value + margin };
}
