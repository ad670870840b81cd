const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span of time back from now, and the steps it is shown in: 30 to 90 of them, but in a month as many as it has days so far. */
export interface Range {
  readonly name: string;
  readonly spoken: string;
  /** On the clock here, where steps are longer than an hour: days have 23 or 25 hours where it changes. */
  readonly lengthMs: number;
  readonly stepMs: number;
  /** Of a part of time that was chosen: it ends there, and not now. */
  readonly endMs?: number;
}

type Steps = Pick<Range, "stepMs">;

/** The beginning of a step moved by so much, on the clock here where steps are counted on it. */
export function shifted(ms: number, byMs: number, steps: Steps): number {
  if (steps.stepMs <= HOUR) return ms + byMs;
  const at = new Date(ms);
  const hour = beginningHour(at, steps) + byMs / HOUR;
  return new Date(at.getFullYear(), at.getMonth(), at.getDate(), hour).getTime();
}

/** Steps longer than an hour are counted from midnight here. */
function beginningHour(at: Date, { stepMs }: Steps): number {
  const hours = Math.min(stepMs / HOUR, 24);
  return Math.floor(at.getHours() / hours) * hours;
}

/** Beginning of the step that a time is in. */
const stepStart = (ms: number, steps: Steps): number =>
  steps.stepMs <= HOUR ? Math.floor(ms / steps.stepMs) * steps.stepMs : shifted(ms, 0, steps);

/** Whether a step begins where the clock skips its beginning, such as midnight in Santiago: steps cannot be counted from there. */
const isSkipped = (ms: number, steps: Steps): boolean =>
  steps.stepMs > HOUR && new Date(ms).getHours() !== beginningHour(new Date(ms), steps);

/** The beginning of that step, or of the one before where the clock skips it. */
export const countableFrom = (ms: number, steps: Steps): number =>
  isSkipped(ms, steps) ? shifted(ms, -steps.stepMs, steps) : ms;

const RANGES: readonly [Range, ...Range[]] = [
  { name: "1h", spoken: "the last hour", lengthMs: HOUR, stepMs: MINUTE },
  { name: "15m", spoken: "the last 15 minutes", lengthMs: 15 * MINUTE, stepMs: 15 * SECOND },
  { name: "6h", spoken: "the last 6 hours", lengthMs: 6 * HOUR, stepMs: 5 * MINUTE },
  { name: "24h", spoken: "the last 24 hours", lengthMs: DAY, stepMs: 20 * MINUTE },
  { name: "7d", spoken: "the last 7 days", lengthMs: 7 * DAY, stepMs: 3 * HOUR },
  { name: "30d", spoken: "the last 30 days", lengthMs: 30 * DAY, stepMs: DAY },
];

const MONTH = "month";

/** From the first of the month here until the end of today. */
const monthUntil = (nowMs: number): Range => ({
  name: MONTH,
  spoken: "this month",
  stepMs: DAY,
  lengthMs: new Date(nowMs).getDate() * DAY,
});

/** From the shortest to the longest; the month comes last. */
export const RANGE_NAMES: readonly string[] = [
  ...RANGES.toSorted((left, right) => left.lengthMs - right.lengthMs).map(({ name }) => name),
  MONTH,
];

export const rangeNamed = (name: string | null): Range =>
  name === MONTH ? monthUntil(Date.now()) : (RANGES.find((range) => range.name === name) ?? RANGES[0]);

/** Beginning of the first step of a range that ends with the step that `nowMs` is in, or where it was chosen to end. */
export const startOf = (
  { lengthMs, stepMs, endMs }: Pick<Range, "lengthMs" | "stepMs" | "endMs">,
  nowMs: number,
): number => {
  const steps = { stepMs };
  return countableFrom(
    shifted(endMs ?? shifted(stepStart(nowMs, steps), stepMs, steps), -lengthMs, steps),
    steps,
  );
};

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
  const steps = { stepMs };
  const startMs = countableFrom(stepStart(fromMs, steps), steps);
  let count = LEAST_STEPS;
  while (shifted(startMs, count * stepMs, steps) < toMs) count++;
  const lengthMs = count * stepMs;
  const endMs = shifted(startMs, lengthMs, steps);
  const name = `${new Date(startMs).toISOString()} ${new Date(endMs).toISOString()}`;
  return { name, spoken: spokenTimes(startMs, endMs), lengthMs, stepMs, endMs };
}

/** As a sentence has it: "in the last hour", "from 23 Nov 12:00 to 12:20". */
export const during = ({ endMs, spoken }: Pick<Range, "endMs" | "spoken">): string =>
  `${endMs === undefined ? "in" : "from"} ${spoken}`;

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
export const rangeQuery = ({ name, lengthMs, stepMs, endMs }: Range): URLSearchParams =>
  new URLSearchParams(
    endMs === undefined
      ? { range: name }
      : {
          from: new Date(shifted(endMs, -lengthMs, { stepMs })).toISOString(),
          to: new Date(endMs).toISOString(),
        },
  );

/**
 * Beginnings of the steps in seconds, as charts take them; the last one of a range until now is still filling. Of a range that
 * `startOf` has begin a step earlier there is one more.
 */
export function stepsOf(
  startMs: number,
  { lengthMs, stepMs, endMs }: Pick<Range, "lengthMs" | "stepMs" | "endMs">,
  nowMs = Date.now(),
): number[] {
  const steps = { stepMs };
  const isEarlier =
    endMs === undefined &&
    isSkipped(shifted(startMs, stepMs, steps), steps) &&
    shifted(startMs, lengthMs, steps) <= nowMs;
  return Array.from(
    { length: Math.round(lengthMs / stepMs) + Number(isEarlier) },
    (_, at) => shifted(startMs, at * stepMs, steps) / 1000,
  );
}
