import { createInterface } from "node:readline";
import { snakeCased } from "../../foundation/snake-case.js";
import type { CollectEstimate, CollectOptions, CollectReport } from "../../workbench/collect-options.js";
import { readPromptTable, samplePrompts } from "../../workbench/index.js";
import { collect } from "../../workbench.js";
import { choice, flag, JSON_OPTION, type OptionsOf, option, writeResult } from "../command.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { list, numberWithin, path } from "../options.js";
import { GRADER_OPTIONS, GRADES, graderFrom } from "./collect-grader.js";
import { dollars, estimateText, reportText } from "./collect-text.js";
import { COLUMN_OPTIONS, columnsOf, number, profileSubcommand, stopped } from "./explained.js";
import { showProgress } from "./progress.js";

const OPTIONS = {
  prompts: option(
    "<file>",
    "prompts: .jsonl, .csv or .parquet (the first two also with .gz)",
    path,
  ).required(),
  models: option(
    "<ids>",
    "models to ask, separated by commas: ids, provider/id, or deployments",
    list,
  ).required(),
  out: option("<folder>", "folder of the collection: a new one, or one to continue", path).required(),
  grade: choice("<how>", "how answers are graded, for prompts without a `grade` of their own", GRADES),
  ...COLUMN_OPTIONS,
  sample: option("<number>", "send only this many of the prompts, chosen at random", number),
  seed: option("<number>", "seed of --sample; a larger sample contains the smaller", number).default(0),
  system: option("<text>", "system prompt sent with each prompt"),
  maxTokens: option("<number>", "maximum tokens of an answer, hidden reasoning included", number),
  temperature: option("<number>", "0 to 2; default: 0; not sent to models that refuse it", number),
  maxUsd: option(
    "<dollars>",
    "maximum cost of the collection in US dollars, earlier runs and judging included",
    number,
  ),
  concurrency: option("<number>", "maximum number of calls in flight; default: 16", number),
  providerConcurrency: option(
    "<number>",
    "maximum number of calls in flight of one provider; default: 8",
    number,
  ),
  lostCalls: choice(
    "<how>",
    "calls that were in flight when a run was killed: ask again with the same idempotency key, or skip them",
    ["ask", "skip"],
  ).default("ask"),
  ...GRADER_OPTIONS,
  maxUngraded: option(
    "<percent>",
    "succeed even if this percentage of the answers could not be graded; they are counted and listed",
    numberWithin(0, 100),
  ).default(2),
  yes: flag("do not ask for confirmation (only a terminal is asked)"),
  dryRun: flag("print the expected cost and call no model"),
  ...JSON_OPTION,
};

type CollectCommandOptions = OptionsOf<typeof OPTIONS>;

/** `sextant profile collect`: asks models prompts and grades their answers. */
export const collectCommand = profileSubcommand("collect", {
  about: "send prompts to models, grade the answers, and write the outcomes that build reads",
  options: OPTIONS,
  help: `
A collection that was stopped or killed goes on when the same command is run again; what was answered is not asked again,
also with another --grade. Ctrl-C waits for the calls in flight; a second one does not. See docs/workbench.md.`,
  examples: [
    "sextant profile collect --prompts questions.jsonl --models gpt-5.4-mini,claude-haiku-4-5 --grade exact --out collected --max-usd 5",
  ],
  run: runCollect,
});

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
  const { models, system, lostCalls, out: folder, sample: size, seed } = options;
  const { maxTokens, temperature, maxUsd, concurrency, providerConcurrency } = options;
  const { signal } = context;
  const all = await readPromptTable(options.prompts, { columns: columnsOf(options), signal });
  const prompts = size === undefined ? all : samplePrompts(all, { size, seed });
  const grader = await graderFrom(options, { ...context, prompts });
  const limits = { maxTokens, temperature, maxUsd, concurrency, providerConcurrency };
  return { models, grader, system, lostCalls, folder, prompts, ...limits };
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
  if (report.ending === "declined") throw new CommandFailure("nothing was asked; confirm with y or --yes");
  const body = snakeCased({ folder: options.out, ...report });
  await writeResult(body, () => reportText(report, context.stdout), { json: options.json, context });
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
