import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "./environment.js";

/** What a benchmark found, as `bench/results/<name>.json` (not committed) holds it. */
export interface BenchmarkReport {
  readonly name: string;
  /** The question the figures answer. */
  readonly question: string;
  readonly environment: Environment;
  readonly rows: readonly Readonly<Record<string, string | number | boolean | null>>[];
}

/** Run from the root of the package, as `npm run` does. */
const RESULTS = join("bench", "results");

/** @returns the path of the file */
export async function writeReport(report: BenchmarkReport): Promise<string> {
  await mkdir(RESULTS, { recursive: true });
  const path = join(RESULTS, `${report.name}.json`);
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
  return path;
}

/** A Markdown table: one line a row, one column a cell; columns after the first are aligned right. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, column) => (column === 0 ? "---" : "---:"));
  return [line(header), line(rule), ...rows.map(line)].join("\n");
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}
