import type { Profiler } from "node:inspector";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Of a source file: the line of each function → whether it was called. Functions on one line count as one. */
export type FileFunctions = Readonly<Record<string, boolean>>;
/** By path. */
export type ReachedFunctions = Readonly<Record<string, FileFunctions>>;

export interface MeasuredScript {
  readonly coverage: Profiler.ScriptCoverage;
  readonly sourceMap: SourceMapPayload;
  /** Lengths of the lines of the script, without their ends. */
  readonly lineLengths: readonly number[];
}

/** What V8 counted of a script, by the places in its sources. */
export function reachedFunctions({ coverage, sourceMap, lineLengths }: MeasuredScript): ReachedFunctions {
  const folder = dirname(fileURLToPath(coverage.url));
  const map = new SourceMap(sourceMap);
  const found: Record<string, Record<string, boolean>> = {};
  for (const { ranges } of coverage.functions) {
    const [whole] = ranges;
    // The module itself, which was called if it was loaded.
    if (whole === undefined || whole.startOffset === 0) continue;
    const entry = map.findEntry(...positionOf(whole.startOffset, lineLengths));
    if (!("originalSource" in entry) || entry.originalSource === undefined) continue;
    const file = resolve(folder, entry.originalSource.replace(/^file:\/\//, ""));
    const functions = found[file] ?? {};
    found[file] = functions;
    const line = String(entry.originalLine + 1);
    functions[line] = functions[line] === true || whole.count > 0;
  }
  return found;
}

/** Line and column, from 0. */
function positionOf(offset: number, lineLengths: readonly number[]): [number, number] {
  let start = 0;
  for (const [line, length] of lineLengths.entries()) {
    if (offset <= start + length) return [line, offset - start];
    start += length + 1;
  }
  return [lineLengths.length, 0];
}

/** Of several processes: a function was reached when any of them called it. */
export function merged(all: readonly ReachedFunctions[]): ReachedFunctions {
  const sum: Record<string, Record<string, boolean>> = {};
  for (const [file, functions] of all.flatMap((one) => Object.entries(one))) {
    const known = sum[file] ?? {};
    sum[file] = known;
    for (const [line, isReached] of Object.entries(functions))
      known[line] = known[line] === true || isReached;
  }
  return sum;
}
