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
  /** Of a part of time that was chosen: it ends there, and not now. */
  readonly endMs?: number;
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

/** Beginning of the first step of a range that ends with the step that `nowMs` is in, or where it was chosen to end. */
export const startOf = (
  { lengthMs, stepMs, endMs }: Pick<Range, "lengthMs" | "stepMs" | "endMs">,
  nowMs: number,
): number => (endMs ?? Math.floor(nowMs / stepMs) * stepMs + stepMs) - lengthMs;

const STEPS = [
  SECOND,
  5 * SECOND,
  15 * SECOND,
  MINUTE,
  5 * MINUTE,
  20 * MINUTE,
  HOUR,
  3 * HOUR,
  12 * HOUR,
  DAY,
];
const MOST_STEPS = 90;
const LEAST_STEPS = 4;
/** As long as traces may be searched at once without a thought. */
const LONGEST_MS = 366 * DAY;

/** A part of time as whole steps around it; undefined when it is empty or too long. */
export function chosenRange(fromMs: number, toMs: number): Range | undefined {
  if (!(fromMs > 0 && toMs > fromMs && toMs - fromMs <= LONGEST_MS)) return undefined;
  const stepMs = STEPS.find((step) => (toMs - fromMs) / step <= MOST_STEPS) ?? DAY * 7;
  const startMs = Math.floor(fromMs / stepMs) * stepMs;
  const endMs = Math.max(Math.ceil(toMs / stepMs) * stepMs, startMs + LEAST_STEPS * stepMs);
  const name = `${new Date(startMs).toISOString()} ${new Date(endMs).toISOString()}`;
  return { name, spoken: spokenTimes(startMs, endMs), lengthMs: endMs - startMs, stepMs, endMs };
}

/** In local time: "23 Nov 12:00 to 12:20". */
function spokenTimes(startMs: number, endMs: number): string {
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
  const time = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    ...(endMs - startMs < 10 * MINUTE ? { second: "2-digit" } : {}),
  });
  const [start, end] = [startMs, endMs].map((ms) => [day.format(ms), time.format(ms)] as const);
  const until = start?.[0] === end?.[0] ? end?.[1] : end?.join(" ");
  return `${start?.join(" ")} to ${until}`;
}

/** The part of time in an address, by `from` and `to` or by the name of a range. */
export const rangeOf = (query: URLSearchParams): Range =>
  chosenRange(Date.parse(query.get("from") ?? ""), Date.parse(query.get("to") ?? "")) ??
  rangeNamed(query.get("range"));

/** The same part of time in the address of another page. */
export const rangeQuery = ({ name, lengthMs, endMs }: Range): URLSearchParams =>
  new URLSearchParams(
    endMs === undefined
      ? { range: name }
      : { from: new Date(endMs - lengthMs).toISOString(), to: new Date(endMs).toISOString() },
  );

/** Beginnings of the steps in seconds, as charts take them; the last one of a range until now is still filling. */
export const stepsOf = (
  startMs: number,
  { lengthMs, stepMs }: Pick<Range, "lengthMs" | "stepMs">,
): number[] =>
  Array.from({ length: Math.round(lengthMs / stepMs) }, (_, at) => (startMs + at * stepMs) / 1000);
