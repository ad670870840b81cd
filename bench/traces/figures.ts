import type { Chart, Figure } from "../report/result.js";
import { median } from "../report.js";
import { COUNT, type SizeResult } from "./measure-size.js";
import { SEARCHES } from "./searches.js";
import { overallRate, percentile, rateOverTime, slowestRate, sorted } from "./statistics.js";

const WINDOW_MS = 10_000;

/** `1m`, `250k`, `1234`. */
export function sizeName(rows: number): string {
  if (rows % 1e6 === 0) return `${rows / 1e6}m`;
  return rows % 1000 === 0 ? `${rows / 1000}k` : String(rows);
}

const p = (values: readonly number[], share: number): number => percentile(sorted(values), share);

/** Milliseconds that the design allows for a first page with filters, by rows. */
function firstPageGoal(rows: number): number | undefined {
  if (rows === 1_000_000) return 10;
  return rows === 10_000_000 ? 100 : undefined;
}

const goalAt = (rows: number, at: number, goal: number) => (rows === at ? { goal } : {});
const goalOf = (goal: number | undefined) => (goal === undefined ? {} : { goal });

export function figuresOf(result: SizeResult): Figure[] {
  return [...appendFigures(result), ...pageFigures(result), ...textFigures(result), ...lookupFigures(result)];
}

type Named = Pick<Figure, "label" | "value" | "unit" | "better"> &
  Partial<Pick<Figure, "goal" | "note" | "samples" | "against">>;

const figureAt =
  ({ rows }: SizeResult) =>
  (path: string, figure: Named): Figure => ({ id: `traces/${sizeName(rows)}/${path}`, ...figure });

function appendFigures(result: SizeResult): Figure[] {
  const at = figureAt(result);
  const { steps, bareRates, contentBytes, bytesPerRow, closeMs, peakAddedMb } = result.append;
  const rate = overallRate(steps);
  const bare = median(bareRates);
  const perSecond = { unit: "per_s", better: "higher" } as const;
  const bytes = { unit: "bytes", better: "lower" } as const;
  return [
    at("append/rate", {
      label: "rows appended a second, whole run",
      value: rate,
      ...perSecond,
      goal: 50_000,
    }),
    at("append/worst-10s", {
      label: "rows appended a second, slowest 10 s",
      value: slowestRate(steps, WINDOW_MS),
      ...perSecond,
      goal: 50_000,
    }),
    at("append/bare", {
      label: "the same by the bare DuckDB appender",
      value: bare,
      ...perSecond,
      better: "neither",
      samples: [...bareRates],
    }),
    at("append/share-of-bare", {
      label: "appending ÷ bare appender",
      value: rate / bare,
      unit: "ratio",
      better: "higher",
      against: `traces/${sizeName(result.rows)}/append/bare`,
    }),
    at("append/longest-group", {
      label: "longest wait for one group of rows",
      value: Math.max(...steps.map((step, place) => step.atMs - (steps[place - 1]?.atMs ?? 0))),
      unit: "ms",
      better: "lower",
    }),
    at("append/peak-memory", {
      label: "most memory added while appending",
      value: peakAddedMb,
      unit: "mb",
      better: "lower",
    }),
    at("close", { label: "closing the store after all that", value: closeMs, unit: "ms", better: "lower" }),
    at("open", {
      label: "opening it, to the first answer",
      value: result.openMs,
      unit: "ms",
      better: "lower",
    }),
    at("disk/bytes-per-row", { label: "bytes a row on disk", value: bytesPerRow, ...bytes }),
    at("disk/content-per-row", {
      label: "bytes of prompt and answer a row",
      value: contentBytes,
      ...bytes,
      better: "neither",
    }),
  ];
}

function pageFigures(result: SizeResult): Figure[] {
  const { rows, pages } = result;
  if (pages === undefined) return [];
  const at = figureAt(result);
  const filtered = SEARCHES.filter(({ group }) => group === "pages").map(({ name }) => pages.get(name) ?? []);
  const all = filtered.flat();
  const perRound = (filtered[0] ?? []).map((_, round) => median(filtered.map((times) => times[round] ?? 0)));
  const time = { unit: "ms", better: "lower" } as const;
  const reference = pages.get(COUNT) ?? [];
  return [
    at("first-page-filtered/p50", {
      label: "first page with filters, p50",
      value: p(all, 0.5),
      ...time,
      ...goalOf(firstPageGoal(rows)),
      samples: perRound,
    }),
    at("first-page-filtered/p95", { label: "first page with filters, p95", value: p(all, 0.95), ...time }),
    at("bare-count/p50", {
      label: "bare count of one source, p50",
      value: p(reference, 0.5),
      ...time,
      better: "neither",
    }),
    at("first-page-filtered/in-counts", {
      label: "first page with filters ÷ bare count",
      value: p(all, 0.5) / p(reference, 0.5),
      unit: "ratio",
      better: "lower",
      against: `traces/${sizeName(rows)}/bare-count/p50`,
    }),
    ...SEARCHES.filter(({ group }) => group !== "texts").flatMap(({ name, group }) => {
      const times = pages.get(name) ?? [];
      const path = group === "deep" ? name : `first-page/${name}`;
      const goal = name === "offset-10000" ? goalAt(rows, 1_000_000, 40) : {};
      return [
        at(`${path}/p50`, { label: `page, ${name}, p50`, value: p(times, 0.5), ...time, ...goal }),
        at(`${path}/p95`, { label: `page, ${name}, p95`, value: p(times, 0.95), ...time }),
      ];
    }),
  ];
}

function textFigures(result: SizeResult): Figure[] {
  const { texts } = result;
  if (texts === undefined) return [];
  const at = figureAt(result);
  return SEARCHES.filter(({ group }) => group === "texts").map(({ name }) => {
    const times = [...(texts.get(name) ?? [])];
    const value = p(times, 0.5);
    return at(`${name}/p50`, {
      label: `page, ${name}, p50`,
      value,
      unit: "ms",
      better: "lower",
      samples: times,
    });
  });
}

function lookupFigures(result: SizeResult): Figure[] {
  const { rows, found, absent } = result;
  if (found === undefined || absent === undefined) return [];
  const at = figureAt(result);
  const time = { unit: "ms", better: "lower" } as const;
  const peak = result.searchPeakMb;
  return [
    at("lookup/p50", {
      label: "one trace by its id, p50",
      value: p(found, 0.5),
      ...time,
      ...goalAt(rows, 1_000_000, 5),
    }),
    at("lookup/p95", { label: "one trace by its id, p95", value: p(found, 0.95), ...time }),
    at("lookup-absent/p50", {
      label: "an id that there is not, p50",
      value: p(absent, 0.5),
      ...time,
      ...goalAt(rows, 1_000_000, 5),
    }),
    at("lookup-absent/p95", { label: "an id that there is not, p95", value: p(absent, 0.95), ...time }),
    at("search/peak-memory", {
      label: "most memory while searching, the bench's own included",
      value: peak,
      unit: "mb",
      better: "lower",
    }),
  ];
}

const RATE_STEP_MS = 2000;

export function chartsOf(results: readonly SizeResult[]): Chart[] {
  const linear = (label: string) => ({ label, scale: "linear" as const });
  const rates = results.map(({ rows, append }) => ({
    name: `${sizeName(rows)} rows`,
    mark: "line" as const,
    ours: true,
    points: rateOverTime(append.steps, RATE_STEP_MS),
  }));
  const searched = results.filter(({ pages }) => pages !== undefined);
  const latencies = SEARCHES.map(({ name }) => ({
    name,
    mark: "line" as const,
    ours: false,
    points: searched.map(({ rows, pages, texts }) => ({
      x: rows,
      y: p(pages?.get(name) ?? texts?.get(name) ?? [], 0.5),
    })),
  }));
  return [
    {
      id: "traces/append-over-time",
      kind: "scaling",
      title: "Rows appended a second",
      caption: "Whether the rate holds while the store grows, and how deep its pauses are.",
      x: linear("seconds"),
      y: linear("rows a second"),
      series: rates,
    },
    ...(searched.length === 0
      ? []
      : [
          {
            id: "traces/latency-by-rows",
            kind: "scaling" as const,
            title: "Time of a search by rows",
            caption: "Which ways of searching grow with the rows, and how fast.",
            x: { label: "rows", scale: "log" as const },
            y: { label: "ms, p50", scale: "log" as const },
            series: latencies,
          },
        ]),
  ];
}
