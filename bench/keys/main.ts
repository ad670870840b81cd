/** `npm run bench -- keys`: what each large provider's key alone gives, with the shipped profiles. Needs no network. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { describeEnvironment, environmentLine } from "../environment.js";
import { type BenchmarkResult, RESULT_VERSION } from "../report/result.js";
import { RESULTS_FOLDER, writeResult } from "../report/result-file.js";
import { KEYS } from "./cases.js";
import { type KeyFinding, measureKey } from "./measure.js";
import { keysTable } from "./table.js";

const { values } = parseArgs({
  options: { out: { type: "string" }, at: { type: "string" }, help: { type: "boolean" } },
});

async function run(): Promise<void> {
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const at = values.at === undefined ? Date.now() : Date.parse(values.at);
  const findings: KeyFinding[] = [];
  for (const keyCase of KEYS) findings.push(await measureKey(keyCase, () => at));
  const table = keysTable(findings);
  const path = values.out ?? join(RESULTS_FOLDER, "keys.md");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${table}\n`);
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "keys", environment, datasets: [], seeds: [], charts: [] },
    question: "With one provider's key alone, how many models can be decided among?",
    command: "npm run bench -- keys",
    figures: findings.map(({ provider, candidates, least }) => ({
      ...{ id: `keys/${provider}/candidates`, label: `${provider}: candidates`, unit: "count" as const },
      ...{ value: candidates.length, better: "higher" as const, goal: least },
    })),
    notes: ["Live models with a shipped profile that the provider serves, on the day of the run or of --at."],
  };
  console.log(`\n${table}\n\nwritten to ${path} and ${await writeResult(result)}`);
}

if (values.help === true) console.log("Options: --out FILE (Markdown), --at DAY whose catalog counts");
else await run();
