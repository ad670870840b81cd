/**
 * What does choosing the effort of reasoning by the prompt save, when the model is given? Writes `bench/results/efforts-<date>.json`
 * and prints the figures. `npm run bench -- efforts --help` lists the options.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createCatalog } from "../../src/engine/catalog/catalog.js";
import { openEmbedder } from "../../src/engine/embedding/open-embedder.js";
import { describeEnvironment } from "../environment.js";
import { UNKNOWN_FACTS } from "../evidence/build-router.js";
import { loadEvidenceData } from "../evidence/evidence-data.js";
import { figureOf } from "../evidence/figure.js";
import { crossValidate } from "../frontier/cross-validate.js";
import { meanPoints } from "../frontier/saving.js";
import { PRICES_AT } from "../quality/load-set.js";
import { SHIPPED_EMBEDDER } from "../quality/options.js";
import { rememberVectors } from "../quality/shipped/remember-vectors.js";
import { renderMarkdown } from "../report/markdown.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { COST_SOURCES, EFFORT_SETS, withEffortCosts } from "./effort-costs.js";
import { effortGroups, estimateSavingAgainst } from "./measure.js";
import { EFFORTS_USAGE, type EffortsOptions, parseEffortsOptions } from "./options.js";
import { type MeasuredGroup, renderEffortsPage } from "./page.js";

const QUESTION = "What does choosing the effort by the prompt save, when the model is given?";

async function measureEfforts(options: EffortsOptions): Promise<BenchmarkResult> {
  const environment = describeEnvironment(new Date());
  const data = await loadEvidenceData(options.data, options);
  const opened = await openEmbedder(SHIPPED_EMBEDDER, { cacheDir: "" });
  const embedder = rememberVectors(opened);
  const { lookup } = createCatalog({ providers: [], deployments: [], prices: {} }, { at: PRICES_AT });
  const groups: MeasuredGroup[] = [];
  try {
    for (const name of EFFORT_SETS.filter((one) => options.sets.includes(one))) {
      const found = data.current.find((set) => set.name === name);
      if (found === undefined) throw new Error(`--data has no routing-current/${name}; name another --set.`);
      const set = await withEffortCosts(found, { data: options.data, lookup });
      for (const group of effortGroups(set)) {
        console.error(`${name}: ${group.answers.models.join(", ")}`);
        const results = await crossValidate(set, group.answers, {
          ...{ data, embedder, signal: undefined, onStep: () => {} },
          options: { ...options, ...OWN_PROMPTS },
          lookup: (model) => ({ ...UNKNOWN_FACTS, price: lookup(model).price }),
        });
        groups.push({ ...group, set: name, costs: COST_SOURCES[name], results });
      }
    }
  } finally {
    await opened.close();
  }
  const notes = notesOf(options);
  if (options.out !== undefined) {
    await mkdir(dirname(options.out), { recursive: true });
    await writeFile(options.out, renderEffortsPage(groups, { command: options.command, notes }));
  }
  return {
    version: RESULT_VERSION,
    suite: "efforts",
    question: QUESTION,
    ...{ command: options.command, environment, seeds: [0] },
    datasets: groups.map(({ set, answers }) => ({
      name: `${set} ${answers.models.join(" ")}`,
      sha256: data.current.find(({ name }) => name === set)?.sha256 ?? "",
      prompts: answers.promptIndexes.length,
      models: answers.models.length,
    })),
    figures: groups.flatMap(figuresOf),
    charts: [],
    notes,
  };
}

/** Of every fold: it learns from the other prompts of its set alone. */
const OWN_PROMPTS = { evidence: "own", tuning: "defaults", without: [], seed: 0 } as const;

function figuresOf({ set, answers, results }: MeasuredGroup): Figure[] {
  return meanPoints(results, "models").flatMap((point, effort) => {
    const id = `efforts/${set}/${answers.models[effort]}`;
    const label = `${set}, ${answers.models[effort]}`;
    const missing = "no dollars are known";
    return [
      figureOf({
        id: `${id}/quality`,
        label: `${label}: mean quality`,
        unit: "score",
        better: "higher",
        value: point.quality,
        missing,
      }),
      figureOf({
        id: `${id}/cost`,
        label: `${label}: mean cost of a prompt`,
        unit: "usd",
        better: "lower",
        value: point.cost,
        missing,
      }),
      ...(["router", "mixed"] as const).map((spender) =>
        figureOf({
          ...{ id: `${id}/saving/${spender}`, unit: "share", better: "higher", missing },
          label: `${label}: saved at its quality by ${spender === "router" ? "the router" : "random mixing"}`,
          ...estimateSavingAgainst(results, effort, spender),
        }),
      ),
    ];
  });
}

function notesOf({ promptsPerSet, folds }: EffortsOptions): string[] {
  return [
    ...(promptsPerSet === undefined
      ? []
      : [`NOT FOR REPORTING: at most ${promptsPerSet} prompts of each set were taken.`]),
    `Every prompt was routed by profiles built without it (${folds} folds by the hash of the text), of the set's other prompts alone, with the default parameters.`,
    "The second table: the share of an effort's cost that is saved at its own mean quality, at the cheapest of 101 cost weights that reaches it.",
    "That weight is read off the test prompts; 0 where nothing cheaper reaches it.",
    "The first table of each set is of fixed cost weights, over all models of the set; each model counts once.",
    "Random mixing draws between efforts without looking at the prompt.",
    "Intervals draw prompts anew and choose the weight again, so that they lie above 0 by chance too: compare the two columns.",
  ];
}

async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.includes("--help")) {
    console.log(EFFORTS_USAGE);
    return;
  }
  const result = await measureEfforts(parseEffortsOptions(argv));
  const path = await writeResult(result);
  console.log(renderMarkdown(result));
  console.error(`Figures written to ${path}`);
}

await run();
