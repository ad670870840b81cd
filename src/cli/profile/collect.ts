import { createInterface } from "node:readline";
import type { CollectEstimate, CollectOptions, CollectReport } from "../../workbench/collect-options.js";
import { readPromptTable, samplePrompts } from "../../workbench/index.js";
import { collect } from "../../workbench.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { snakeCase } from "../snake-case.js";
import { type GraderOptions, graderFrom } from "./collect-grader.js";
import { dollars, estimateText, reportText } from "./collect-text.js";
import { type ColumnOptions, columnsOf } from "./column-options.js";
import { stopped } from "./explained.js";
import { showProgress } from "./progress.js";

/** Options of `sextant profile collect` as commander gives them. */
export interface CollectCommandOptions extends GraderOptions, ColumnOptions {
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
  readonly yes?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

/** Collects outcomes and prints what they come to. @throws CommandFailure when something is missing in the end */
export async function runCollect(options: CollectCommandOptions, context: CliContext): Promise<void> {
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
  const grader = await graderFrom(options, context);
  const all = await readPromptTable(options.prompts, {
    columns: columnsOf(options),
    signal: context.signal,
  });
  return {
    ...{ models, grader, system, lostCalls, folder },
    ...{ maxTokens, temperature, maxUsd, concurrency, providerConcurrency },
    prompts: sample === undefined ? all : samplePrompts(all, { size: sample, seed }),
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

async function conclude(report: CollectReport, { options, context }: Commanded): Promise<void> {
  const { stdout } = context;
  if (report.ending === "declined") throw new CommandFailure("nothing was asked; confirm with y or --yes");
  await writeLine(
    stdout,
    options.json
      ? JSON.stringify({ folder: options.out, ...report }, snakeCase, 2)
      : reportText(report, stdout),
  );
  if (report.ending === "stopped") throw stopped();
  if (report.ending === "budget") {
    throw new CommandFailure(
      `stopped before --max-usd ${options.maxUsd} was exceeded; run the same command with a larger one to go on`,
    );
  }
  if (report.failed.length > 0) {
    throw new CommandFailure(
      `${report.failed.length} of the prompts and models have no grade, listed in ${options.out}/failed.jsonl; ` +
        "run the same command to try them again",
    );
  }
}
