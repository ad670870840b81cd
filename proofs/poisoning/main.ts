/**
 * How far can wrong outcomes move decisions and spend? Writes `bench/results/poisoning-<date>.json`.
 * `npm run proof -- poisoning --help` lists the options.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeCommand, wholeNumber } from "../../bench/current/options.js";
import { describeEnvironment } from "../../bench/environment.js";
import { figureOf } from "../../bench/evidence/figure.js";
import { loadSparseSet, modelsOf, type SparseSet, takePrompts } from "../../bench/evidence/sparse-set.js";
import { findSetFolders } from "../../bench/quality/options.js";
import { sampleByHash } from "../../bench/quality/outcomes/split.js";
import { rememberVectors } from "../../bench/quality/shipped/remember-vectors.js";
import { markdownTable, renderMarkdown } from "../../bench/report/markdown.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { mean } from "../../bench/report/statistics.js";
import { openStaticEmbedder } from "../../src/engine/embedding/static/static-embedder.js";
import { measurePoisoning, type PoisonFinding } from "./measure.js";

const USAGE = `npm run proof -- poisoning [options]

  --data DIR            outcome sets in the canonical layout (default datasets/sample)
  --set NAME            only this set of --data; may be repeated
  --prompts-per-set N   at most N prompts of each set, by hash
  --draws 3             random draws of the wrong outcomes`;

const SHARES = [0.01, 0.02, 0.05, 0.1, 0.2];
const COST_WEIGHTS = [0, 0.5];
const QUESTION = "How far can wrong outcomes of one model move decisions and spend?";
const EMBEDDER = join("models", "sextant-static-v1");

async function run(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string", default: join("datasets", "sample") },
      set: { type: "string", multiple: true },
      "prompts-per-set": { type: "string" },
      draws: { type: "string", default: "3" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const most = values["prompts-per-set"];
  const draws = wholeNumber("--draws", { text: values.draws, least: 1 });
  const environment = describeEnvironment(new Date());
  const embedder = rememberVectors(await openStaticEmbedder(EMBEDDER));
  const measured: { readonly set: SparseSet; readonly findings: readonly PoisonFinding[] }[] = [];
  for (const source of await findSetFolders(values.data, values.set)) {
    if (!("folder" in source)) continue;
    const all = await loadSparseSet(source);
    const count =
      most === undefined ? all.prompts.length : wholeNumber("--prompts-per-set", { text: most, least: 20 });
    const set = takePrompts(
      all,
      sampleByHash(all.prompts, Math.min(count, all.prompts.length), "sextant-poisoning"),
    );
    const findings = await measurePoisoning(set, {
      ...{ embedder, shares: SHARES, costWeights: hasCosts(set) ? COST_WEIGHTS : [0] },
      seeds: Array.from({ length: draws }, (_, seed) => seed),
      onStep: (what) => console.error(`  ${what}`),
    });
    measured.push({ set, findings });
  }
  await embedder.close();
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "poisoning", question: QUESTION, environment, charts: [] },
    command: describeCommand("poisoning", argv),
    seeds: Array.from({ length: draws }, (_, seed) => seed),
    datasets: measured.map(({ set }) => ({
      ...{ name: set.name, sha256: set.sha256, prompts: set.prompts.length, models: modelsOf(set).length },
    })),
    figures: measured.flatMap(({ set, findings }) => figuresOf(set.name, findings)),
    notes: [
      "Profiles are built from 70 % of the prompts with default parameters, clean and poisoned; the other 30 % are routed by both. Costs are those that the clean profiles expect; quality is that of the recorded answers.",
    ],
  };
  const path = await writeResult(result);
  console.log(renderMarkdown({ ...result, figures: [] }));
  for (const { set, findings } of measured) console.log(`\n${set.name}:\n\n${tableOf(findings)}`);
  console.error(`Figures written to ${path}`);
}

/** Whether two models or more have recorded costs, without which a cost weight means nothing. */
const hasCosts = ({ cells }: SparseSet): boolean =>
  new Set(cells.flatMap(({ model, costUsd }) => (costUsd === null ? [] : [model]))).size > 1;

interface Group {
  readonly first: PoisonFinding;
  readonly findings: readonly PoisonFinding[];
}

/** The draws of one attack, share and cost weight, together. */
function groupsOf(findings: readonly PoisonFinding[]): Group[] {
  const groups = groupBy(
    findings,
    ({ poisoning, share, costWeight }) => `${poisoning.id} ${share} ${costWeight}`,
  );
  return [...groups.values()].map((group) => ({ first: group[0] as PoisonFinding, findings: group }));
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

function figuresOf(set: string, findings: readonly PoisonFinding[]): Figure[] {
  return groupsOf(findings).flatMap(({ first: { poisoning, share, costWeight }, findings: draws }) => {
    const path = (what: string): string =>
      `poisoning/${set}/weight_${costWeight}/${poisoning.id}/${share}/${what}`;
    const label = `${set}, cost weight ${costWeight}, ${poisoning.label}, ${100 * share} %`;
    const missing = "not known for these models";
    const samplesOf = (read: (finding: PoisonFinding) => number) => draws.map(read).filter(Number.isFinite);
    const figure = (
      what: string,
      read: (finding: PoisonFinding) => number,
      facts: Pick<Figure, "unit" | "better"> & { readonly name: string },
    ): Figure => {
      const { name, ...rest } = facts;
      const samples = samplesOf(read);
      return {
        ...figureOf({ ...rest, id: path(what), label: `${label}: ${name}`, value: mean(samples), missing }),
        ...(samples.length > 0 ? { samples } : {}),
      };
    };
    return [
      figure("changed", ({ changed }) => changed, {
        name: "decisions changed",
        unit: "share",
        better: "lower",
      }),
      figure("inflation", ({ inflation }) => inflation, {
        ...{ name: "inflation of spend", unit: "share", better: "lower" },
      }),
      figure("quality", ({ quality }) => 100 * quality, {
        ...{ name: "change of quality", unit: "points", better: "higher" },
      }),
    ];
  });
}

/** A row an attack and cost weight, a column a share: decisions changed; spend; quality in points. */
function tableOf(findings: readonly PoisonFinding[]): string {
  const groups = groupsOf(findings);
  const rows = groupBy(groups, ({ first }) => `${first.poisoning.label}, weight ${first.costWeight}`);
  return markdownTable(
    ["wrong outcomes", ...SHARES.map((share) => `${100 * share} %`)],
    [...rows].map(([label, cells]) => [label, ...cells.map(({ findings: draws }) => cellOf(draws))]),
  );
}

function cellOf(draws: readonly PoisonFinding[]): string {
  const average = (read: (finding: PoisonFinding) => number): number => mean(draws.map(read));
  const signed = (value: number): string =>
    Number.isNaN(value) ? "–" : `${value > 0 ? "+" : ""}${value.toFixed(1)}`.replace("-", "−");
  const changed = (100 * average(({ changed }) => changed)).toFixed(0);
  return `${changed} %; ${signed(100 * average(({ inflation }) => inflation))} %; ${signed(100 * average(({ quality }) => quality))}`;
}

await run(process.argv.slice(2));
