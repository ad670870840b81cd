import { createInterface } from "node:readline";
import { openModels } from "../../compose/open-models.js";
import { waitingTimers } from "../../foundation/timers.js";
import { loadSettings, readEnvironment } from "../../gateway/index.js";
import type { CollectEstimate, CollectOptions, CollectReport } from "../../workbench/collect-options.js";
import { collect, readPromptTable, samplePrompts } from "../../workbench/index.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { type GraderOptions, graderFrom, numberFrom } from "./collect-grader.js";
import { dollars, estimateText, reportJson, reportText } from "./collect-text.js";
import { stopped } from "./explained.js";
import { showProgress } from "./progress.js";

/** Options of `sextant profile collect` as commander gives them. */
export interface CollectCommandOptions extends GraderOptions {
  readonly prompts: string;
  readonly models: readonly string[];
  readonly out: string;
  readonly promptColumn?: string;
  readonly referenceColumn?: string;
  readonly idColumn?: string;
  readonly sample?: string;
  readonly seed: string;
  readonly system?: string;
  readonly maxTokens?: string;
  readonly temperature?: string;
  readonly maxUsd?: string;
  readonly concurrency?: string;
  readonly providerConcurrency?: string;
  readonly lostCalls: "ask" | "skip";
  readonly yes?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

/** Collects outcomes and prints what they come to. @throws CommandFailure when something is missing in the end */
export async function runCollect(options: CollectCommandOptions, context: CliContext): Promise<void> {
  const { signal, workingDirectory, environment } = context;
  const wish = await wishFrom(options, context);
  const settings = loadSettings(environment, context);
  const caller = openModels(settings, {
    environment: readEnvironment(environment, { workingDirectory }),
    openRouter: context.openRouter,
  });
  const progress = showProgress(context.stderr);
  try {
    const report = await collect(
      {
        ...wish,
        signal,
        confirm: (estimate) => confirm(estimate, { options, context }),
        onProgress: ({ step, done, total, spentUsd }) => {
          const detail = step === "grade" ? [] : ([dollars(spentUsd)] as const);
          if (total > 0) progress.update(step, done, total, ...detail);
        },
      },
      {
        caller,
        clock: () => performance.now(),
        timers: waitingTimers,
        now: context.now,
        random: Math.random,
      },
    );
    progress.stop();
    if (!options.dryRun) await conclude(report, { options, context });
  } finally {
    progress.stop();
    await caller.close();
  }
}

async function wishFrom(options: CollectCommandOptions, context: CliContext): Promise<CollectOptions> {
  const { models, system, lostCalls, promptColumn, referenceColumn, idColumn } = options;
  const number = (flag: string, text: string | undefined) =>
    text === undefined ? undefined : numberFrom(flag, text);
  const grader = await graderFrom(options, context);
  const all = await readPromptTable(options.prompts, {
    columns: { prompt: promptColumn, reference: referenceColumn, id: idColumn },
    signal: context.signal,
  });
  const size = number("--sample", options.sample);
  const prompts =
    size === undefined ? all : samplePrompts(all, { size, seed: numberFrom("--seed", options.seed) });
  return {
    prompts,
    models,
    grader,
    system,
    lostCalls,
    folder: options.out,
    maxTokens: number("--max-tokens", options.maxTokens),
    temperature: number("--temperature", options.temperature),
    maxUsd: number("--max-usd", options.maxUsd),
    concurrency: number("--concurrency", options.concurrency),
    providerConcurrency: number("--provider-concurrency", options.providerConcurrency),
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
    options.json ? JSON.stringify(reportJson(report, options.out), null, 2) : reportText(report, stdout),
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
