import type { Figure } from "../../bench/report/result.js";
import { mean } from "../../bench/report/statistics.js";
import { trendOf } from "../soak/trend.js";
import type { TailReading } from "./live-tail.js";

/** The code of the page is compiled and optimised in the first part: trends are those of the rest. */
const WARM_UP = 1 / 6;
const BYTES_PER_MB = 1024 ** 2;

const SERIES = [
  { id: "heap", label: "JavaScript heap after garbage collection", unit: "mb", of: heapMb },
  { id: "nodes", label: "DOM nodes", unit: "count", of: ({ nodes }: TailReading) => nodes },
  { id: "listeners", label: "event listeners", unit: "count", of: ({ listeners }: TailReading) => listeners },
] as const;

function heapMb({ heapBytes }: TailReading): number {
  return heapBytes / BYTES_PER_MB;
}

/** What the page takes, and how that changes in an hour, after the warm-up. */
export function figuresOf(readings: readonly TailReading[]): Figure[] {
  const minutes = readings.at(-1)?.minute ?? 0;
  const settled = readings.filter(({ minute }) => minute >= minutes * WARM_UP);
  return SERIES.flatMap(({ id, label, unit, of }): Figure[] => {
    const trend = trendOf(settled.map((reading) => ({ minute: reading.minute, value: of(reading) })));
    const lower = { unit, better: "lower" } as const;
    return [
      {
        id: `shift/${id}`,
        label: `${label}, mean after the warm-up`,
        value: mean(settled.map(of)),
        ...lower,
      },
      {
        ...{ id: `shift/${id}/per-hour`, label: `${label}, change per hour`, ...lower },
        value: trend?.perHour ?? 0,
        ...(trend && { interval: trend.interval }),
      },
    ];
  });
}
