export const MINUTE_MS = 60_000;
/** Between the ends of two minutes of a limit lies a minute at least; the ends that replies state differ by their delay. */
const SAME_MINUTE_MS = 30_000;

/** What a key got in one minute of its limit. */
export interface Minute {
  /** Milliseconds since the start of the traffic. */
  readonly endsMs: number;
  requests: number;
  tokens: number;
  refused: number;
  /** Requests that a kill cut off; whether they were counted is not known. */
  cutOff: number;
}

/** Assigns replies to the minutes of a limit, which their headers name by when they end. */
export class Minutes {
  readonly all: Minute[] = [];

  /** @param endsMs since the start of the traffic */
  at(endsMs: number): Minute {
    const known = this.all.findLast((minute) => Math.abs(minute.endsMs - endsMs) < SAME_MINUTE_MS);
    if (known !== undefined) return known;
    const minute = { endsMs, requests: 0, tokens: 0, refused: 0, cutOff: 0 };
    this.all.push(minute);
    return minute;
  }

  /** The minute that runs at that time, if any is known. */
  running(nowMs: number): Minute | undefined {
    return this.all.findLast(({ endsMs }) => endsMs >= nowMs);
  }
}

/** Milliseconds of `120ms`, `8.64s`, `1m0s`. */
export function durationMs(text: string): number {
  const [, ms, minutes, seconds] = /^(?:(\d+)ms|(?:(\d+)m)?([\d.]+)s)$/.exec(text) ?? [];
  return ms === undefined ? MINUTE_MS * Number(minutes ?? 0) + 1000 * Number(seconds) : Number(ms);
}
