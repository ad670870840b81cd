import { relative } from "node:path";
import type { FileFunctions, ReachedFunctions } from "./reached-functions.js";

interface Share {
  readonly reached: number;
  readonly all: number;
}

/** A line for each folder of `src`, one for each of its files, and one for all. Paths are relative to the root. */
export function coverageReport(functions: ReachedFunctions, root: string): string {
  const files = Object.entries(functions)
    .map(([path, ofFile]) => ({ path: relative(root, path), share: shareOf(ofFile) }))
    .filter(({ path }) => path.startsWith("src/"))
    .sort((left, right) => (left.path < right.path ? -1 : 1));
  const folders = new Map<string, Share[]>();
  for (const { path, share } of files) {
    const folder = path.split("/").slice(0, 2).join("/");
    folders.set(folder, [...(folders.get(folder) ?? []), share]);
  }
  return [
    ...files.map(({ path, share }) => line(path, share)),
    "",
    ...[...folders].map(([folder, shares]) => line(folder, sumOf(shares))),
    "",
    line("functions called by the fuzz tests", sumOf(files.map(({ share }) => share))),
  ].join("\n");
}

const shareOf = (functions: FileFunctions): Share => {
  const lines = Object.values(functions);
  return { reached: lines.filter((isReached) => isReached).length, all: lines.length };
};

const sumOf = (shares: readonly Share[]): Share => ({
  reached: shares.reduce((sum, { reached }) => sum + reached, 0),
  all: shares.reduce((sum, { all }) => sum + all, 0),
});

const line = (name: string, { reached, all }: Share): string =>
  `${name.padEnd(70)} ${`${reached} of ${all}`.padStart(12)} ${`${((100 * reached) / Math.max(1, all)).toFixed(1)} %`.padStart(8)}`;
