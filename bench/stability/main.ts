/**
 * How often does another wording of a prompt change what is chosen? Writes `bench/results/stability-<date>.json`.
 * `npm run bench -- stability --help` lists the options.
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { describeCommand } from "../current/options.js";
import { describeEnvironment } from "../environment.js";
import { KEY_GROUPS, openGroup } from "../everyday/groups.js";
import { renderMarkdown } from "../report/markdown.js";
import { type BenchmarkResult, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { changesList, changesTable, stabilityFigures } from "./figures.js";
import { measureStability, type WordingFinding } from "./measure.js";
import { WORDED_PROMPTS } from "./wordings.js";

const DEFAULT_DAY = "2026-11-22";
const LISTED_WEIGHT = 0.2;

const USAGE = `npm run bench -- stability [options]

  --profiles DIR    profile set (default the shipped one)
  --keys GROUP      ${KEY_GROUPS.map(({ id }) => id).join(", ")} (default ${KEY_GROUPS[0]?.id}): whose models are candidates
  --at DATE         the day whose models and prices count (default ${DEFAULT_DAY})`;

const { values } = parseArgs({
  options: {
    profiles: { type: "string" },
    keys: { type: "string", default: KEY_GROUPS[0]?.id },
    at: { type: "string", default: DEFAULT_DAY },
    help: { type: "boolean" },
  },
});

async function run(): Promise<void> {
  const group = KEY_GROUPS.find(({ id }) => id === values.keys);
  const at = new Date(values.at);
  if (group === undefined || Number.isNaN(at.getTime()))
    throw new Error(`--keys or --at is unknown.\n\n${USAGE}`);
  const environment = describeEnvironment(new Date());
  const opened = await openGroup(group, { profiles: values.profiles, at });
  let findings: readonly WordingFinding[];
  try {
    findings = await measureStability(opened, WORDED_PROMPTS);
  } finally {
    await opened.router.close();
  }
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "stability", environment, seeds: [], charts: [] },
    question: "How often does another wording of a prompt change what is chosen?",
    command: describeCommand("stability", process.argv.slice(2)),
    datasets: [
      {
        ...{ name: "worded prompts", prompts: WORDED_PROMPTS.length },
        sha256: createHash("sha256").update(JSON.stringify(WORDED_PROMPTS)).digest("hex"),
        models: opened.router.liveModels().filter(opened.canRun).length,
      },
    ],
    figures: stabilityFigures(group.id, findings),
    notes: [`Candidates: live models of ${group.label}. Expected qualities and costs; nothing was executed.`],
  };
  const path = await writeResult(result);
  console.log(renderMarkdown(result));
  console.log(`\nChanged choices:\n\n${changesTable(findings)}`);
  console.log(`\nAt cost weight ${LISTED_WEIGHT}:\n\n${changesList(findings, LISTED_WEIGHT)}`);
  console.error(`Figures written to ${path}`);
}

if (values.help === true) console.log(USAGE);
else await run();
