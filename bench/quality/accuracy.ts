/**
 * Which router picks the better model, cost left aside? Ours, as it ships, against exact kernels, a table by true label,
 * the best single model, chance and hindsight; trained on 70 % of the prompts, measured on the other 30 %.
 *
 * `npm run bench:quality -- --data DIR [--trial DIR] [--embedder DIR] [--set NAME]… [--seed 0]`
 */
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Embedder } from "../../src/embedding/embedder.js";
import { openEmbedder } from "../../src/embedding/open-embedder.js";
import { describeEnvironment } from "../environment.js";

import { measureSet, type SetReport } from "./measure-set.js";
import { loadCompleteRows, splitByHash } from "./outcome-set.js";
import { renderReport } from "./report.js";
import { openTrialEmbedder } from "./trial-embedder.js";

/** Sets measured, and the share of a set's prompts a model must have been scored on. */
const MIN_COVERAGE: Readonly<Record<string, number>> = {
  llmrouter_ulab: 0.9,
  mmlu_pro: 0.9,
  routerbench_subset: 0.9,
  zeroeval: 0.8,
  routellm: 0.9,
};
const SHIPPED_EMBEDDER = "models/sextant-static-v1";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    trial: { type: "string" },
    embedder: { type: "string", default: SHIPPED_EMBEDDER },
    set: { type: "string", multiple: true },
    seed: { type: "string", default: "0" },
    resamples: { type: "string", default: "2000" },
    results: { type: "string", default: "bench/results" },
  },
});

async function main(): Promise<void> {
  const { data, trial } = values;
  if (data === undefined) throw new Error("say where the outcome sets lie: --data DIR");
  if (values.embedder === SHIPPED_EMBEDDER) {
    console.error(
      "The shipped embedder may have seen the test prompts; for figures to report, name one that has not.",
    );
  }
  const embedder = await openEmbedder(values.embedder, { cacheDir: join(tmpdir(), "sextant-hub") });
  const embedTrial = trial === undefined ? undefined : await openTrialEmbedder(trial);
  const seed = Number(values.seed);
  const reports: SetReport[] = [];
  for (const name of values.set ?? Object.keys(MIN_COVERAGE)) {
    const rows = await loadCompleteRows(join(data, name), MIN_COVERAGE[name] ?? 0.9);
    const set = splitByHash(rows, { name, seed });
    console.error(
      `${name}: ${set.train.prompts.length} prompts to learn, ${set.test.prompts.length} to test`,
    );
    reports.push(await measureSet(set, { embedder, embedTrial, seed, resamples: Number(values.resamples) }));
  }
  await publish(reports, { embedder, seed });
  await embedder.close();
}

async function publish(
  sets: readonly SetReport[],
  { embedder, seed }: { readonly embedder: Embedder; readonly seed: number },
): Promise<void> {
  const { id, fingerprint } = embedder;
  const environment = { ...describeEnvironment(new Date()), embedder: { id, fingerprint }, seed };
  await mkdir(values.results, { recursive: true });
  const file = join(values.results, `accuracy-seed${seed}.json`);
  await writeFile(file, `${JSON.stringify({ environment, sets }, null, 2)}\n`);
  console.log(renderReport(sets, environment));
  console.error(`Figures written to ${file}`);
}

await main();
