/**
 * How good are decisions beside those of other routers that learn from the same prompts by the same embedder? semantic-router, RouteLLM
 * and LLMRouter are installed from PyPI at the first run (7 GB), and run without a hub.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import { openEmbedder } from "../../src/engine/embedding/open-embedder.js";
import type { Router } from "../../src/engine/router/router.js";
import { takePrompts } from "../../src/workbench/evaluation/graded-prompts.js";
import type { CostQuality } from "../../src/workbench/metrics/hull.js";
import { describeEnvironment } from "../environment.js";
import { figureOf } from "../evidence/figure.js";
import { bestSingle, type Estimate, estimateGap, meanPoints } from "../frontier/saving.js";
import { describeCommand } from "../options.js";
import { pythonEnvironment } from "../python-environment.js";
import { loadSet } from "../quality/load-set.js";
import { SHIPPED_EMBEDDER } from "../quality/options.js";
import { findNearDuplicates } from "../quality/outcomes/near-duplicates.js";
import { splitByBenchmark } from "../quality/outcomes/split.js";
import { openShipped } from "../quality/shipped/open-shipped.js";
import { rememberVectors } from "../quality/shipped/remember-vectors.js";
import { significant } from "../report/format.js";
import { markdownTable } from "../report/markdown.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median } from "../report/statistics.js";

const USAGE = "npm run bench -- peers --data DIR";
const FOLDER = join("bench", "peers");
/** In DIR; sets with recorded dollars on which the shipped embedder was not trained. */
const SETS = [join("routing", "routerbench_subset"), join("routing-current", "openhands_index")];
const SEED = 0;
const COST_WEIGHTS = [0, 0.2, 0.5];
/** Of RouteLLM's two models, the weak one costs at most this share of the strong one. */
const WEAK_COSTS = 0.2;

/** What a router chose for the test prompts. */
interface Choices {
  readonly router: string;
  /** Places of models in the list that it was given. */
  readonly chosen: readonly number[];
  /** Median milliseconds of a decision, without embedding the prompt. */
  readonly ms?: number;
}

interface Measured {
  readonly dataset: BenchmarkResult["datasets"][number];
  readonly tested: number;
  readonly routers: readonly (Pick<Choices, "router" | "ms"> & {
    readonly point: CostQuality;
    /** Quality above mixing single models at random at the same cost. */
    readonly gap: Estimate;
  })[];
}

interface GradedPrompt {
  readonly text: string;
  /** Of each model. */
  readonly points: readonly CostQuality[];
}

async function measureSet(folder: string, embedder: Embedder): Promise<Measured> {
  const { name, sha256, rows, costs, lookup } = await loadSet({ name: basename(folder), folder });
  if (costs === null) throw new Error(`${folder} records no dollars; take a set that does.`);
  const split = splitByBenchmark(rows.prompts, SEED);
  const graded = rows.prompts.map(({ text }, row): GradedPrompt => {
    const cells = costs.priced.map((column) => row * rows.models.length + column);
    const points = cells.map((cell) => ({
      cost: costs.usd[cell] as number,
      quality: rows.quality[cell] as number,
    }));
    return { text, points };
  });
  const [train = [], all = []] = [split.train, split.test].map((part) =>
    part.map((row) => graded[row] as GradedPrompt),
  );
  const textsOf = (prompts: readonly GradedPrompt[]): string[] => prompts.map(({ text }) => text);
  const twins = findNearDuplicates(textsOf(all), textsOf(train));
  const test = all.filter((_, index) => !twins.has(index));

  const models = costs.priced.map((column) => rows.models[column] as string);
  const learned = takePrompts(rows, split.train);
  const router = await openShipped(learned, { name, embedder, seed: SEED, lookup });
  const ours: Choices[] = [];
  for (const costWeight of COST_WEIGHTS)
    ours.push(await chooseByOurs(router, { texts: textsOf(test), models, costWeight }));

  const means = meanPoints(
    train.map(({ points }) => ({ models: points, settings: [] })),
    "models",
  );
  const strong = bestSingle(means) as CostQuality;
  const weak = bestSingle(means.filter(({ cost }) => cost <= WEAK_COSTS * strong.cost)) ?? strong;
  const always = (point: CostQuality, router: string): Choices => ({
    router,
    chosen: test.map(() => means.indexOf(point)),
  });
  const choices = [
    always(strong, `always ${models[means.indexOf(strong)]}`),
    ...ours,
    ...(await chooseByPeers({
      models,
      cheapest_first: [...means.keys()].sort((a, b) => (means[a]?.cost ?? 0) - (means[b]?.cost ?? 0)),
      pair: [means.indexOf(strong), means.indexOf(weak)],
      train: await withVectors(train, embedder),
      test: await withVectors(test, embedder),
    })),
  ];
  const results = test.map(({ points }, index) => ({
    models: points,
    settings: choices.map(({ chosen }) => points[chosen[index] as number] as CostQuality),
  }));
  const points = meanPoints(results, "settings");
  return {
    dataset: { name, sha256, prompts: train.length + test.length, models: models.length },
    tested: test.length,
    routers: choices.map((choice, setting) => ({
      ...choice,
      point: points[setting] as CostQuality,
      gap: estimateGap(results, setting),
    })),
  };
}

interface OursOptions {
  readonly texts: readonly string[];
  readonly models: readonly string[];
  readonly costWeight: number;
}

async function chooseByOurs(router: Router, { texts, models, costWeight }: OursOptions): Promise<Choices> {
  const chosen: number[] = [];
  const times: number[] = [];
  for (const content of texts) {
    const started = performance.now();
    const decision = await router.route({ messages: [{ role: "user", content }], costWeight, models });
    times.push(performance.now() - started);
    chosen.push(models.indexOf(decision.selectedModel));
  }
  return { router: `Sextant, cost weight ${costWeight}`, chosen, ms: median(times) };
}

async function withVectors(prompts: readonly GradedPrompt[], embedder: Embedder): Promise<object[]> {
  const vectors = await embedder.embed(prompts.map(({ text }) => text));
  return prompts.map(({ text, points }, index) => ({
    text,
    vector: Array.from(vectors[index] ?? []),
    quality: points.map(({ quality }) => quality),
  }));
}

/** Runs route.py, which describes its input, on one core. */
async function chooseByPeers(input: object): Promise<Choices[]> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-peers-"));
  const [given, found] = [join(folder, "input.json"), join(folder, "output.json")];
  try {
    await writeFile(given, JSON.stringify(input));
    execFileSync(join(pythonEnvironment(FOLDER), "python"), [join(FOLDER, "route.py"), given, found], {
      env: { ...process.env, HF_HOME: folder, OMP_NUM_THREADS: "1", PYTHONWARNINGS: "ignore" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    return JSON.parse(await readFile(found, "utf8")) as Choices[];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function figuresOf({ dataset, routers }: Measured): Figure[] {
  return routers.flatMap(({ router, point, gap, ms }) => {
    const path = `peers/${dataset.name}/${router.replaceAll(/[ ,/]+/g, "_")}`;
    const label = `${dataset.name}, ${router}`;
    const [more, less] = [
      { better: "higher" as const, missing: "" },
      { better: "lower" as const, missing: "" },
    ];
    return [
      figureOf({
        id: `${path}/quality`,
        label: `${label}: mean quality`,
        unit: "score",
        value: point.quality,
        ...more,
      }),
      figureOf({
        id: `${path}/cost`,
        label: `${label}: mean cost of a prompt`,
        unit: "usd",
        value: point.cost,
        ...less,
      }),
      figureOf({
        id: `${path}/gap`,
        label: `${label}: quality above mixing single models`,
        unit: "score",
        ...gap,
        ...more,
      }),
      figureOf({ id: `${path}/ms`, label: `${label}: a decision`, unit: "ms", value: ms ?? 0, ...less }),
    ];
  });
}

function tableOf({ dataset, tested, routers }: Measured): string {
  const inPoints = (score = Number.NaN): string => (100 * score).toFixed(1);
  const rows = routers.map(({ router, point, gap, ms }) => [
    router,
    point.quality.toFixed(4),
    significant(1000 * point.cost, 3),
    `${inPoints(gap.value)} [${inPoints(gap.interval?.low)}, ${inPoints(gap.interval?.high)}]`,
    ms?.toPrecision(2) ?? "",
  ]);
  return [
    `${dataset.name}: ${dataset.models} models; ${tested} of ${dataset.prompts} prompts tested, the others learnt from`,
    markdownTable(["", "quality", "$ per 1,000 prompts", "points above mixing", "ms a decision"], rows),
  ].join("\n\n");
}

async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: { data: { type: "string" }, help: { type: "boolean", default: false } },
  });
  const { data } = values;
  if (values.help) return console.log(USAGE);
  if (data === undefined) throw new Error(`--data is missing.\n\n${USAGE}`);
  const environment = describeEnvironment(new Date());
  const opened = await openEmbedder(SHIPPED_EMBEDDER, { cacheDir: "" });
  const embedder = rememberVectors(opened);
  const measured: Measured[] = [];
  try {
    for (const set of SETS) measured.push(await measureSet(join(data, set), embedder));
  } finally {
    await opened.close();
  }
  const path = await writeResult({
    version: RESULT_VERSION,
    suite: "peers",
    question: "How good are decisions beside those of other routers that learn from the same prompts?",
    command: describeCommand("peers", argv),
    environment,
    datasets: measured.map(({ dataset }) => dataset),
    seeds: [SEED],
    figures: measured.flatMap(figuresOf),
    notes: ["Times are of decisions without embedding the prompt, on one core."],
  });
  console.log(`${measured.map(tableOf).join("\n\n")}\n\nwritten to ${path}`);
}

await main(process.argv.slice(2));
