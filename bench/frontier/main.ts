/**
 * How much does routing save, in dollars that were actually paid? Writes `bench/results/frontier-<date>.json` and
 * prints the figures. `npm run bench -- frontier --help` lists the options.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { createCatalog } from "../../src/engine/catalog/catalog.js";
import { openEmbedder } from "../../src/engine/embedding/open-embedder.js";
import { describeEnvironment } from "../environment.js";
import { UNKNOWN_FACTS } from "../evidence/build-router.js";
import { type EvidenceData, loadEvidenceData } from "../evidence/evidence-data.js";
import type { SparseSet } from "../evidence/sparse-set.js";
import { PRICES_AT } from "../quality/load-set.js";
import { SHIPPED_EMBEDDER } from "../quality/options.js";
import { rememberVectors } from "../quality/shipped/remember-vectors.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { type CrossValidateOptions, crossValidate } from "./cross-validate.js";
import { type Frontier, frontierFigures } from "./figures.js";
import { FRONTIER_USAGE, type FrontierOptions, parseFrontierOptions } from "./options.js";
import { renderFrontierPage } from "./page.js";
import { paidAnswers } from "./paid-answers.js";
import { frontierPicture } from "./picture.js";

/** Share of a set's prompts that candidates must have answered: zoonk has few answers of most models, ctala and trick_questions gaps at many prompts. */
const COVERAGE: Readonly<Record<string, number>> = {
  zoonk_evals: 0.5,
  ctala_business_es: 0.8,
  trick_questions: 0.8,
};
const DEFAULT_COVERAGE = 0.9;
/** Of the sets with recorded dollars and models of 2026 the one with the most prompts. */
const PICTURED_SET = "openhands_index";

async function measureFrontier(
  options: FrontierOptions,
  { signal }: { readonly signal: AbortSignal },
): Promise<BenchmarkResult> {
  const environment = describeEnvironment(new Date());
  const data = await loadEvidenceData(options.data, options);
  const opened = await openEmbedder(SHIPPED_EMBEDDER, { cacheDir: "" });
  const embedder = rememberVectors(opened);
  const bar = showProgress("Measuring cost against quality", options.sets.length);
  let last = "";
  const onStep = (step: string): void => {
    if (!process.stderr.isTTY && step !== last) console.error(`  ${step}`);
    last = step;
  };
  const frontiers: Frontier[] = [];
  try {
    for (const [done, name] of options.sets.entries()) {
      bar.update(done);
      const set = requireSet(data, name);
      frontiers.push(await frontierOf(set, { data, options, embedder, signal, onStep }));
    }
  } finally {
    bar.stop();
    await opened.close();
  }
  const notes = notesOf(options);
  if (options.out !== undefined) {
    await writePage(options.out, { frontiers, command: options.command, notes });
  }
  return {
    version: RESULT_VERSION,
    suite: "frontier",
    question: "What does routing save, in dollars that were really paid?",
    ...{ command: options.command, environment, seeds: [options.seed] },
    datasets: frontiers.map(({ set, answers }) => ({
      ...{ name: set, sha256: requireSet(data, set).sha256, prompts: answers.promptIndexes.length },
      models: answers.models.length,
    })),
    figures: frontiers.flatMap(frontierFigures),
    notes,
  };
}

interface Page {
  readonly frontiers: readonly Frontier[];
  readonly command: string;
  readonly notes: readonly string[];
}

/** Writes the page, and the picture into the folder `images` beside it. */
async function writePage(page: string, { frontiers, command, notes }: Page): Promise<void> {
  const images = join(dirname(page), "images");
  await mkdir(images, { recursive: true });
  const shown = frontiers.find(({ set }) => set === PICTURED_SET);
  const path = join(images, "frontier.svg");
  if (shown !== undefined) await writeFile(path, frontierPicture(shown));
  const picture =
    shown === undefined ? undefined : { path: relative(dirname(page), path), set: PICTURED_SET };
  await writeFile(page, renderFrontierPage(frontiers, { command, notes, picture }));
}

type FrontierContext = Omit<CrossValidateOptions, "lookup">;

async function frontierOf(set: SparseSet, context: FrontierContext): Promise<Frontier> {
  const { lookup: listed } = createCatalog({ providers: [], deployments: [], prices: {} }, { at: PRICES_AT });
  const coverage = COVERAGE[set.name] ?? DEFAULT_COVERAGE;
  const answers = paidAnswers(set, { lookup: listed, coverage });
  const lookup = (model: string) => ({ ...UNKNOWN_FACTS, price: listed(model).price });
  const results = answers.models.length < 2 ? [] : await crossValidate(set, answers, { ...context, lookup });
  return { set: set.name, answers, results };
}

function requireSet({ current, measured }: EvidenceData, name: string): SparseSet {
  const set = [...current, ...measured].find((known) => known.name === name);
  if (set === undefined)
    throw new Error(
      `--data has neither routing-current/${name} nor routing/${name}; add it, or name another --set.`,
    );
  return set;
}

const LEARNT_FROM: Readonly<Record<FrontierOptions["evidence"], string>> = {
  own: "the set's other prompts alone",
  all: "the set's other prompts, all other sets and published scores",
  others: "all other sets and published scores, the set left out whole",
};

function notesOf({ promptsPerSet, evidence, folds, tuning }: FrontierOptions): string[] {
  return [
    ...(promptsPerSet === undefined
      ? []
      : [`NOT FOR REPORTING: at most ${promptsPerSet} prompts of each set were taken.`]),
    `Every prompt was routed by profiles built without it (${folds} folds by the hash of the text), of ` +
      `${LEARNT_FROM[evidence]}, ` +
      `${tuning === "full" ? "tuned" : "with the default parameters"}.`,
    "Only prompts that all of the set's models answered at a known cost count, and models that think only where their hidden " +
      "reasoning is in the recorded tokens. Intervals draw prompts again, and choose the best model and the cost weight again in " +
      "each draw. Mixing takes the best models by the very prompts that are shown, which favours it.",
  ];
}

async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.includes("--help")) {
    console.log(FRONTIER_USAGE);
    return;
  }
  const options = parseFrontierOptions(argv);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("stopped")));
  const result = await measureFrontier(options, { signal: stop.signal });
  const path = await writeResult(result);
  console.log(renderMarkdown(result));
  console.error(`Figures written to ${path}`);
}

await run();
