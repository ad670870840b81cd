import { createInterface } from "node:readline";
import { Command, Option } from "commander";
import { snakeCased } from "../../foundation/snake-case.js";
import type { CollectEstimate, CollectOptions, CollectReport } from "../../workbench/collect-options.js";
import { JUDGE_SCALES, readPromptTable, samplePrompts } from "../../workbench/index.js";
import { collect } from "../../workbench.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { parseList } from "../engine-options.js";
import { numberWithin } from "../option-values.js";
import { GRADES, type GraderOptions, graderFrom } from "./collect-grader.js";
import { dollars, estimateText, reportText } from "./collect-text.js";
import {
  addColumnOptions,
  type ColumnOptions,
  columnsOf,
  explained,
  inFolder,
  number,
  stopped,
} from "./explained.js";
import { showProgress } from "./progress.js";

/** Options of `sextant profile collect` as commander gives them. */
interface CollectCommandOptions extends GraderOptions, ColumnOptions {
  readonly prompts: string;
  readonly models: readonly string[];
  readonly out: string;
  readonly sample?: number;
  readonly seed: number;
  readonly system?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly maxUsd?: number;
  readonly concurrency?: number;
  readonly providerConcurrency?: number;
  readonly lostCalls: "ask" | "skip";
  /** Per cent. */
  readonly maxUngraded: number;
  readonly yes?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

/** `sextant profile collect`: asks models prompts and grades their answers. */
export function collectCommand(context: CliContext): Command {
  const one = (path: string) => inFolder(context, path);
  const command = new Command("collect")
    .description("ask models prompts, grade their answers, and write the outcomes that build reads")
    .requiredOption(
      "--prompts <file>",
      "prompts: .jsonl, .csv or .parquet (the first two also with .gz)",
      one,
    )
    .requiredOption(
      "--models <ids>",
      "models to ask, separated by commas: ids, provider/id, or deployments",
      parseList,
    )
    .requiredOption("--out <folder>", "folder of the collection: a new one, or one to go on with", one)
    .addOption(
      new Option(
        "--grade <how>",
        "how answers are graded, of prompts without a column grade: they may have one of their own, with a pattern or a schema",
      ).choices(GRADES),
    );
  return addColumnOptions(command)
    .option("--sample <number>", "ask only that many of the prompts, chosen at random", number)
    .option("--seed <number>", "seed of --sample; a larger sample contains the smaller one", number, 0)
    .option("--system <text>", "instructions that are sent before each prompt")
    .option("--max-tokens <number>", "most tokens of an answer, hidden reasoning included", number)
    .option("--temperature <number>", "0 to 2; default: 0; not sent to models that refuse it", number)
    .option(
      "--max-usd <dollars>",
      "most that the collection may cost, earlier runs and judging included",
      number,
    )
    .option("--concurrency <number>", "most calls in flight; default: 16", number)
    .option("--provider-concurrency <number>", "most calls in flight of one provider; default: 8", number)
    .addOption(
      new Option(
        "--lost-calls <how>",
        "calls that were in flight when a run was killed: ask again with the same idempotency key, or skip them",
      )
        .choices(["ask", "skip"])
        .default("ask"),
    )
    .option("--tolerance <share>", "number: largest relative difference; default: 0.000001")
    .option("--pattern <regex>", "regex: what an answer must match; default: its reference")
    .option("--schema <file>", "json-schema: what an answer must fit; default: its reference", one)
    .option("--match-timeout <seconds>", "regex, json-schema: longest time for one answer; default: 5")
    .option("--command <command>", "command: reads an answer as JSON, prints a number from 0 to 1")
    .option("--command-timeout <seconds>", "command: longest time for one answer; default: 60")
    .option("--judge <model>", "judge: model that grades")
    .option("--rubric <file>", "judge: what makes an answer good, as text", one)
    .addOption(
      new Option(
        "--judge-scale <scale>",
        "judge: where there is a reference, 1 for an answer that is better (comparison), or at least as good (reference)",
      ).choices(JUDGE_SCALES),
    )
    .option(
      "--max-ungraded <percent>",
      "succeed although that share of the answers has no verdict; they are counted and listed",
      numberWithin(0, 100),
      2,
    )
    .option("--yes", "ask without a confirmation, which only a terminal is asked for")
    .option("--dry-run", "print what it is expected to cost, and ask nothing")
    .option("--json", "print JSON")
    .action((options: CollectCommandOptions) => explained(context, () => runCollect(options, context)))
    .addHelpText("after", HELP);
}

const HELP = `
A collection that was stopped or killed goes on when the same command is run again; what was answered is not asked again,
also with another --grade. Ctrl-C waits for the calls in flight; a second one does not. See docs/workbench.md.

Examples:
  $ sextant profile collect --prompts questions.jsonl --models gpt-5.4-mini,claude-haiku-4-5 --grade exact --out collected --max-usd 5`;

/** Collects outcomes and prints what they come to. @throws CommandFailure when something is missing in the end */
async function runCollect(options: CollectCommandOptions, context: CliContext): Promise<void> {
  const { signal } = context;
  const progress = showProgress(context.stderr);
  try {
    const report = await collect(
      {
        ...(await optionsFrom(options, context)),
        signal,
        confirm: (estimate) => confirm(estimate, { options, context }),
        onProgress: ({ step, done, total, spentUsd }) => {
          const detail = step === "grade" ? [] : ([dollars(spentUsd)] as const);
          if (total > 0) progress.update(step, done, total, ...detail);
        },
      },
      context,
    );
    progress.stop();
    if (!options.dryRun) await conclude(report, { options, context });
  } finally {
    progress.stop();
  }
}

async function optionsFrom(options: CollectCommandOptions, context: CliContext): Promise<CollectOptions> {
  const { models, system, lostCalls, out: folder, sample, seed } = options;
  const { maxTokens, temperature, maxUsd, concurrency, providerConcurrency } = options;
  const all = await readPromptTable(options.prompts, {
    columns: columnsOf(options),
    signal: context.signal,
  });
  const prompts = sample === undefined ? all : samplePrompts(all, { size: sample, seed });
  const grader = await graderFrom(options, { ...context, prompts });
  return {
    models,
    grader,
    system,
    lostCalls,
    folder,
    maxTokens,
    temperature,
    maxUsd,
    concurrency,
    providerConcurrency,
    prompts,
  };
}

interface Commanded {
  readonly options: CollectCommandOptions;
  readonly context: CliContext;
}

/** Prints the estimate; on a terminal, asks whether to go on. */
async function confirm(estimate: CollectEstimate, { options, context }: Commanded): Promise<boolean> {
  const { stderr } = context;
  await writeLine(stderr, estimateText(estimate, stderr));
  if (options.dryRun) return false;
  if (options.yes || stderr.isTTY !== true || estimate.models.length === 0) return true;
  stderr.write("Ask them? [y/N] ");
  return /^y(es)?$/i.test((await nextLine(context)).trim());
}

/** Empty when standard input ends, or the command is stopped. */
function nextLine({ stdin, signal }: CliContext): Promise<string> {
  const lines = createInterface({ input: stdin, signal });
  return new Promise<string>((resolve) => {
    lines.once("line", resolve).once("close", () => resolve(""));
  }).finally(() => lines.close());
}

/** Whether more is missing than verdicts on a small share of the answers. */
function failsRun({ failed, models }: CollectReport, mostUngraded: number): boolean {
  const ungraded = failed.filter(({ code }) => code === "not_graded").length;
  const graded = models.reduce((sum, model) => sum + model.graded, 0);
  return ungraded < failed.length || ungraded > mostUngraded * (graded + ungraded);
}

async function conclude(report: CollectReport, { options, context }: Commanded): Promise<void> {
  const { stdout } = context;
  if (report.ending === "declined") throw new CommandFailure("nothing was asked; confirm with y or --yes");
  await writeLine(
    stdout,
    options.json
      ? JSON.stringify(snakeCased({ folder: options.out, ...report }), null, 2)
      : reportText(report, stdout),
  );
  if (report.ending === "stopped") throw stopped();
  if (report.ending === "budget") {
    throw new CommandFailure(
      `stopped before --max-usd ${options.maxUsd} was exceeded; run the same command with a larger one to go on`,
    );
  }
  if (failsRun(report, options.maxUngraded / 100)) {
    throw new CommandFailure(
      `${report.failed.length} of the prompts and models have no grade, listed in ${options.out}/failed.jsonl; ` +
        "run the same command to try them again",
    );
  }
}
