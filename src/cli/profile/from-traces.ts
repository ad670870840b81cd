import { basename, join } from "node:path";
import { openModels } from "../../compose/open-models.js";
import { type LeftOutTraces, usableAnswers } from "../../compose/usable-answers.js";
import { openEmbedder } from "../../engine/index.js";
import { waitingTimers } from "../../foundation/timers.js";
import { loadSettings, readEnvironment, SHIPPED_EMBEDDER } from "../../gateway/index.js";
import type { JudgeGrader } from "../../workbench/graders/grader.js";
import { outcomesFromTraces, updateSet } from "../../workbench/index.js";
import type { UpdatedSet } from "../../workbench/learning/update-set.js";
import type { FromTracesReport, Judging } from "../../workbench/traffic/outcomes-from-traces.js";
import { type CliContext, CommandFailure, type Output, writeLine } from "../context.js";
import { engineCatalog } from "../engine-catalog.js";
import { tableFor } from "../table.js";
import { withTraces } from "../traces/open.js";
import { type FilterOptions, filterParameters, type ServerOptions } from "../traces/options.js";
import type { TraceReader } from "../traces/reader.js";
import { parseDate, parseSeed, requireFreeFolder } from "./build.js";
import { graderFrom, numberFrom } from "./collect-grader.js";
import { dollars } from "./collect-text.js";
import { stopped } from "./explained.js";
import { type BuildProgress, showProgress } from "./progress.js";

/** Options of `sextant profile from-traces` as commander gives them. */
export interface FromTracesCommandOptions extends FilterOptions, ServerOptions {
  readonly since?: string;
  readonly outcomes: string;
  readonly update?: string;
  readonly out?: string;
  readonly name?: string;
  readonly force?: true;
  readonly embedder?: string;
  readonly judge?: string;
  readonly rubric?: string;
  readonly sample?: string;
  readonly maxUsd?: string;
  readonly seed: string;
  readonly builtAt?: string;
  readonly json?: true;
}

interface Finished {
  readonly report: FromTracesReport;
  readonly leftOut: LeftOutTraces;
  readonly updated: UpdatedSet | undefined;
}

/** @throws CommandFailure on wrong usage, when there is nothing to learn from, and when not all answers were judged */
export async function runFromTraces(options: FromTracesCommandOptions, context: CliContext): Promise<void> {
  await checkUsage(options);
  const progress = showProgress(context.stderr);
  try {
    const leftOut: LeftOutTraces = { failed: 0, text: 0 };
    const report = await writeOutcomes(options, { context, progress, leftOut });
    if (report.outcomes === 0) throw nothingLearned(report, { options, leftOut });
    const isWhole = report.ending === "finished";
    const updated = isWhole ? await update(options, { context, progress }) : undefined;
    progress.stop();
    const finished = { report, leftOut, updated };
    await writeLine(
      context.stdout,
      options.json
        ? JSON.stringify(jsonOf(finished, options), null, 2)
        : textOf(finished, { options, output: context.stdout }),
    );
    if (report.ending === "stopped") throw stopped();
    if (!isWhole) {
      throw new CommandFailure(
        `stopped before --max-usd ${options.maxUsd} was exceeded, and no set was written; run the same command with a larger one to go on`,
      );
    }
  } finally {
    progress.stop();
  }
}

async function checkUsage(options: FromTracesCommandOptions): Promise<void> {
  const { update: set, out, judge, force } = options;
  if ((set === undefined) !== (out === undefined))
    throw new CommandFailure(
      "--update names the set that learns and --out the new one; give both or neither",
      2,
    );
  if (out !== undefined && out === set)
    throw new CommandFailure("--out is the set of --update, which is left as it is; name another folder", 2);
  for (const flag of ["rubric", "sample", "maxUsd"] as const) {
    if (judge === undefined && options[flag] !== undefined) {
      const name = flag === "maxUsd" ? "max-usd" : flag;
      throw new CommandFailure(`--${name} belongs to --judge; give a judge, or leave it out`, 2);
    }
  }
  if (out !== undefined) await requireFreeFolder(out, { force });
}

interface Running {
  readonly context: CliContext;
  readonly progress: BuildProgress;
}

async function writeOutcomes(
  options: FromTracesCommandOptions,
  { context, progress, leftOut }: Running & { readonly leftOut: LeftOutTraces },
): Promise<FromTracesReport> {
  const judging = await judgingOf(options, context);
  const found: FromTracesReport[] = [];
  try {
    await withTraces(options, context, async (traces) => {
      const report = await outcomesFromTraces({
        answers: answersOf(traces, options, leftOut),
        folder: options.outcomes,
        judging,
        signal: context.signal,
        onProgress: ({ done, total, spentUsd }) => {
          if (total > 0) progress.update("judge", done, total, dollars(spentUsd));
        },
      });
      found.push(report);
    });
  } finally {
    await judging?.close();
  }
  return found[0] as FromTracesReport;
}

async function judgingOf(
  options: FromTracesCommandOptions,
  context: CliContext,
): Promise<(Judging & { readonly close: () => Promise<void> }) | undefined> {
  const { judge, rubric, sample, maxUsd } = options;
  if (judge === undefined) return undefined;
  const asked = { grade: "judge", judge, ...(rubric === undefined ? {} : { rubric }) } as const;
  const { environment, workingDirectory } = context;
  const caller = openModels(loadSettings(environment, context), {
    environment: readEnvironment(environment, { workingDirectory }),
    openRouter: context.openRouter,
  });
  return {
    grader: (await graderFrom(asked, context)) as JudgeGrader,
    caller,
    sample: sample === undefined ? undefined : numberFrom("--sample", sample),
    maxUsd: maxUsd === undefined ? undefined : numberFrom("--max-usd", maxUsd),
    ...{ clock: () => performance.now(), timers: waitingTimers, now: context.now, random: Math.random },
    close: () => caller.close(),
  };
}

/** Without a judge, traces without feedback are read too: how many there are is part of the report. */
function answersOf(
  traces: TraceReader,
  { since, ...filters }: FromTracesCommandOptions,
  leftOut: LeftOutTraces,
): ReturnType<typeof usableAnswers> {
  const parameters = filterParameters(since === undefined ? filters : { startDate: since, ...filters });
  return usableAnswers(traces.export(parameters), leftOut);
}

async function update(
  options: FromTracesCommandOptions,
  { context, progress }: Running,
): Promise<UpdatedSet | undefined> {
  const { update: set, out, outcomes, name, seed, builtAt, embedder: named } = options;
  if (set === undefined || out === undefined) return undefined;
  const { settings, catalog } = engineCatalog(named === undefined ? {} : { embedder: named }, context);
  const embedder = await openEmbedder(settings.embedder ?? SHIPPED_EMBEDDER, {
    cacheDir: join(settings.dataDir, "models"),
    signal: context.signal,
  });
  try {
    return await updateSet(set, outcomes, {
      ...{
        folder: out,
        name: name ?? basename(out),
        embedder,
        seed: parseSeed(seed),
        signal: context.signal,
      },
      builtAt: builtAt === undefined ? new Date(context.now()).toISOString() : parseDate(builtAt),
      rename: (model) => catalog.lookup(model).profile ?? model,
      onProgress: (step, done, total) => progress.update(step, done, total),
      onNote: (note) => progress.note(note),
    });
  } finally {
    await embedder.close();
  }
}

interface Explanation {
  readonly options: FromTracesCommandOptions;
  readonly leftOut: LeftOutTraces;
}

function nothingLearned({ ungraded }: FromTracesReport, { options, leftOut }: Explanation): CommandFailure {
  const why =
    options.judge === undefined
      ? `${ungraded} answers have no feedback. Have clients send it (POST /v1/feedback), or give a --judge`
      : `the judge graded none of ${ungraded} answers`;
  return new CommandFailure(`there is nothing to learn from: ${why}${leftOutText(leftOut)}`);
}

function leftOutText({ failed, text }: LeftOutTraces): string {
  const parts = [
    ...(text > 0 ? [`${text} whose text was not kept`] : []),
    ...(failed > 0 ? [`${failed} that failed, were not executed, or asked for embeddings`] : []),
  ];
  return parts.length === 0 ? "" : `; left out: ${parts.join(", ")}`;
}

interface TextOptions {
  readonly options: FromTracesCommandOptions;
  readonly output: Output;
}

function textOf({ report, leftOut, updated }: Finished, { options, output }: TextOptions): string {
  const { outcomes, prompts, ungraded, explored, unchosen, models, spentUsd } = report;
  const parts = [
    `${outcomes} graded answers to ${prompts} prompts in ${options.outcomes}: ${explored} explored, ${unchosen} by models that the ` +
      `router did not choose; ${ungraded} without a grade${leftOutText(leftOut)}.` +
      (options.judge === undefined ? "" : ` Judging cost ${dollars(spentUsd)} so far.`),
    tableFor(output, {
      head: ["model", "answers", "graded", "mean score"],
      rows: models.map(({ model, answers, graded, meanScore }) => [
        ...[model, String(answers), String(graded), graded === 0 ? "–" : meanScore.toFixed(3)],
      ]),
    }),
  ];
  if (updated !== undefined) parts.push(updatedText(updated, options));
  return parts.join("\n\n");
}

function updatedText(
  { manifest, learned, unknownModels }: UpdatedSet,
  { out }: FromTracesCommandOptions,
): string {
  const unknown =
    unknownModels.length === 0
      ? ""
      : ` Answers of ${unknownModels.join(", ")} were left out: the set has no profile of them (sextant profile add-model).`;
  return (
    `Profile set "${manifest.name}" in ${out} has learned from ${learned.answers} answers, on ${learned.topicCount} ` +
    `topic${learned.topicCount === 1 ? "" : "s"} of your traffic; ${manifest.anchors} prompts in all.${unknown}`
  );
}

function jsonOf(
  { report, leftOut, updated }: Finished,
  { outcomes: folder, out }: FromTracesCommandOptions,
): object {
  const { models, spentUsd, ...counts } = report;
  return {
    ...{ outcomes_folder: folder, ...counts, spent_usd: spentUsd, left_out: leftOut },
    models: models.map(({ meanScore, ...model }) => ({
      ...model,
      mean_score: Number.isNaN(meanScore) ? null : meanScore,
    })),
    set:
      updated === undefined
        ? null
        : {
            ...{ folder: out, name: updated.manifest.name, anchors: updated.manifest.anchors },
            ...{ answers: updated.learned.answers, topics: updated.learned.topicCount },
            unknown_models: updated.unknownModels,
          },
  };
}
