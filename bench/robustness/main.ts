/**
 * How often is the same model chosen for a prompt that is written otherwise? Writes `bench/results/robustness-<date>.json`.
 * `npm run bench -- robustness --help` lists the options.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { describeEnvironment } from "../environment.js";
import { KEY_GROUPS, type KeyGroup, openGroup } from "../everyday/groups.js";
import { figureOf } from "../evidence/figure.js";
import { describeCommand, wholeNumber } from "../options.js";
import { markdownTable } from "../report/markdown.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { type Choices, measureRobustness, shareEqual } from "./measure.js";

const PROMPTS = 420;

/** Three of each maker: a small, a middle and a large one. */
const NINE = [
  ...["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"],
  ...["gpt-6-luna", "gpt-6.1-terra", "gpt-6.1-sol"],
  ...["gemini-3.5-flash-lite", "gemini-3.8-flash", "gemini-3.1-pro"],
];

const USAGE = `npm run bench -- robustness --data DIR [options]

  --data DIR    holds difficulty and routing/routerbench_subset, whose prompts are corrupted
  --prompts N   how many prompts (default ${PROMPTS})
  --seed 0      of the typing errors`;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    prompts: { type: "string", default: String(PROMPTS) },
    seed: { type: "string", default: "0" },
    help: { type: "boolean" },
  },
});

/** Prompts in English that are no anchors of the shipped set: half labelled ones, half of RouterBench; by hash. */
async function readPromptsIn(data: string, count: number): Promise<string[]> {
  const labelled = (await readdir(join(data, "difficulty"))).filter((name) => name.endsWith(".jsonl.gz"));
  const paths = [
    labelled.map((name) => join(data, "difficulty", name)),
    [join(data, "routing", "routerbench_subset", "prompts.jsonl.gz")],
  ];
  const halves = await Promise.all(
    paths.map(async (files) => {
      const rows = (await Promise.all(files.toSorted().map(readRows))).flat();
      const texts = rows.filter(({ lang = "en" }) => lang === "en").map(({ prompt }) => prompt);
      return [...new Set(texts)].toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)).slice(0, count / 2);
    }),
  );
  return halves.flat();
}

async function readRows(path: string): Promise<{ readonly prompt: string; readonly lang?: string }[]> {
  const lines = gunzipSync(await readFile(path)).toString("utf8");
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const orderOf = (text: string): string =>
  createHash("sha256").update(`sextant-robustness\n${text}`).digest("hex");

function figuresOf(group: string, choices: readonly Choices[]): Figure[] {
  return choices.flatMap(({ costWeight, own, corrupted, spend }) => {
    const path = (rest: string): string => `robustness/${group}/${rest}/${costWeight}`;
    const at = `${group} at cost weight ${costWeight}`;
    const kinds = Object.entries(corrupted).map(([kind, other]) => ({ kind, share: shareEqual(own, other) }));
    const mean = kinds.reduce((sum, { share }) => sum + share, 0) / kinds.length;
    return [
      ...[...kinds, { kind: "all", share: mean }].map(({ kind, share }) =>
        figureOf({
          ...{ id: path(`kept/${kind}`), label: `${at}: same choice, ${kind}`, value: share },
          ...{ unit: "share", better: "higher", missing: "no prompts" },
        }),
      ),
      ...Object.entries(spend).map(([kind, ratio]) =>
        figureOf({
          ...{ id: path(`spend/${kind}`), label: `${at}: dollars expected, ${kind}`, value: ratio },
          ...{ unit: "ratio", better: "neither", missing: "no prompts" },
        }),
      ),
    ];
  });
}

/** As docs/robustness.md has it: a row a change, and for each cost weight the same choices and the dollars. */
function tableOf(choices: readonly Choices[]): string {
  const kinds = Object.keys(choices[0]?.corrupted ?? {});
  return markdownTable(
    ["", ...choices.map(({ costWeight }) => `cost weight ${costWeight}`)],
    kinds.map((kind) => [
      kind,
      ...choices.map(({ own, corrupted, spend }) => {
        const dollars = (100 * ((spend[kind] ?? Number.NaN) - 1)).toFixed(0).replace(/^-0$/, "0");
        return `${(100 * shareEqual(own, corrupted[kind] ?? [])).toFixed(0)} %; ${dollars.replace("-", "−")} %`;
      }),
    ]),
  );
}

async function run(): Promise<void> {
  const count = wholeNumber("--prompts", { text: values.prompts, least: 2 });
  const seed = wholeNumber("--seed", { text: values.seed, least: 0 });
  if (values.data === undefined) throw new Error(`--data is not given.\n\n${USAGE}`);
  const environment = describeEnvironment(new Date());
  const prompts = await readPromptsIn(values.data, count);
  const { router, canRun } = await openGroup(KEY_GROUPS[0] as KeyGroup);
  const figures: Figure[] = [];
  const tables: string[] = [];
  try {
    for (const [group, models] of Object.entries({ nine: NINE, all: undefined })) {
      const candidates = { router, canRun, ...(models === undefined ? {} : { models }) };
      const choices = await measureRobustness(candidates, { prompts, seed });
      figures.push(...figuresOf(group, choices));
      tables.push(`Among ${models?.length ?? "all"} models:\n\n${tableOf(choices)}`);
    }
  } finally {
    await router.close();
  }
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "robustness", environment, seeds: [seed], figures },
    question: "How often is the same model chosen for a prompt that is written otherwise?",
    command: describeCommand("robustness", process.argv.slice(2)),
    datasets: [
      {
        ...{ name: "corrupted prompts", prompts: prompts.length },
        sha256: createHash("sha256").update(JSON.stringify(prompts)).digest("hex"),
        models: router.liveModels().filter(canRun).length,
      },
    ],
    notes: ["A router that always chooses one model keeps every choice."],
  };
  const path = await writeResult(result);
  console.log(tables.join("\n\n"));
  console.error(`Figures written to ${path}`);
}

if (values.help === true) console.log(USAGE);
else await run();
