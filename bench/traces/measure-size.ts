import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { TraceFilter, TraceStore } from "../../src/traces/store.js";
import { appendRows } from "./append.js";
import type { BareDuckDb } from "./bare-duckdb.js";
import { type BenchStore, makeBenchStore } from "./bench-store.js";
import { forgetPeak, memoryOf } from "./machine.js";
import { MadeUpTraces, type SharedTexts, SOURCES } from "./made-up-traces.js";
import type { Options } from "./options.js";
import { showProgress } from "./progress.js";
import { type Times, timeLookups, timeSearches } from "./search-times.js";
import { SEARCHES } from "./searches.js";
import type { Step } from "./statistics.js";
import { Tally } from "./tally.js";

const LOOKUPS = 300;
/** Searches that read texts take long, and are asked that many times. */
const TEXT_ROUNDS = 3;
/** Traces of the bare appender: lap after lap, before the rows are appended and after. */
const BARE_TRACES = 20_480;
const BARE_LAPS = 5;
export const COUNT = "bare count";

export interface Context {
  readonly options: Options;
  /** Where all files go. */
  readonly folder: string;
  readonly texts: SharedTexts;
}

export interface AppendResult {
  readonly steps: readonly Step[];
  /** Rows a second of the bare appender, before and after. */
  readonly bareRates: readonly number[];
  /** Mean bytes of prompt and answer of a row. */
  readonly contentBytes: number;
  readonly bytesPerRow: number;
  /** To work in what the store had not worked in yet. */
  readonly closeMs: number;
  /** Of this process, above what it used before the store was opened. */
  readonly peakAddedMb: number;
}

export interface SizeResult {
  readonly rows: number;
  readonly append: AppendResult;
  /** Until a store of that size answers its first question. */
  readonly openMs: number;
  readonly pages: Times | undefined;
  readonly texts: Times | undefined;
  readonly found: readonly number[] | undefined;
  readonly absent: readonly number[] | undefined;
  readonly searchPeakMb: number;
}

/** Fills a store with that many rows and measures all that was asked for. */
export async function measureSize(rows: number, context: Context, bare: BareDuckDb): Promise<SizeResult> {
  const { options, folder } = context;
  const dataDir = join(folder, `rows-${rows}`);
  await mkdir(dataDir, { recursive: true });
  const { clickhouseUrl } = options;
  const store = await makeBenchStore({ dataDir, ...(clickhouseUrl !== undefined && { clickhouseUrl }) });
  try {
    const filters = SEARCHES.flatMap((search) => search.filters);
    const tally = new Tally(filters, { rows, ids: LOOKUPS });
    const append = await measureAppend(store, { rows, tally, context, bare });
    await forgetPeak();
    const opened = performance.now();
    const open = store.open();
    try {
      await open.list({}, { limit: 1, offset: 0 }, { scope: "all" });
      const openMs = performance.now() - opened;
      const expected = (filter: TraceFilter) => tally.matching(filter);
      const searched = await measureSearches(open, { context, bare, expected });
      const lookups = await measureLookups(open, { context, ids: tally.ids });
      const { peakMb } = await memoryOf("self");
      return { rows, append, openMs, ...searched, ...lookups, searchPeakMb: peakMb };
    } finally {
      await open.close();
    }
  } finally {
    await store.remove();
  }
}

interface AppendContext {
  readonly rows: number;
  readonly tally: Tally;
  readonly context: Context;
  readonly bare: BareDuckDb;
}

async function measureAppend(
  store: BenchStore,
  { rows, tally, context, bare }: AppendContext,
): Promise<AppendResult> {
  const { options, texts } = context;
  const sample = new MadeUpTraces({ seed: options.seed + 1, rows: BARE_TRACES, texts }).take(BARE_TRACES);
  const before = await bare.append(sample, BARE_LAPS);
  await forgetPeak();
  const { nowMb } = await memoryOf("self");
  const open = store.open();
  await open.list({}, { limit: 1, offset: 0 }, { scope: "all" });
  const progress = showProgress(`appending ${rows} rows`, rows);
  const steps = await appendRows(open, new MadeUpTraces({ seed: options.seed, rows, texts }), {
    rows,
    folder: store.dataDir,
    onRecorded: (trace) => tally.add(trace),
    onWritten: (count) => progress.add(count),
  });
  progress.stop();
  const closing = performance.now();
  await open.close();
  const closeMs = performance.now() - closing;
  const { peakMb } = await memoryOf("self");
  const after = await bare.append(sample, BARE_LAPS);
  return {
    steps,
    bareRates: [before, after],
    contentBytes: tally.contentBytes,
    bytesPerRow: (await store.bytes()) / rows,
    closeMs,
    peakAddedMb: peakMb - nowMb,
  };
}

interface SearchContext {
  readonly context: Context;
  readonly bare: BareDuckDb;
  readonly expected: (filter: TraceFilter) => number;
}

async function measureSearches(store: TraceStore, { context, bare, expected }: SearchContext) {
  const { parts, rounds } = context.options;
  if (!parts.includes("search")) return { pages: undefined, texts: undefined };
  const time = async (what: "pages" | "texts", count: number): Promise<Times> => {
    const progress = showProgress(`searching, ${what}`, count + 1);
    const cases = SEARCHES.filter(({ group }) => (group === "texts") === (what === "texts"));
    const count1 = (round: number) => bare.timeCount(SOURCES[round % SOURCES.length] ?? "");
    const references = new Map([[COUNT, count1]]);
    const onRound = () => progress.add(1);
    const times = await timeSearches(store, { cases, rounds: count, expected, references, onRound });
    progress.stop();
    return times;
  };
  return { pages: await time("pages", rounds), texts: await time("texts", TEXT_ROUNDS) };
}

async function measureLookups(
  store: TraceStore,
  { context, ids }: { readonly context: Context; readonly ids: readonly string[] },
) {
  if (!context.options.parts.includes("lookup")) return { found: undefined, absent: undefined };
  // Of the same times, so that they are looked for in the same places.
  const others = ids.map((id) => `${id.slice(0, -4)}${id.endsWith("ZZZZ") ? "0000" : "ZZZZ"}`);
  const [present, absent] = [shuffled(ids), shuffled(others)];
  await timeLookups(store, { ids: present.slice(0, 20), present: "present" });
  return {
    found: await timeLookups(store, { ids: present, present: "present" }),
    absent: await timeLookups(store, { ids: absent, present: "absent" }),
  };
}

/** In an order that has nothing to do with time, the same every run. */
function shuffled(ids: readonly string[]): string[] {
  return ids.toSorted((a, b) => (a.slice(-8) < b.slice(-8) ? -1 : 1));
}
