/** A calendar month, UTC. */
export interface CalendarMonth {
  /** `2026-01` */
  readonly name: string;
  /** Milliseconds since the epoch; start inclusive, end exclusive. */
  readonly startMs: number;
  readonly endMs: number;
}

export function calendarMonthAt(timeMs: number): CalendarMonth {
  const time = new Date(timeMs);
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  return {
    name: time.toISOString().slice(0, -17),
    startMs: Date.UTC(year, month),
    endMs: Date.UTC(year, month + 1),
  };
}
