const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span of time back from now, and the steps it is shown in: about 60 of them. */
export interface Range {
  readonly name: string;
  readonly spoken: string;
  readonly lengthMs: number;
  readonly stepMs: number;
}

const RANGES: readonly [Range, ...Range[]] = [
  { name: "1h", spoken: "the last hour", lengthMs: HOUR, stepMs: MINUTE },
  { name: "15m", spoken: "the last 15 minutes", lengthMs: 15 * MINUTE, stepMs: 15 * SECOND },
  { name: "6h", spoken: "the last 6 hours", lengthMs: 6 * HOUR, stepMs: 5 * MINUTE },
  { name: "24h", spoken: "the last 24 hours", lengthMs: DAY, stepMs: 20 * MINUTE },
  { name: "7d", spoken: "the last 7 days", lengthMs: 7 * DAY, stepMs: 3 * HOUR },
  { name: "30d", spoken: "the last 30 days", lengthMs: 30 * DAY, stepMs: 12 * HOUR },
];

/** From the shortest to the longest. */
export const RANGE_NAMES: readonly string[] = RANGES.toSorted(
  (left, right) => left.lengthMs - right.lengthMs,
).map(({ name }) => name);

export const rangeNamed = (name: string | null): Range =>
  RANGES.find((range) => range.name === name) ?? RANGES[0];

/** Beginning of the first step of a range that ends with the step that `nowMs` is in. */
export const startOf = ({ lengthMs, stepMs }: Pick<Range, "lengthMs" | "stepMs">, nowMs: number): number =>
  Math.floor(nowMs / stepMs) * stepMs + stepMs - lengthMs;

interface Filled {
  readonly startMs: number;
  readonly stepMs: number;
  /** What there is, with the beginning of its step. */
  readonly all: readonly { readonly start: string }[];
}

/**
 * Beginnings of the steps in seconds, as charts take them. The last one, which is still filling, would make every line fall at
 * its end: it is left out as soon as there is anything before it.
 */
export function stepsOf({ startMs, stepMs, all }: Filled, lengthMs: number): readonly number[] {
  const count = Math.round(lengthMs / stepMs);
  const lastMs = startMs + (count - 1) * stepMs;
  const shown = all.some(({ start }) => Date.parse(start) < lastMs) ? count - 1 : count;
  return Array.from({ length: shown }, (_, at) => (startMs + at * stepMs) / 1000);
}
