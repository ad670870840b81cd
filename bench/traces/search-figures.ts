import type { Chart, Figure } from "../report/result.js";
import { median, quantile } from "../report/statistics.js";
import { figureAt, goalAt, LOWER_MS, MILLION, REFERENCE_MS, sizeName } from "./figure-at.js";
import { COUNT } from "./measure-searches.js";
import type { SizeResult } from "./measure-size.js";
import type { Times } from "./search-times.js";
import { SEARCHES } from "./searches.js";

const DEEP_GOAL = { at: MILLION, goal: 40 };
/** By rows. */
const LOOKUP_GOALS: ReadonlyMap<number, number> = new Map([
  [MILLION, 15],
  [10 * MILLION, 40],
]);
/** Of a first page with filters, by rows. */
const FIRST_PAGE_GOALS: ReadonlyMap<number, number> = new Map([
  [MILLION, 15],
  [10 * MILLION, 100],
]);

export function searchFigures({ rows, search }: SizeResult): Figure[] {
  const { pages, texts, found, absent } = search;
  return [
    ...(pages === undefined ? [] : [...allPages(rows, pages), ...singlePages(rows, pages)]),
    ...(texts === undefined ? [] : textPages(rows, texts)),
    ...lookups(rows, { path: "lookup", label: "one trace by its id", times: found }),
    ...lookups(rows, { path: "lookup-absent", label: "an id that there is not", times: absent }),
  ];
}

/** First pages with filters, all ways of narrowing together. */
function allPages(rows: number, pages: Times): Figure[] {
  const at = figureAt(rows);
  const times = SEARCHES.filter(({ group }) => group === "pages").map(({ name }) => pages.get(name) ?? []);
  const rounds = (times[0] ?? []).map((_, round) =>
    median(times.map((perRound) => perRound[round] ?? Number.NaN)),
  );
  const p50 = median(times.flat());
  const counts = pages.get(COUNT) ?? [];
  const goal = FIRST_PAGE_GOALS.get(rows);
  return [
    at("first-page-filtered/p50", {
      label: "first page with filters, p50",
      value: p50,
      ...LOWER_MS,
      samples: rounds,
      ...(goal !== undefined && { goal }),
    }),
    at("first-page-filtered/p95", {
      label: "first page with filters, p95",
      value: quantile(times.flat(), 0.95),
      ...LOWER_MS,
    }),
    at("bare-count/p50", { label: "bare count of one source, p50", value: median(counts), ...REFERENCE_MS }),
    at("first-page-filtered/to-bare-count", {
      label: "first page with filters ÷ bare count",
      value: p50 / median(counts),
      unit: "ratio",
      better: "lower",
      against: `traces/${sizeName(rows)}/bare-count/p50`,
    }),
  ];
}

function singlePages(rows: number, pages: Times): Figure[] {
  const at = figureAt(rows);
  return SEARCHES.filter(({ group }) => group !== "texts").flatMap(({ name, group }) => {
    const times = pages.get(name) ?? [];
    const [path, label] = group === "deep" ? [name, name] : [`first-page/${name}`, `first page, ${name}`];
    const goal = name === "offset-10000" ? goalAt(rows, DEEP_GOAL) : {};
    return [
      at(`${path}/p50`, {
        label: `${label}, p50`,
        value: median(times),
        ...LOWER_MS,
        samples: [...times],
        ...goal,
      }),
      at(`${path}/p95`, { label: `${label}, p95`, value: quantile(times, 0.95), ...LOWER_MS }),
    ];
  });
}

function textPages(rows: number, texts: Times): Figure[] {
  const at = figureAt(rows);
  return SEARCHES.filter(({ group }) => group === "texts").map(({ name }) => {
    const times = texts.get(name) ?? [];
    const label = `first page, ${name}, p50`;
    const p50 = median(times);
    const figure = Number.isFinite(p50)
      ? { value: p50, samples: times.filter(Number.isFinite) }
      : { value: null, note: "given up: it took too long" };
    return at(`first-page/${name}/p50`, { label, ...LOWER_MS, ...figure });
  });
}

interface Lookups {
  readonly path: string;
  readonly label: string;
  readonly times: readonly number[] | undefined;
}

function lookups(rows: number, { path, label, times }: Lookups): Figure[] {
  if (times === undefined) return [];
  const at = figureAt(rows);
  const goal = LOOKUP_GOALS.get(rows);
  return [
    at(`${path}/p50`, {
      label: `${label}, p50`,
      value: median(times),
      ...LOWER_MS,
      ...(goal !== undefined && { goal }),
    }),
    at(`${path}/p95`, { label: `${label}, p95`, value: quantile(times, 0.95), ...LOWER_MS }),
  ];
}

/** Undefined when nothing was searched. */
export function searchChart(results: readonly SizeResult[]): Chart | undefined {
  const series = SEARCHES.map(({ name, group }) => ({
    name,
    mark: "line" as const,
    ours: group === "pages",
    points: results.flatMap(({ rows, search }) => {
      const times = search.pages?.get(name) ?? search.texts?.get(name);
      const y = median(times ?? []);
      return Number.isFinite(y) ? [{ x: rows, y }] : [];
    }),
  }));
  if (series.every(({ points }) => points.length === 0)) return undefined;
  return {
    id: "traces/latency-by-rows",
    kind: "scaling",
    title: "Time of a search by rows",
    caption: "Which ways of searching grow with the rows, and how fast.",
    x: { label: "rows", scale: "log" },
    y: { label: "ms, p50", scale: "log" },
    series,
  };
}
