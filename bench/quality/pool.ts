/**
 * Does what one split shows hold over several? Pools the result files of `npm run bench:quality`, one per split seed.
 *
 * `npm run bench:quality:pool -- bench/results/accuracy-seed*.json`
 *
 * A prompt that is tested in several splits counts once, with the mean of its differences, so that the interval (a
 * bootstrap over prompts) does not take repeated looks at a prompt for more prompts.
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { seededRandom } from "../../src/profiles/build/random.js";
import { drawResamples, type Interval, pairedInterval, weightedMean } from "./bootstrap.js";
import { OURS, type SetReport } from "./measure-set.js";

const RESAMPLES = 2000;

interface PooledRow {
  readonly set: string;
  readonly against: string;
  readonly prompts: number;
  /** Mean quality of ours over the splits. */
  readonly ours: number;
  readonly difference: Interval;
}

/** Ours minus one method, per prompt, as the mean over the splits that test it. */
function pooledDifferences(reports: readonly SetReport[], against: string): Float64Array {
  const sums = new Map<string, { total: number; splits: number }>();
  for (const report of reports) {
    const ours = report.methods.find(({ name }) => name === OURS)?.reached ?? [];
    const theirs = report.methods.find(({ name }) => name === against)?.reached ?? [];
    report.testPromptIds.forEach((id, place) => {
      const sum = sums.get(id) ?? { total: 0, splits: 0 };
      sum.total += (ours[place] ?? Number.NaN) - (theirs[place] ?? Number.NaN);
      sum.splits += 1;
      sums.set(id, sum);
    });
  }
  return Float64Array.from(sums.values(), ({ total, splits }) => total / splits);
}

function poolSet(reports: readonly SetReport[]): PooledRow[] {
  const [first] = reports;
  if (first === undefined) return [];
  const qualities = reports.map(
    ({ methods }) => methods.find(({ name }) => name === OURS)?.quality ?? Number.NaN,
  );
  const ours = qualities.reduce((sum, quality) => sum + quality, 0) / qualities.length;
  return first.methods
    .filter(({ name }) => name !== OURS)
    .map(({ name }) => {
      const differences = pooledDifferences(reports, name);
      const resamples = drawResamples(differences.length, { resamples: RESAMPLES, random: seededRandom(0) });
      const difference = pairedInterval(resamples, (weights) => weightedMean(differences, weights));
      return { set: first.name, against: name, prompts: differences.length, ours, difference };
    });
}

function render(rows: readonly PooledRow[], splits: number): string {
  const sign = (value: number) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
  const lines = rows.map(({ set, against, prompts, ours, difference: { difference, low, high } }) => {
    const text = `${sign(difference)} [${sign(low)}, ${sign(high)}]`;
    const cells = [set, prompts, ours.toFixed(4), against, low > 0 || high < 0 ? `**${text}**` : text];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    `${splits} splits; bold where the 95 % interval over prompts excludes 0.`,
    "",
    "| set | prompts tested | ours | against | ours minus that |",
    "| --- | ---: | ---: | --- | ---: |",
    ...lines,
  ].join("\n");
}

const { positionals } = parseArgs({ allowPositionals: true });
if (positionals.length < 2) throw new Error("name at least two result files of npm run bench:quality");
const files = await Promise.all(
  positionals.map(async (path) => JSON.parse(await readFile(path, "utf8")) as { sets: SetReport[] }),
);
const names = files[0]?.sets.map(({ name }) => name) ?? [];
const rows = names.flatMap((name) =>
  poolSet(files.flatMap(({ sets }) => sets.filter((set) => set.name === name))),
);
console.log(render(rows, files.length));
