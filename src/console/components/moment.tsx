import { relativeTime } from "./format.js";

interface MomentProps {
  /** ISO 8601. */
  readonly at: string | null;
  readonly none?: string;
}

/** A point in time, as people say it; exactly, here and in UTC, on demand. */
export function Moment({ at, none = "never" }: MomentProps) {
  if (at === null) return <span class="muted">{none}</span>;
  return (
    <time dateTime={at} title={exactly(new Date(at))}>
      {relativeTime(Date.parse(at), Date.now())}
    </time>
  );
}

const exactly = (time: Date): string => `${time.toLocaleString()} (${time.toISOString()})`;
