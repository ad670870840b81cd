/**
 * How far can changes of a prompt that leave its task the same move decisions and spend? Writes
 * `bench/results/attacks-<date>.json`. `npm run proof -- attacks --help` lists the options.
 */
import { describeEnvironment } from "../../bench/environment.js";
import { KEY_GROUPS, type KeyGroup, openGroup } from "../../bench/everyday/groups.js";
import { renderMarkdown } from "../../bench/report/markdown.js";
import { showProgress } from "../../bench/report/progress.js";
import { type BenchmarkResult, RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { attackFigures, attackTable } from "./figures.js";
import { type AttackFinding, measureAttacks } from "./measure.js";
import { ATTACKS_USAGE, type AttackOptions, parseAttackOptions } from "./options.js";
import { attackedPrompts } from "./prompts.js";

/** Cost weights that are attacked. Weight 0 ignores costs. */
const COST_WEIGHTS = [0.2, 0.5, 0.8];
const QUESTION = "How far can changes of a prompt that leave its task the same move decisions and spend?";

async function measure(options: AttackOptions): Promise<{
  readonly result: BenchmarkResult;
  readonly findings: readonly (readonly AttackFinding[])[];
}> {
  const environment = describeEnvironment(new Date());
  const prompts = await attackedPrompts(options);
  const { router, canRun } = await openGroup(KEY_GROUPS[0] as KeyGroup, {
    profiles: undefined,
    at: options.at,
  });
  const bar = showProgress("Attacking the router", COST_WEIGHTS.length);
  const findings: AttackFinding[][] = [];
  try {
    for (const [done, costWeight] of COST_WEIGHTS.entries()) {
      bar.update(done);
      findings.push(await measureAttacks({ router, canRun, costWeight }, { ...options, ...prompts }));
    }
    const { train, heldOut, sha256 } = prompts;
    return {
      findings,
      result: {
        ...{ version: RESULT_VERSION, suite: "attacks", question: QUESTION, command: options.command },
        ...{ environment, seeds: [options.seed], charts: [] },
        datasets: [
          {
            ...{ name: options.data === undefined ? "sample and everyday prompts" : "outcome sets", sha256 },
            ...{ prompts: train.length + heldOut.length, models: router.liveModels().length },
          },
        ],
        figures: findings.flatMap(attackFigures),
        notes: [
          `Attacks were searched for on ${train.length} prompts and measured on ${heldOut.length} others. Candidates: the live models of OpenAI, Anthropic and Google.`,
          "Inflation compares the expected costs of the models chosen with and without the attack for the same prompt without it, and so does the change of quality: what the attack's own tokens cost is counted apart.",
        ],
      },
    };
  } finally {
    bar.stop();
    await router.close();
  }
}

async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.includes("--help")) {
    console.log(ATTACKS_USAGE);
    return;
  }
  const { result, findings } = await measure(parseAttackOptions(argv));
  const path = await writeResult(result);
  const shown = result.figures.filter(({ id }) => !/\/(inflation|billed|changed|quality|worst)\//.test(id));
  console.log(renderMarkdown({ ...result, figures: shown }));
  console.log(`\nInflation of spend [95 %]; decisions changed:\n\n${attackTable(findings)}`);
  console.error(`Figures written to ${path}`);
}

await run();
