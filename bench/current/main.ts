/**
 * How well do expected means rank and predict the models of 2025 and 2026? Writes `bench/results/current-<date>.json` and
 * prints the figures. `npm run bench -- current --help` lists the options.
 */
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import { openEmbedder } from "../../src/engine/embedding/open-embedder.js";
import { describeFrom, withPlacedModels } from "../../src/workbench/fitting/build-from-outcomes.js";
import { describeEnvironment } from "../environment.js";
import { collectTable, publishedScoreOf } from "../evidence/collect-table.js";
import { type EvidenceData, loadEvidenceData } from "../evidence/evidence-data.js";
import { modelsOf } from "../evidence/sparse-set.js";
import { SHIPPED_EMBEDDER } from "../quality/options.js";
import { rememberVectors } from "../quality/shipped/remember-vectors.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Chart, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { leftOutFigures } from "./left-out-figures.js";
import { LEFT_OUT_MODEL_SETS, leaveModelsOut } from "./left-out-models.js";
import { leftOutSetFigures } from "./left-out-set-figures.js";
import { type MeasureContext, measureHeldOutPrompts, measureLeftOutSets } from "./measure-sets.js";
import { CURRENT_USAGE, type CurrentOptions, PARTS, type Part, parseCurrentOptions } from "./options.js";
import { meansChart, rankFigures, withinFigure } from "./rank-figures.js";
import { type JointInput, measureLeftOut } from "./standard-errors.js";

/** Goals of the mean rank correlation (the design's table for hidden sets). */
const SHARED_SETS_GOAL = 0.65;
const WHOLE_SETS_GOAL = 0.6;
/** Share of measured means within two stated errors: the level of a kind of prompt that nothing is known of is a draw of its own. */
const WHOLE_SETS_WITHIN_GOAL = 0.85;

interface Found {
  readonly figures: readonly Figure[];
  readonly charts: readonly Chart[];
}

type Measure = (data: EvidenceData, context: MeasureContext) => Promise<Found>;

const MEASURES: Readonly<Record<Part, Measure>> = {
  "held-out-prompts": async (data, context) => {
    const found = await measureHeldOutPrompts(data, context);
    const facts = { id: "held_out", what: "held-out prompts" };
    return {
      figures: rankFigures(found, { ...facts, goal: SHARED_SETS_GOAL }),
      charts: [meansChart(found, facts)],
    };
  },
  "left-out-sets": async (data, context) => {
    const found = await measureLeftOutSets(data, context);
    const facts = { id: "left_out", what: "sets left out whole" };
    return {
      figures: [
        ...rankFigures(found, { ...facts, goal: WHOLE_SETS_GOAL, within: WHOLE_SETS_WITHIN_GOAL }),
        ...leftOutSetFigures(found),
      ],
      charts: [meansChart(found, facts)],
    };
  },
  "left-out-models": async (data, context) => {
    const input = await jointInput(data, context.options);
    const figures: Figure[] = [];
    for (const set of data.old.filter(({ name }) => LEFT_OUT_MODEL_SETS.includes(name))) {
      if (context.options.sets?.includes(set.name) === false) continue;
      const onModel = (done: number, total: number) =>
        context.onStep(`${set.name}: model ${done + 1} of ${total} left out`);
      figures.push(...leftOutFigures(await leaveModelsOut(set, input, { ...context, onModel })));
    }
    return { figures, charts: [] };
  },
  "standard-errors": async (data, context) => {
    const input = await jointInput(data, context.options);
    const figures = (["cells", "models"] as const).flatMap((left) => {
      const onFold = (fold: number, folds: number) =>
        context.onStep(`standard errors, ${left} left out: fold ${fold + 1} of ${folds}`);
      const means = measureLeftOut(input, left, { onFold });
      const what =
        left === "cells" ? "(model, topic) left out" : "whole models left out, placed by published scores";
      return [1, 2].map((errors) =>
        withinFigure(means, { id: `current/standard_errors/${left}/within_${errors}`, what, errors }),
      );
    });
    return { figures, charts: [] };
  },
};

async function jointInput(data: EvidenceData, { seed }: CurrentOptions): Promise<JointInput> {
  const scores = data.scores.map(publishedScoreOf);
  const table = withPlacedModels(await collectTable([...data.old, ...data.current]), { scores });
  return { table, scores, describe: describeFrom(scores), seed };
}

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
  const charts: Chart[] = [];
  try {
    for (const [done, part] of PARTS.filter((name) => options.parts.includes(name)).entries()) {
      bar.update(done);
      const found = await MEASURES[part](data, { embedder, options, signal, onStep });
      figures.push(...found.figures);
      charts.push(...found.charts.filter(({ series }) => series.length > 0));
    }
  } finally {
    bar.stop();
    await opened.close();
  }
  return {
    version: RESULT_VERSION,
    suite: "current",
    question: "How well do expected means rank and predict the models of 2025 and 2026?",
    ...{ command: options.command, environment, seeds: [options.seed], figures, charts },
    datasets: [...data.old, ...data.current].map((set) => ({
      ...{ name: set.name, sha256: set.sha256, prompts: set.prompts.length, models: modelsOf(set).length },
    })),
    notes: notesOf(options),
  };
}

function notesOf({ promptsPerSet, tuning }: CurrentOptions): string[] {
  return [
    ...(promptsPerSet === undefined
      ? []
      : [`NOT FOR REPORTING: at most ${promptsPerSet} prompts of each set were taken.`]),
    "Expected and measured means are over the very prompts that a model was scored on. Published scores on the benchmark " +
      "that is measured are left out of the fit.",
    "Intervals of rank correlations draw a set's models anew, those of shares all means of a model together, those of gains " +
      "the test prompts. Standard errors count the stated error and the sampling error of the measured mean.",
    "Sets are built with " +
      (tuning === "full" ? "tuned parameters." : "the default parameters, without tuning."),
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
