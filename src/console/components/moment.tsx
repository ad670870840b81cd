import { localTime, relativeTime } from "./format.js";

interface MomentProps {
  /** ISO 8601. */
  readonly at: string | null;
  readonly none?: string;
  /** How long ago it is, or the time on the clock here. */
  readonly shows?: "age" | "time";
}

/** A point in time, as people say it; exactly, here and in UTC, on demand. */
export function Moment({ at, none = "never", shows = "age" }: MomentProps) {
  if (at === null) return <span class="muted">{none}</span>;
  return (
    <time dateTime={at} title={exactly(new Date(at))}>
      {shows === "age" ? relativeTime(Date.parse(at), Date.now()) : localTime(Date.parse(at), Date.now())}
    </time>
  );
}

const exactly = (time: Date): string => `${time.toLocaleString()} (${time.toISOString()})`;
