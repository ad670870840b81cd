import { snakeCased } from "../../foundation/snake-case.js";
import type { JudgeGrader } from "../../workbench/graders/grader.js";
import { type FromTracesOptions, fromTraces, type LearnedFromTraces } from "../../workbench.js";
import { flag, flagOf, JSON_OPTION, type OptionsOf, option, writeResult } from "../command.js";
import { type CliContext, CommandFailure, type Output } from "../context.js";
import { path, SERVER_OPTION } from "../options.js";
import { tableFor } from "../table.js";
import { exportedTraces } from "../traces/open.js";
import { FILTER_OPTIONS, filterParameters, SINCE_OPTION } from "../traces/options.js";
import { graderFrom } from "./collect-grader.js";
import { dollars } from "./collect-text.js";
import { number, profileSubcommand, stopped } from "./explained.js";
import { showProgress } from "./progress.js";

const OPTIONS = {
  outcomes: option(
    "<folder>",
    "folder to write prompts and outcomes to, or one of an earlier run",
    path,
  ).required(),
  update: option("<folder>", "profile set that learns from them; it is not changed", path),
  out: option("<folder>", "folder of the learned set", path),
  name: option("<name>", "name of that set; default: that of the folder"),
  force: flag("replace the set in --out"),
  embedder: option("<model>", "embedder of the set, a folder or hub id; default: SEXTANT_EMBEDDER"),
  judge: option("<model>", "model that grades every answer, instead of feedback"),
  rubric: option("<file>", "what makes an answer good, as text, for the judge", path),
  sample: option("<number>", "judge only this many answers, chosen at random, the same in every run", number),
  maxUsd: option("<dollars>", "maximum cost of judging in US dollars, earlier runs included", number),
  seed: option("<number>", "seed of clustering", number).default(0),
  builtAt: option("<date>", "build date written into the set; default: now"),
  ...SINCE_OPTION,
  ...FILTER_OPTIONS,
  ...SERVER_OPTION,
  ...JSON_OPTION,
};

type FromTracesCommandOptions = OptionsOf<typeof OPTIONS>;

/** `sextant profile from-traces`: outcomes from finished requests, and a set that has learned from them. */
export const fromTracesCommand = profileSubcommand("from-traces", {
  about:
    "turn finished requests with feedback, or a judge's grade, into outcomes, and let a set learn from them",
  options: OPTIONS,
  help: `
Reads finished requests from the store, or from a running server (--url). The texts of their prompts are written to --outcomes; the
set holds none. A run that was stopped goes on when the same command is run again: no verdict of a judge is paid twice.
See docs/learning.md.`,
  examples: [
    "sextant profile from-traces --since 30d --outcomes traffic --update profiles/default --out profiles/learned",
    "sextant profile from-traces --since 7d --outcomes judged --judge gpt-5.4-mini --sample 2000 --max-usd 5",
  ],
  run: runFromTraces,
});

type LearnedSet = NonNullable<LearnedFromTraces["set"]>;

/** @throws CommandFailure on wrong usage, when there is nothing to learn from, and when not all answers were judged */
async function runFromTraces(options: FromTracesCommandOptions, context: CliContext): Promise<void> {
  checkUsage(options);
  const parameters = filterParameters(options);
  const progress = showProgress(context.stderr);
  try {
    const learned = await fromTraces(
      exportedTraces(options, context, parameters),
      {
        outcomes: options.outcomes,
        judge: await judgeOf(options, context),
        update: updateOf(options),
        signal: context.signal,
        onProgress: (step, done, total, spentUsd) => {
          const detail = spentUsd === undefined ? [] : ([dollars(spentUsd)] as const);
          if (total > 0 || step !== "judge") progress.update(step, done, total, ...detail);
        },
        onNote: (note) => progress.note(note),
      },
      context,
    );
    if (learned.outcomes === 0) throw nothingLearned(learned, options);
    progress.stop();
    const text = () => learnedText(learned, { options, output: context.stdout });
    await writeResult(snakeCased(jsonOf(learned, options)), text, { json: options.json, context });
    if (learned.ending === "stopped") throw stopped();
    if (learned.ending === "budget") {
      throw new CommandFailure(
        `stopped before --max-usd ${options.maxUsd} was exceeded, and no set was written; run the same command with a larger one to go on`,
      );
    }
  } finally {
    progress.stop();
  }
}

function checkUsage({ update, out, judge, ...options }: FromTracesCommandOptions): void {
  if ((update === undefined) !== (out === undefined))
    throw new CommandFailure(
      "--update names the set that learns and --out the new one; give both or neither",
      2,
    );
  for (const name of ["rubric", "sample", "maxUsd"] as const) {
    if (judge === undefined && options[name] !== undefined)
      throw new CommandFailure(`${flagOf(name)} belongs to --judge; give a judge, or leave it out`, 2);
  }
}

async function judgeOf(
  { judge, rubric, sample, maxUsd }: FromTracesCommandOptions,
  context: CliContext,
): Promise<FromTracesOptions["judge"]> {
  if (judge === undefined) return undefined;
  const asked = { grade: "judge", judge, ...(rubric === undefined ? {} : { rubric }) } as const;
  return { grader: (await graderFrom(asked, { ...context, prompts: [] })) as JudgeGrader, sample, maxUsd };
}

function updateOf({
  update: set,
  out: folder,
  ...options
}: FromTracesCommandOptions): FromTracesOptions["update"] {
  if (set === undefined || folder === undefined) return undefined;
  const { name, force: replace, seed, embedder, builtAt } = options;
  return { set, folder, name, replace, seed, embedder, builtAt };
}

function nothingLearned(
  { ungraded, leftOut }: LearnedFromTraces,
  { judge }: FromTracesCommandOptions,
): CommandFailure {
  const why =
    judge === undefined
      ? `${ungraded} answers have no feedback. Have clients send it (POST /v1/feedback), or give a --judge`
      : `the judge graded none of ${ungraded} answers`;
  return new CommandFailure(`there is nothing to learn from: ${why}${leftOutText(leftOut)}`);
}

function leftOutText({ failed, text }: LearnedFromTraces["leftOut"]): string {
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

function learnedText(learned: LearnedFromTraces, { options, output }: TextOptions): string {
  const { outcomes, prompts, ungraded, explored, explorable, unchosen } = learned;
  const { models, spentUsd, leftOut, set, realOverExpected } = learned;
  const share = `${explored} explored of ${explorable} that took part (${((100 * explorable) / outcomes).toFixed(0)}%)`;
  const real =
    realOverExpected === null ? "" : ` They cost ${realOverExpected.toFixed(2)} of what was expected.`;
  const parts = [
    `${outcomes} graded answers to ${prompts} prompts in ${options.outcomes}: ${share}, ${unchosen} by models that the ` +
      `router did not choose; ${ungraded} without a grade${leftOutText(leftOut)}.${real}` +
      (options.judge === undefined ? "" : ` Judging cost ${dollars(spentUsd)} so far.`),
    tableFor(output, {
      head: ["model", "answers", "graded", "mean score"],
      rows: models.map(({ model, answers, graded, meanScore }) => [
        model,
        String(answers),
        String(graded),
        graded === 0 ? "–" : meanScore.toFixed(3),
      ]),
    }),
  ];
  if (set !== null) parts.push(setText(set, options));
  return parts.join("\n\n");
}

function setText(
  { name, anchors, answers, topics, realOverExpected, unknownModels }: LearnedSet,
  { out }: FromTracesCommandOptions,
): string {
  const unknown =
    unknownModels.length === 0
      ? ""
      : ` Answers of ${unknownModels.join(", ")} were left out: the set has no profile of them (sextant profile add-model).`;
  const real =
    realOverExpected === null
      ? ""
      : ` The answers cost ${realOverExpected.toFixed(2)} of what it expects of their prompts, each left out.`;
  return (
    `Profile set "${name}" in ${out} has learned from ${answers} answers, on ${topics} ` +
    `topic${topics === 1 ? "" : "s"} of your traffic; ${anchors} prompts in all.${real}${unknown}`
  );
}

const jsonOf = (learned: LearnedFromTraces, { outcomes, out }: FromTracesCommandOptions): object => ({
  outcomesFolder: outcomes,
  ...learned,
  set: learned.set && { folder: out, ...learned.set },
});
