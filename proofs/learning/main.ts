/**
 * What do profiles learn from traffic that they routed themselves? Writes `bench/results/learning-<date>.json`.
 * `npm run proof -- learning --help` lists the options.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeEnvironment } from "../../bench/environment.js";
import { describeCommand, wholeNumber } from "../../bench/options.js";
import { loadSet } from "../../bench/quality/load-set.js";
import { findSetFolders } from "../../bench/quality/options.js";
import { rememberVectors } from "../../bench/quality/shipped/remember-vectors.js";
import { markdownTable, renderMarkdown } from "../../bench/report/markdown.js";
import { type BenchmarkResult, RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { openStaticEmbedder } from "../../src/engine/embedding/static/static-embedder.js";
import { armRows, figuresOf, type Measured, replayRows } from "./figures.js";
import { measureLearning } from "./measure.js";
import { divideWorld } from "./world.js";

const USAGE = `npm run proof -- learning [options]

  --data DIR            outcome sets in the canonical layout (default datasets/sample)
  --set NAME            only this set of --data; may be repeated
  --requests 20000      requests of traffic, drawn with repetition
  --seeds 0,1           of the division of topics, and of the traffic`;

const QUESTION =
  "What do profiles learn from traffic that they routed themselves, and does replay predict it?";
const SHARES = [0, 0.02];

async function run(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string", default: join("datasets", "sample") },
      set: { type: "string", multiple: true },
      requests: { type: "string", default: "20000" },
      seeds: { type: "string", default: "0,1" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const requests = wholeNumber("--requests", { text: values.requests, least: 100 });
  const seeds = values.seeds.split(",").map((text) => wholeNumber("--seeds", { text, least: 0 }));
  const environment = describeEnvironment(new Date());
  const embedder = rememberVectors(await openStaticEmbedder(join("models", "sextant-static-v1")));
  const measured: Measured[] = [];
  const datasets: BenchmarkResult["datasets"] = [];
  for (const source of await findSetFolders(values.data, values.set)) {
    const set = await loadSet(source);
    const { name, sha256, rows } = set;
    datasets.push({ name, sha256, prompts: rows.prompts.length, models: rows.models.length });
    for (const seed of seeds) {
      const finding = await measureLearning(divideWorld(set, { seed }), {
        ...{ embedder, requests, shares: SHARES, seed },
        onStep: (what) => console.error(`  ${name}, seed ${seed}: ${what}`),
      });
      measured.push({ set: name, seed, finding });
    }
  }
  await embedder.close();
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "learning", question: QUESTION, environment },
    command: describeCommand("learning", argv),
    ...{ seeds: [...seeds], datasets, figures: figuresOf(measured) },
    notes: [
      "Half of a set's topics are profiled with every model's answers; requests of the other half, at cost weights .1, .3 and .5, are routed by that set, and only the score of the model that answered is revealed. Errors are of mean qualities over the asked prompts; gains are on 30 % of the prompts of those topics, which were not asked, as a mean over cost weights from 0 to 1, at equal cost. Where a set has no costs, an answer costs in proportion to the model's size.",
    ],
  };
  const path = await writeResult(result);
  console.log(renderMarkdown({ ...result, figures: [] }));
  console.log(
    markdownTable(["", "explored", "error, answered", "error, all", "gain, points"], armRows(measured)),
  );
  console.log(`\nReplay:\n\n${markdownTable(["", "spend", "quality, points"], replayRows(measured))}`);
  console.error(`Figures written to ${path}`);
}

await run(process.argv.slice(2));
