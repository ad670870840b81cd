/**
 * How fast are traces kept and found? Rows appended a second by the recorder, whole run and slowest 10 s; pages with
 * filters and exact totals, deep pages, searches for texts, single traces; what it takes of disk and memory.
 *
 * Rows are made up, realistic and the same for the same seed. Beside all times stand those of the bare DuckDB library in the
 * same run, and the disk's time to make 4 kB last. Worthless when a total is wrong, which ends the run. Linux only.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeEnvironment, environmentLine } from "../environment.js";
import type { BenchmarkResult, Figure } from "../report/result.js";
import { RESULT_VERSION } from "../report/result.js";
import { markdownTable } from "../report.js";
import { BareDuckDb } from "./bare-duckdb.js";
import { chartsOf, figuresOf } from "./figures.js";
import { fsyncTimes } from "./machine.js";
import { shareTexts } from "./made-up-traces.js";
import { measureSize, type SizeResult } from "./measure-size.js";
import { parseOptions } from "./options.js";
import { percentile } from "./statistics.js";
import { writeResult } from "./write-result.js";

const options = parseOptions(process.argv.slice(2));
const environment = describeEnvironment(new Date());
console.log(environmentLine(environment));
const folder = await mkdtemp(join(process.env.BENCH_FOLDER ?? tmpdir(), "sextant-bench-traces-"));
process.once("SIGINT", () => process.exit(130));

const shown = ({ value, unit }: Figure): string => {
  if (value === null) return "–";
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const units: Partial<Record<Figure["unit"], string>> = { per_s: " /s", mb: " MB", ratio: "", us: " µs" };
  return `${value.toFixed(digits)}${units[unit] ?? ` ${unit}`}`;
};

function verdictOf({ value, goal, better }: Figure): string {
  if (goal === undefined || value === null) return "";
  return (better === "lower" ? value <= goal : value >= goal) ? "reached" : "MISSED";
}

function printed(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.label,
    shown(figure),
    figure.goal === undefined ? "" : shown({ ...figure, value: figure.goal }),
    verdictOf(figure),
  ]);
  return markdownTable(["", "", "goal", ""], rows);
}

function diskFigures(times: readonly number[]): Figure[] {
  const time = { unit: "ms", better: "neither" } as const;
  return [
    { id: "traces/disk/fsync/p50", label: "4 kB made last, p50", value: percentile(times, 0.5), ...time },
    { id: "traces/disk/fsync/p99", label: "4 kB made last, p99", value: percentile(times, 0.99), ...time },
  ];
}

try {
  const figures = diskFigures(await fsyncTimes(folder));
  console.log(`\n### The disk\n\n${printed(figures)}`);
  const texts = shareTexts();
  const bare = await BareDuckDb.open(folder);
  const results: SizeResult[] = [];
  for (const rows of options.rows) {
    const result = await measureSize(rows, { options, folder, texts }, bare);
    results.push(result);
    const found = figuresOf(result);
    figures.push(...found);
    console.log(`\n### ${rows} rows, ${options.store}\n\n${printed(found)}`);
  }
  await bare.remove();
  const result: BenchmarkResult = {
    version: RESULT_VERSION,
    suite: "traces",
    question: "How fast are traces kept and found, and what does it take?",
    command: `bench:traces ${process.argv.slice(2).join(" ")}`.trim(),
    environment,
    datasets: [],
    seeds: [options.seed],
    figures,
    charts: chartsOf(results),
    notes: [],
  };
  console.log(`\nwritten to ${await writeResult(result)}`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
