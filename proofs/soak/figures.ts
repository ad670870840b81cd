import type { Figure } from "../../bench/report/result.js";
import { mean, quantile } from "../../bench/report/statistics.js";
import type { Reading } from "./reading.js";
import { isUnexpected, KINDS, type Outcome } from "./traffic.js";
import { type Trend, trendOf } from "./trend.js";

export interface TimedOutcome extends Outcome {
  /** When its reply ended, in minutes since the start of the traffic. */
  readonly minute: number;
}

export interface SoakRun {
  readonly readings: readonly Reading[];
  readonly outcomes: readonly TimedOutcome[];
  readonly peakMb: number;
  /** That the server was on a processor for the traffic. */
  readonly cpuMs: number;
}

/** Bytes of traces and the heap's warm-up end in the first third: trends are those of the rest. */
const WARM_UP = 1 / 3;

const SERIES = [
  { key: "residentMb", id: "memory/resident", label: "resident memory", unit: "mb" },
  { key: "heapMb", id: "memory/heap", label: "JavaScript heap in use", unit: "mb" },
  { key: "externalMb", id: "memory/external", label: "buffers outside the heap", unit: "mb" },
  { key: "handles", id: "handles", label: "open files and sockets", unit: "count" },
  { key: "filesMb", id: "files", label: "files of the data folder", unit: "mb" },
] as const satisfies readonly { key: keyof Reading; id: string; label: string; unit: Figure["unit"] }[];

export function figuresOf({ readings, outcomes, peakMb, cpuMs }: SoakRun): Figure[] {
  const minutes = readings.at(-1)?.minute ?? 0;
  const settled = readings.filter(({ minute }) => minute >= minutes * WARM_UP);
  const lower = { better: "lower" } as const;
  return [
    { id: "soak/memory/peak", label: "most resident memory", value: peakMb, unit: "mb", ...lower },
    {
      ...{ id: "soak/processor-time", label: "processor time of a request, all kinds together", unit: "ms" },
      ...{ value: cpuMs / outcomes.length, ...lower },
    },
    ...SERIES.flatMap(({ key, id, label, unit }): Figure[] => {
      const trend = trendOf(settled.map((reading) => ({ minute: reading.minute, value: reading[key] })));
      return [
        {
          ...{ id: `soak/${id}`, label: `${label}, mean after the warm-up`, unit, ...lower },
          value: mean(settled.map((reading) => reading[key])),
        },
        {
          ...{ id: `soak/${id}/per-hour`, label: `${label}, change per hour`, unit, ...lower },
          ...slopeOf(trend),
        },
      ];
    }),
    ...KINDS.flatMap((kind): Figure[] => {
      const ofKind = outcomes.filter((outcome) => outcome.kind === kind);
      const times = ofKind.map(({ ms }) => ms);
      const id = `soak/latency/${kind.replaceAll(" ", "-")}`;
      const p50 = quantilesByMinute(ofKind, 0.5).filter(({ x }) => x >= minutes * WARM_UP);
      const trend = trendOf(p50.map(({ x, y }) => ({ minute: x, value: y })));
      return [
        ...[0.5, 0.99].map((share) => ({
          ...{
            id: `${id}/p${share * 100}`,
            label: `${kind}, p${share * 100}`,
            unit: "ms" as const,
            ...lower,
          },
          value: times.length === 0 ? null : quantile(times, share),
          ...(times.length === 0 ? { note: "none was sent" } : {}),
        })),
        {
          ...{ id: `${id}/p50/per-hour`, label: `${kind}, p50, change per hour`, unit: "ms", ...lower },
          ...slopeOf(trend),
        },
      ];
    }),
    {
      ...{ id: "soak/unexpected", label: "replies of a status that is not expected", unit: "count" },
      ...{ value: outcomes.filter(isUnexpected).length, ...lower },
    },
  ];
}

const slopeOf = (trend: Trend | undefined): Pick<Figure, "value" | "interval" | "note"> =>
  trend === undefined
    ? { value: null, note: "fewer than five minutes after the warm-up" }
    : { value: trend.perHour, interval: trend.interval };

function quantilesByMinute(outcomes: readonly TimedOutcome[], share: number): { x: number; y: number }[] {
  const minutes = new Map<number, number[]>();
  for (const { minute, ms } of outcomes) {
    const whole = Math.floor(minute);
    const times = minutes.get(whole) ?? [];
    minutes.set(whole, times);
    times.push(ms);
  }
  return [...minutes].sort(([a], [b]) => a - b).map(([x, times]) => ({ x, y: quantile(times, share) }));
}

/** Replies by kind and status, as a Markdown table. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
  const rows = KINDS.map((kind) => {
    const counts = new Map<number, number>();
    for (const outcome of outcomes) {
      if (outcome.kind === kind) counts.set(outcome.status, (counts.get(outcome.status) ?? 0) + 1);
    }
    const shown = [...counts]
      .sort(([, a], [, b]) => b - a)
      .map(([status, count]) => `${count} × ${status === 0 ? "no reply" : status}`);
    return `| ${kind} | ${shown.join(", ")} |`;
  });
  return ["| request | replies |", "| --- | --- |", ...rows].join("\n");
}
