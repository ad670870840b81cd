import type { Chart, Figure } from "../report/result.js";
import { median } from "../report/statistics.js";
import { figureAt, LOWER_MS, sizeName } from "./figure-at.js";
import type { AppendResult } from "./measure-append.js";
import type { AppendedKind, AppendedKinds } from "./measure-kinds.js";
import type { SizeResult } from "./measure-size.js";
import { overallRate, rateOverTime, slowestRate } from "./statistics.js";

const WINDOW_MS = 10_000;
const POINT_MS = 2000;
/** Rows of 1.2 kB of text: a second, microseconds of processor time each, bytes each. */
const GOALS = { perSecond: 10_000, cpuUs: 60, bytes: 1000 };

export function storeFigures({ rows, append, kinds, search, contentBytes }: SizeResult): Figure[] {
  const at = figureAt(rows);
  return [
    ...(append === undefined ? [] : appendFigures(rows, append)),
    ...(kinds === undefined ? [] : kindFigures(rows, kinds)),
    at("open", { label: "opening the store, to the first answer", value: search.openMs, ...LOWER_MS }),
    at("disk/content-per-row", {
      label: "bytes a row of prompt and answer, as they came",
      value: contentBytes,
      unit: "bytes",
      better: "neither",
    }),
  ];
}

function appendFigures(rows: number, append: AppendResult): Figure[] {
  const at = figureAt(rows);
  const { steps, bareRates, cpuUs, bareCpuUs } = append;
  const rate = overallRate(steps);
  const perSecond = { unit: "per_s", better: "higher", goal: GOALS.perSecond } as const;
  const size = sizeName(rows);
  return [
    at("append/rate", { label: "rows appended a second, whole run", value: rate, ...perSecond }),
    at("append/worst-10s", {
      label: "rows appended a second, slowest 10 s",
      value: slowestRate(steps, WINDOW_MS),
      ...perSecond,
    }),
    at("append/bare/rate", {
      label: "rows a second by the bare DuckDB appender",
      value: median(bareRates),
      unit: "per_s",
      better: "neither",
      samples: [...bareRates],
    }),
    at("append/to-bare", {
      label: "appending ÷ bare appender",
      value: rate / median(bareRates),
      unit: "ratio",
      better: "higher",
      against: `traces/${size}/append/bare/rate`,
    }),
    at("append/cpu", {
      label: "processor time of the bench a row, all threads, closing included",
      value: cpuUs,
      unit: "us",
      better: "lower",
      goal: GOALS.cpuUs,
    }),
    at("append/bare/cpu", {
      label: "processor time a row of the bare appender",
      value: bareCpuUs,
      unit: "us",
      better: "neither",
    }),
    at("append/cpu-to-bare", {
      label: "processor time, appending ÷ bare appender",
      value: cpuUs / bareCpuUs,
      unit: "ratio",
      better: "lower",
      against: `traces/${size}/append/bare/cpu`,
    }),
    at("append/longest-group", { label: "longest wait for one group", value: longest(steps), ...LOWER_MS }),
    at("append/peak-memory", {
      label: "most memory added while appending",
      value: append.peakAddedMb,
      unit: "mb",
      better: "lower",
    }),
    at("close", { label: "closing the store after that", value: append.closeMs, ...LOWER_MS }),
    at("disk/bytes-per-row", {
      label: "bytes a row on disk",
      value: append.bytesPerRow,
      unit: "bytes",
      better: "lower",
      goal: GOALS.bytes,
    }),
  ];
}

function kindFigures(rows: number, { withoutTexts, shortTexts }: AppendedKinds): Figure[] {
  return [
    ...figuresOfKind(rows, { path: "without-texts", name: "without texts", ...withoutTexts }),
    ...figuresOfKind(rows, { path: "short-texts", name: "with 200 bytes of texts", ...shortTexts }),
  ];
}

type NamedKind = AppendedKind & { readonly path: string; readonly name: string };

function figuresOfKind(rows: number, { path, name, rate, cpuUs, bytesPerRow }: NamedKind): Figure[] {
  const at = figureAt(rows);
  return [
    at(`append/${path}/rate`, {
      label: `rows appended a second, ${name}`,
      value: rate,
      unit: "per_s",
      better: "higher",
    }),
    at(`append/${path}/cpu`, {
      label: `processor time a row, ${name}`,
      value: cpuUs,
      unit: "us",
      better: "lower",
    }),
    at(`disk/${path}/bytes-per-row`, {
      label: `bytes a row on disk, ${name}`,
      value: bytesPerRow,
      unit: "bytes",
      better: "lower",
    }),
  ];
}

function longest(steps: AppendResult["steps"]): number {
  const waits = steps.map(({ atMs }, index) => atMs - (steps[index - 1]?.atMs ?? 0));
  return waits.reduce((most, wait) => Math.max(most, wait), 0);
}

/** Undefined when nothing was appended. */
export function appendChart(results: readonly SizeResult[]): Chart | undefined {
  const series = results.flatMap(({ rows, append }) =>
    append === undefined
      ? []
      : [
          {
            name: `${sizeName(rows)} rows`,
            mark: "line" as const,
            ours: true,
            points: rateOverTime(append.steps, POINT_MS),
          },
        ],
  );
  if (series.length === 0) return undefined;
  return {
    id: "traces/append-over-time",
    kind: "scaling",
    title: "Rows appended a second",
    caption: "Whether the rate holds while the store grows, and how deep its pauses are.",
    x: { label: "seconds", scale: "linear" },
    y: { label: "rows a second", scale: "linear" },
    series,
  };
}
