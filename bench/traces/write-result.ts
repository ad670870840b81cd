import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BenchmarkResult, benchmarkResult } from "../report/result.js";

/** Run from the root of the package, as `npm run` does. */
const RESULTS = join("bench", "results");

/** Writes `bench/results/<suite>-<date>.json`. @returns the path @throws ZodError when the result has not its form */
export async function writeResult(result: BenchmarkResult): Promise<string> {
  await mkdir(RESULTS, { recursive: true });
  const date = result.environment.date.slice(0, 19).replaceAll(":", "").replace("T", "-");
  const path = join(RESULTS, `${result.suite}-${date}.json`);
  await writeFile(path, `${JSON.stringify(benchmarkResult.parse(result), null, 2)}\n`);
  return path;
}
