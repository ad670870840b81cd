/**
 * How fast are traces stored and found, and at what cost? Rows appended per second by the recorder, over the whole run
 * and in the slowest 10 s; pages with filters and exact totals, deep pages, text searches, single traces; the effect on
 * a gateway's other requests; disk and memory.
 *
 * Rows are synthetic, realistic and the same for the same seed. For reference, the same run measures the bare DuckDB
 * library, and the disk's time for a durable write of 4 kB. A wrong total ends the run. Linux only.
 *
 * `npm run bench:traces -- --rows 1000000,10000000`; the cost of a crash is measured by `crash.ts`.
 */
import { rm } from "node:fs/promises";
import { describeEnvironment, type Environment, environmentLine } from "../environment.js";
import { formatValue } from "../report/legible.js";
import { goalText, markdownTable } from "../report/markdown.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median, quantile } from "../report/statistics.js";
import { appendChart, storeFigures } from "./append-figures.js";
import { BareDuckDb } from "./bare-duckdb.js";
import { REFERENCE_MS } from "./figure-at.js";
import { gatewayFigures } from "./gateway-figures.js";
import { fsyncTimes } from "./machine.js";
import { DAYS, MadeUpTraces, shareTexts } from "./made-up-traces.js";
import { measureSize, type SizeResult } from "./measure-size.js";
import { type Options, parseOptions, TRACES_USAGE } from "./options.js";
import { searchChart, searchFigures } from "./search-figures.js";
import { temporaryFolder } from "./temporary-folder.js";

/** Rows that the bare library is given, again and again. */
const SAMPLE = 20_480;

const NOTES = [
  `Rows of ${DAYS} days: 40 models, 12 providers, 20 sources, 500 tenants, all by Zipf's law; 70 % chat, 20 % router, 10 % ` +
    "completion; 95 % success, 3 % error, 2 % timeout of what is not routing; up to four metadata keys; every third row has a decision of 4 to 12 candidates.",
  "Prompts have 400 characters in the median, answers 600, log-normal, one in a thousand some 30,000; routing has no answer.",
  "Rates are of the closed loop of the recorder: the next group is handed over when the last one is stored. Rows are made before, in laps.",
];

function diskFigures(times: readonly number[]): Figure[] {
  return [
    { id: "traces/disk/fsync/p50", label: "4 kB made last, p50", value: median(times), ...REFERENCE_MS },
    {
      id: "traces/disk/fsync/p99",
      label: "4 kB made last, p99",
      value: quantile(times, 0.99),
      ...REFERENCE_MS,
    },
  ];
}

function printed(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.label,
    formatValue(figure.value, figure.unit),
    goalText(figure),
    figure.note ?? "",
  ]);
  return markdownTable(["", "value", "goal", ""], rows);
}

async function measure(options: Options, folder: string) {
  const figures = diskFigures(await fsyncTimes(folder));
  console.log(`\n### The disk\n\n${printed(figures)}`);
  const texts = shareTexts();
  const sample = new MadeUpTraces({ seed: options.seed + 1, rows: SAMPLE, texts }).take(SAMPLE);
  const bare = await BareDuckDb.open(folder, sample);
  const results: SizeResult[] = [];
  for (const rows of options.rows) {
    const result = await measureSize(rows, { options, folder, texts, bare });
    results.push(result);
    const found = [...storeFigures(result), ...searchFigures(result), ...gatewayFigures(result)];
    console.log(`\n### ${rows} rows, ${options.store}\n\n${printed(found)}`);
    figures.push(...found);
  }
  bare.close();
  const charts = [appendChart(results), searchChart(results)].filter((chart) => chart !== undefined);
  return { figures, charts };
}

async function measureSizes(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(TRACES_USAGE);
  const options = parseOptions(args);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const folder = await temporaryFolder("sextant-bench-traces-");
  try {
    const result: BenchmarkResult = {
      version: RESULT_VERSION,
      suite: "traces",
      question: "How fast are traces kept and found, and what does it take?",
      command: ["npm run bench:traces --", ...args.map(withoutSecrets)].join(" "),
      environment,
      datasets: [],
      seeds: [options.seed],
      ...(await measure(options, folder)),
      notes: [`Store: ${options.store}.`, ...NOTES, ...warningsOf(environment)],
    };
    console.log(`\nwritten to ${await writeResult(result)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function warningsOf({ load, cores }: Environment): string[] {
  return load > cores
    ? [`The load was ${load} on ${cores} cores: times are worthless, ratios hold roughly.`]
    : [];
}

/** An address may hold a password. */
function withoutSecrets(text: string): string {
  return text.includes("://") ? "<url>" : text;
}

await measureSizes(process.argv.slice(2));
