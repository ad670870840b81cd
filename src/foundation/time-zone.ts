/** From a moment on, the clock of a zone is so many milliseconds ahead of UTC. Times are milliseconds since the epoch. */
export interface ZoneOffset {
  readonly fromMs: number;
  readonly offsetMs: number;
}

const SECOND = 1000;
/** Between two changes of a clock there are at least four weeks: a week apart, none is missed. */
const PROBE_MS = 7 * 86_400_000;

/**
 * The offsets of a zone in a part of time, by time, at least one: the first one is also that of any time before.
 *
 * @param timeZone a name of the IANA database, such as `Europe/Berlin`
 * @throws RangeError for a zone that is not known
 */
export function zoneOffsets(
  timeZone: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly ZoneOffset[] {
  const offsetAt = clockOf(timeZone);
  let before = offsetAt(fromMs);
  const offsets: ZoneOffset[] = [{ fromMs, offsetMs: before }];
  for (let at = fromMs; at < toMs; at += PROBE_MS) {
    const after = offsetAt(Math.min(toMs, at + PROBE_MS));
    if (after === before) continue;
    let [low, high] = [Math.floor(at / SECOND), Math.ceil(Math.min(toMs, at + PROBE_MS) / SECOND)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle * SECOND) === before) low = middle;
      else high = middle;
    }
    offsets.push({ fromMs: high * SECOND, offsetMs: after });
    before = after;
  }
  return offsets;
}

let lastClock: { readonly timeZone: string; readonly offsetAt: (ms: number) => number } | undefined;

/** How far a clock is ahead of UTC, in milliseconds, at a time. Of the last zone it is kept: it takes half a millisecond to make. */
function clockOf(timeZone: string): (ms: number) => number {
  if (lastClock?.timeZone !== timeZone) lastClock = { timeZone, offsetAt: newClock(timeZone) };
  return lastClock.offsetAt;
}

function newClock(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (ms) => {
    const wholeMs = Math.floor(ms / SECOND) * SECOND;
    const parts = new Map(format.formatToParts(wholeMs).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
    return shown - wholeMs;
  };
}

/** What the clock shows at a time, in milliseconds since its own epoch. */
export function clockTime(ms: number, offsets: readonly ZoneOffset[]): number {
  const offset = offsets.findLast(({ fromMs }) => fromMs <= ms) ?? offsets[0];
  return ms + (offset?.offsetMs ?? 0);
}

/** The first moment at which the clock shows this or a later time. */
export function momentOf(clockMs: number, offsets: readonly ZoneOffset[]): number {
  for (const [at, { fromMs, offsetMs }] of offsets.entries()) {
    const next = offsets[at + 1];
    const moment = clockMs - offsetMs;
    // What the clock skips begins where it goes on.
    if (next === undefined || moment < next.fromMs) return at === 0 ? moment : Math.max(moment, fromMs);
  }
  return clockMs;
}
