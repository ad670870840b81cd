/**
 * Does an agent gain when a better model takes over after failed results of its tools? Writes `bench/results/agents-<date>.json`.
 * `npm run bench -- agents --help` lists the options.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openEmbedder } from "../../src/engine/embedding/open-embedder.js";
import type { RowFilter } from "../../src/workbench/outcomes/row-filter.js";
import { describeEnvironment } from "../environment.js";
import { loadSparseSet, modelsOf } from "../evidence/sparse-set.js";
import { describeCommand, wholeNumber } from "../options.js";
import { SHIPPED_EMBEDDER } from "../quality/options.js";
import { rememberVectors } from "../quality/shipped/remember-vectors.js";
import { formatValue } from "../report/format.js";
import { markdownTable } from "../report/markdown.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { figuresOf, MEASURES } from "./figures.js";
import { LOOP, type LoopModel } from "./loop.js";
import { type PlayOptions, type Policy, playOften, type Task } from "./play.js";
import { atMeanDollars, tasksOf } from "./tasks.js";

const USAGE = `npm run bench -- agents --data DIR [options]

  --data DIR           holds routing-current/openhands_index and routing-current/bc_bench
  --better-weight 0    cost weight at which the model that takes over is chosen
  --runs 50            of each task
  --seed 0             of the folds, the builds and the runs`;

const COST_WEIGHTS = [0.15, 0.2, 0.5];

/** What is compared, and how it is played; without `model`, as `LOOP`. */
interface Row {
  readonly label: string;
  readonly policy: Policy;
  readonly model?: Partial<LoopModel>;
  readonly work?: PlayOptions["work"];
}

const after = (failed: number, what = "", changed: Pick<Row, "model" | "work"> = {}): Row => ({
  ...{ policy: failed, label: `after ${failed} failed results${what}`, ...changed },
});

const ROWS: readonly Row[] = [
  { policy: "never", label: "never" },
  ...[2, 3, 4, 6].map((failed) => after(failed)),
  { policy: "always", label: "the better model from the beginning" },
  { policy: "oracle", label: "oracle" },
  after(4, ", failures half as telling", { model: { failing: { count: 2.4, recovered: 0.84 } } }),
  after(4, ", failures that tell nothing", { model: { failing: LOOP.solving } }),
  after(4, ", lasting errors fail half of the steps", { model: { while: { recovered: 0.3, lasting: 0.5 } } }),
  after(4, ", lasting errors fail 95 % of the steps", {
    model: { while: { recovered: 0.3, lasting: 0.95 } },
  }),
  after(4, ", recovery takes twice as many steps", { model: { while: { recovered: 0.65, lasting: 0.8 } } }),
  after(4, ", 20 steps", { model: { steps: 20 } }),
  after(4, ", 80 steps", { model: { steps: 80 } }),
  after(4, ", work begun anew", { work: "all" }),
];

interface AgentsOptions {
  readonly data: string;
  readonly betterWeight: number;
  readonly runs: number;
  readonly seed: number;
  readonly command: string;
}

/** @throws Error that names the flag, its value and the remedy */
function parseOptions(argv: readonly string[]): AgentsOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string" },
      "better-weight": { type: "string", default: "0" },
      runs: { type: "string", default: "50" },
      seed: { type: "string", default: "0" },
    },
  });
  const { data } = values;
  if (data === undefined)
    throw new Error(`--data is not given; name the folder with the outcomes.\n\n${USAGE}`);
  const betterWeight = Number(values["better-weight"]);
  if (!(betterWeight >= 0 && betterWeight <= 1))
    throw new Error(`--better-weight is "${values["better-weight"]}"; write a number from 0 to 1.`);
  return {
    ...{ data, betterWeight, command: describeCommand("agents", argv) },
    runs: wholeNumber("--runs", { text: values.runs, least: 1 }),
    seed: wholeNumber("--seed", { text: values.seed, least: 0 }),
  };
}

type Measured = Pick<Figure, "id"> & {
  readonly title: string;
  readonly rows: readonly (readonly Figure[])[];
};

function measured(
  set: string,
  tasks: readonly Task[],
  { costWeight, runs, seed }: Pick<AgentsOptions, "runs" | "seed"> & { readonly costWeight: number },
): Measured {
  const playAll = ({ policy, model, work = "left" }: Omit<Row, "label">) =>
    tasks.map((task, index) =>
      playOften(task, policy, {
        model: { ...LOOP, ...model },
        work,
        runs,
        seed: seed * tasks.length + index,
      }),
    );
  const [never, always] = [playAll({ policy: "never" }), playAll({ policy: "always" })];
  const id = `agents/${set}/at_${costWeight}`;
  const title = `${set}, ${tasks.length} tasks, cost weight ${costWeight}`;
  const rows = ROWS.map((row) => {
    const compared = playAll(row).flatMap((own, index) => {
      const [alone, better] = [never[index], always[index]];
      return alone && better ? [{ own, never: alone, always: better }] : [];
    });
    return figuresOf(compared, {
      path: `${id}/${row.label.replaceAll(" ", "_")}`,
      label: `${title}, ${row.label}`,
      costWeight,
    });
  });
  return { id, title, rows };
}

async function measureAgents(
  options: AgentsOptions,
): Promise<readonly [BenchmarkResult, readonly Measured[]]> {
  const environment = describeEnvironment(new Date());
  const load = (name: string, only?: RowFilter) =>
    loadSparseSet({ name, folder: join(options.data, "routing-current", name), ...(only && { only }) });
  const paid = await load("openhands_index");
  const sets = [paid, atMeanDollars(await load("bc_bench", { harness: ["GitHub Copilot"] }), paid)];
  const opened = await openEmbedder(SHIPPED_EMBEDDER, { cacheDir: "" });
  const all: Measured[] = [];
  try {
    const routing = { ...options, costWeights: COST_WEIGHTS, embedder: rememberVectors(opened) };
    for (const set of sets) {
      const byWeight = await tasksOf(set, routing);
      for (const [at, costWeight] of COST_WEIGHTS.entries())
        all.push(measured(set.name, byWeight[at] ?? [], { ...options, costWeight }));
    }
  } finally {
    await opened.close();
  }
  const result: BenchmarkResult = {
    version: RESULT_VERSION,
    suite: "agents",
    question: "Does an agent gain when a better model takes over after failed results of its tools?",
    ...{ command: options.command, environment, seeds: [options.seed] },
    datasets: sets.map((set) => ({
      ...{ name: set.name, sha256: set.sha256, prompts: set.prompts.length, models: modelsOf(set).length },
    })),
    figures: all.flatMap(({ rows }) => rows.flat()),
    notes: [
      "Whether a model solves a task, and its dollars, are recorded; which results of tools fail is a model (bench/agents/loop.ts). " +
        "bc_bench has no dollars: each model at its mean in openhands_index. Intervals draw tasks, not the loop's parameters.",
    ],
  };
  return [result, all];
}

function tableOf({ title, rows }: Measured): string {
  const cell = ({ value, interval, unit }: Figure): string => {
    const range = interval && ` [${formatValue(interval.low, unit)}, ${formatValue(interval.high, unit)}]`;
    return `${formatValue(value, unit)}${range ?? ""}`;
  };
  const header = [title, ...Object.values(MEASURES).map(({ what }) => what)];
  return markdownTable(
    header,
    rows.map((figures, at) => [ROWS[at]?.label ?? "", ...figures.map(cell)]),
  );
}

const argv = process.argv.slice(2);
if (argv.includes("--help")) console.log(USAGE);
else {
  const [result, all] = await measureAgents(parseOptions(argv));
  const path = await writeResult(result);
  console.log([...all.map(tableOf), ...result.notes].join("\n\n"));
  console.error(`Figures written to ${path}`);
}
