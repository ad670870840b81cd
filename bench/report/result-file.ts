import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type BenchmarkResult, benchmarkResult, RESULT_VERSION } from "./result.js";

/** Folder of the results, which are not committed. Relative to the package's root, where `npm run` starts the suites. */
export const RESULTS_FOLDER = join("bench", "results");

/** A file that is not a result of this version; the message names the file, the fault and the remedy. */
export class ResultFileError extends Error {
  override readonly name = "ResultFileError";
}

/**
 * Writes `<folder>/<suite>-<date>.json`, having checked it.
 *
 * @returns the path of the file
 * @throws ResultFileError when the result breaks the schema, or two of its figures have one id
 */
export async function writeResult(result: BenchmarkResult, folder: string = RESULTS_FOLDER): Promise<string> {
  const name = `${result.suite}-${fileDate(result.environment.date)}.json`;
  const checked = parseResult(result, name);
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  await writeFile(path, `${JSON.stringify(checked, null, 2)}\n`);
  return path;
}

/** @throws ResultFileError when it cannot be read, is of another version, or breaks the schema */
export async function readResult(path: string): Promise<BenchmarkResult> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new ResultFileError(
      `${path} cannot be read as JSON. Name a file that a benchmark wrote to ${RESULTS_FOLDER}.`,
      {
        cause,
      },
    );
  }
  return parseResult(json, path);
}

function parseResult(json: unknown, name: string): BenchmarkResult {
  const version = (json as { version?: unknown } | null)?.version;
  if (version !== RESULT_VERSION) {
    throw new ResultFileError(
      `${name} is of version ${JSON.stringify(version) ?? "none"}; this one reads ${RESULT_VERSION}. Measure again.`,
    );
  }
  const parsed = benchmarkResult.safeParse(json);
  if (!parsed.success)
    throw new ResultFileError(`${name} is no benchmark result: ${z.prettifyError(parsed.error)}`);
  const ids = parsed.data.figures.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new ResultFileError(`${name} has two figures with the id ${twice}.`);
  return parsed.data;
}

/** `2026-11-21T13:50:26.123Z` → `20261121T135026`, which sorts by time. */
function fileDate(date: string): string {
  return date.slice(0, 19).replaceAll(/[-:]/g, "");
}
