/**
 * How well do expected means rank and predict the models of 2025 and 2026? Writes `bench/results/current-<date>.json` and
 * prints the figures. `npm run bench -- current --help` lists the options.
 */
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import { openEmbedder } from "../../src/engine/embedding/open-embedder.js";
import { describeEnvironment } from "../environment.js";
import { type EvidenceData, loadEvidenceData } from "../evidence/evidence-data.js";
import { modelsOf } from "../evidence/sparse-set.js";
import { SHIPPED_EMBEDDER } from "../quality/options.js";
import { rememberVectors } from "../quality/shipped/remember-vectors.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { leftOutSetFigures } from "./left-out-set-figures.js";
import { type MeasureContext, measureHeldOutPrompts, measureLeftOutSets, SEED } from "./measure-sets.js";
import { CURRENT_USAGE, type CurrentOptions, PARTS, type Part, parseCurrentOptions } from "./options.js";
import { rankFigures } from "./rank-figures.js";

type Measure = (data: EvidenceData, context: MeasureContext) => Promise<Figure[]>;

const MEASURES: Readonly<Record<Part, Measure>> = {
  "held-out-prompts": async (data, context) =>
    rankFigures(await measureHeldOutPrompts(data, context), { id: "held_out", what: "held-out prompts" }),
  "left-out-sets": async (data, context) => {
    const found = await measureLeftOutSets(data, context);
    return [
      ...rankFigures(found, { id: "left_out", what: "sets left out whole" }),
      ...leftOutSetFigures(found),
    ];
  },
};

async function measureCurrent(
  options: CurrentOptions,
  { signal }: { readonly signal: AbortSignal },
): Promise<BenchmarkResult> {
  const environment = describeEnvironment(new Date());
  const data = await loadEvidenceData(options.data, options);
  const opened = await openEmbedder(SHIPPED_EMBEDDER, { cacheDir: "" });
  const embedder: Embedder = rememberVectors(opened);
  const bar = showProgress("Measuring current models", options.parts.length);
  const onStep = (step: string): void => {
    if (!process.stderr.isTTY && step !== last) console.error(`  ${step}`);
    last = step;
  };
  let last = "";
  const figures: Figure[] = [];
  try {
    for (const [done, part] of PARTS.filter((name) => options.parts.includes(name)).entries()) {
      bar.update(done);
      figures.push(...(await MEASURES[part](data, { embedder, signal, onStep })));
    }
  } finally {
    bar.stop();
    await opened.close();
  }
  return {
    version: RESULT_VERSION,
    suite: "current",
    question: "How well do expected means rank and predict the models of 2025 and 2026?",
    ...{ command: options.command, environment, seeds: [SEED], figures },
    datasets: [...data.old, ...data.current].map((set) => ({
      ...{ name: set.name, sha256: set.sha256, prompts: set.prompts.length, models: modelsOf(set).length },
    })),
    notes: notesOf(options),
  };
}

function notesOf({ promptsPerSet }: CurrentOptions): string[] {
  return [
    ...(promptsPerSet === undefined
      ? []
      : [`NOT FOR REPORTING: at most ${promptsPerSet} prompts of each set were taken.`]),
    "Expected and measured means are over the very prompts that a model was scored on. Published scores on the benchmark " +
      "that is measured are left out of the fit.",
    "Intervals of rank correlations draw a set's models anew, those of shares all means of a model together. " +
      "Standard errors count the stated error and the sampling error of the measured mean.",
    "Sets are built with the default parameters, without tuning.",
  ];
}

async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.includes("--help")) {
    console.log(CURRENT_USAGE);
    return;
  }
  const options = parseCurrentOptions(argv);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("stopped")));
  const result = await measureCurrent(options, { signal: stop.signal });
  const path = await writeResult(result);
  console.log(renderMarkdown(result));
  console.error(`Figures written to ${path}`);
}

await run();
