/**
 * How fast are traces stored and found in a file of DuckDB, and at what cost? Rows appended a second by the gateway's recorder; first
 * pages with filters and exact totals, deep pages, text searches, single traces; bytes on disk.
 *
 * Rows are synthetic, realistic and the same for the same seed. Linux only.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { TraceStore } from "../../src/gateway/traces/store.js";
import { describeEnvironment, environmentLine } from "../environment.js";
import { wholeNumber } from "../options.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median } from "../report/statistics.js";
import { temporaryFolder } from "../temporary-folder.js";
import { appendRows } from "./append.js";
import { folderBytes, openStore } from "./bench-store.js";
import { DAYS, MadeUpTraces, type SharedTexts, shareTexts } from "./made-up-traces.js";
import { timeLookups, timeSearches } from "./search-times.js";
import { SEARCHES } from "./searches.js";
import { Tally } from "./tally.js";

const USAGE = `npm run bench -- traces [options]

  --rows <n,…>   traces in the store (default 1000000)
  --seed <n>     of the made-up traces (default 1)
  --rounds <n>   times that each search is repeated (default 30)
  --small        --rows 50000 --rounds 5`;

/** Ids that are looked up. */
const LOOKUPS = 300;
/** Searches that read texts take long, and are asked that many times. */
const TEXT_ROUNDS = 3;
/** Rows that are made up only to know what that costs. */
const TRIAL_ROWS = 20_000;

interface Options {
  readonly seed: number;
  readonly rounds: number;
  readonly texts: SharedTexts;
}

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: "string", default: "1000000" },
      seed: { type: "string", default: "1" },
      rounds: { type: "string", default: "30" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const sizes = values.rows.split(",").map((text) => wholeNumber("--rows", { text, least: 1 }));
  const seed = wholeNumber("--seed", { text: values.seed, least: 0 });
  const rounds = wholeNumber("--rounds", { text: values.rounds, least: 1 });
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const folder = await temporaryFolder("sextant-bench-traces-");
  const figures: Figure[] = [];
  try {
    const texts = shareTexts();
    for (const rows of sizes) {
      const dataDir = join(folder, `rows-${rows}`);
      await mkdir(dataDir);
      figures.push(...(await measure(dataDir, rows, { seed, rounds, texts })));
      await rm(dataDir, { recursive: true });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const result: BenchmarkResult = {
    version: RESULT_VERSION,
    suite: "traces",
    question: "How fast are traces stored and found, and what does it take?",
    command: ["npm run bench -- traces", ...args].join(" "),
    environment,
    datasets: [],
    seeds: [seed],
    figures,
    notes: [
      `Rows of ${DAYS} days: 40 models, 12 providers, 20 sources, 500 tenants, by Zipf's law; a third has a decision of 4 to 12 candidates.`,
      "Prompts have 400 characters in the median, answers 600, log-normal; decisions alone have no answer.",
      "Appending is the recorder's closed loop: the next group is handed over when the last one is stored. Rows are made before, in laps.",
    ],
  };
  console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
}

async function measure(dataDir: string, rows: number, options: Options): Promise<Figure[]> {
  const tally = new Tally({ rows, ids: LOOKUPS });
  const named = (path: string, figure: Omit<Figure, "id">): Figure => ({
    id: `traces/${rows}/${path}`,
    ...figure,
    label: `${rows.toLocaleString("en-US")} rows: ${figure.label}`,
  });
  const appended = await measureAppend(dataDir, rows, { ...options, tally });
  const searched = await measureSearches(dataDir, { tally, rounds: options.rounds });
  return [...appended, ...searched].map(([path, figure]) => named(path, figure));
}

type Named = readonly [path: string, figure: Omit<Figure, "id">];

const lowerMs = { unit: "ms", better: "lower" } as const;

async function measureAppend(
  dataDir: string,
  rows: number,
  { seed, texts, tally }: Options & { readonly tally: Tally },
): Promise<Named[]> {
  const trial = new MadeUpTraces({ seed, rows: TRIAL_ROWS, texts });
  const trialTally = new Tally({ rows: TRIAL_ROWS, ids: 1 });
  const making = await processorUs(async () => {
    for (let made = 0; made < TRIAL_ROWS; made++) trialTally.add(trial.next());
  });
  const open = openStore(dataDir);
  const progress = showProgress(`appending ${rows} rows`, rows);
  let written = 0;
  const appending = await processorUs(async () => {
    const ms = await appendRows(open, new MadeUpTraces({ seed, rows, texts }), {
      rows,
      folder: dataDir,
      content: "stored",
      onRecorded: (trace) => tally.add(trace),
      onWritten: (count) => {
        written += count;
        progress.update(written);
      },
    });
    await open.close();
    return ms;
  });
  progress.stop();
  const rate = (1000 * rows) / appending.result;
  return [
    ["append/rate", { label: "appended a second", value: rate, unit: "per_s", better: "higher" }],
    [
      "append/cpu",
      {
        label: "processor time of a row, closing included",
        value: appending.us / rows - making.us / TRIAL_ROWS,
        unit: "us",
        better: "lower",
      },
    ],
    [
      "disk/row",
      {
        label: "bytes of a row on disk",
        value: (await folderBytes(dataDir)) / rows,
        unit: "bytes",
        better: "lower",
        note: `${Math.round(tally.contentBytes)} bytes of text`,
      },
    ],
  ];
}

async function processorUs<Result>(task: () => Promise<Result>): Promise<{ us: number; result: Result }> {
  const before = process.cpuUsage();
  const result = await task();
  const { user, system } = process.cpuUsage(before);
  return { us: user + system, result };
}

async function measureSearches(
  dataDir: string,
  { tally, rounds }: { readonly tally: Tally; readonly rounds: number },
): Promise<Named[]> {
  const started = performance.now();
  const open = openStore(dataDir);
  try {
    await open.ask("list", { filter: {}, page: { limit: 1, offset: 0 } }, { scope: "all" });
    const openMs = performance.now() - started;
    const timed = [
      ...(await timesOf(open, { rounds, texts: false })),
      ...(await timesOf(open, { rounds: TEXT_ROUNDS, texts: true })),
    ];
    const filtered = SEARCHES.filter(({ group, name }) => group === "pages" && name !== "none");
    const all = filtered.flatMap(({ name }) => timed.find(([known]) => known === name)?.[1] ?? []);
    const ids = tally.ids.toSorted((a, b) => (a.slice(-8) < b.slice(-8) ? -1 : 1));
    const lookups = [
      ["one trace by its id", await timeLookups(open, { ids, present: "present" })],
      ["an id that there is not", await timeLookups(open, { ids: ids.map(absentId), present: "absent" })],
    ] as const;
    return [
      ["open", { label: "opening the store, to the first answer", value: openMs, ...lowerMs }],
      ["search/filtered", { label: "first page with filters, p50", value: median(all), ...lowerMs }],
      ...timed.map(([name, times]): Named => [`search/${name}`, searchFigure(name, times)]),
      ...lookups.map(
        ([label, times], index): Named => [
          index === 0 ? "lookup/present" : "lookup/absent",
          { label: `${label}, p50`, value: median(times), ...lowerMs },
        ],
      ),
    ];
  } finally {
    await open.close();
  }
}

async function timesOf(
  open: TraceStore,
  { rounds, texts }: { readonly rounds: number; readonly texts: boolean },
): Promise<(readonly [name: string, times: readonly number[]])[]> {
  const progress = showProgress(texts ? "searching texts" : "searching", rounds);
  const times = await timeSearches(open, {
    cases: SEARCHES.filter(({ group }) => (group === "texts") === texts),
    rounds,
    onRound: (done) => progress.update(done),
  });
  progress.stop();
  return [...times];
}

function searchFigure(name: string, times: readonly number[]): Omit<Figure, "id"> {
  const p50 = median(times);
  const label = `page, ${name}, p50`;
  return Number.isFinite(p50)
    ? { label, value: p50, samples: times.filter(Number.isFinite), ...lowerMs }
    : { label, value: null, note: "given up: it took too long", ...lowerMs };
}

/** An absent id with the same time, so that the same part of the store is searched. */
const absentId = (id: string): string => `${id.slice(0, -4)}${id.endsWith("ZZZZ") ? "0000" : "ZZZZ"}`;

await main(process.argv.slice(2));
