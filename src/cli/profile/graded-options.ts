import { readFile, writeFile } from "node:fs/promises";
import { decideGraded, type Evaluated, type EvaluateSetOptions } from "../../compose/workbench.js";
import { checkOptions, evaluateSetOptions } from "../../compose/workbench-options.js";
import type { Router } from "../../engine/router/router.js";
import { replaceFile } from "../../foundation/replace-file.js";
import type { Evaluation } from "../../workbench/evaluation/evaluate.js";
import { mixedScales } from "../../workbench/index.js";
import { choice, flag, JSON_OPTION, type OptionsOf, option } from "../command.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { path } from "../options.js";
import { number } from "./explained.js";
import { showProgress } from "./progress.js";

/** Held-out prompts, as the commands that decide them read them. */
export const HELD_OUT_OPTIONS = {
  includeKnown: flag("also evaluate prompts that the set was built with"),
  minCoverage: option(
    "<share>",
    "leave out models graded on at most this share of the prompts",
    number,
  ).default(0.9),
};

/** What commands that decide graded prompts have in common. */
export const GRADED_OPTIONS = {
  prompts: option(
    "<path>",
    "prompts that the set was not built with, in the formats of build; may be repeated",
    path,
  )
    .repeated()
    .required(),
  outcomes: option("<path>", "graded answers to them, in the formats of build; may be repeated", path)
    .repeated()
    .required(),
  ...HELD_OUT_OPTIONS,
  seed: option("<number>", "seed of the bootstrap", number).default(0),
  per: choice(
    "<what>",
    "whether costs are those of a call, or of the whole agent task that each prompt begins; default: call",
    ["call", "task"],
  ),
  ...JSON_OPTION,
};

type GradedOptions = OptionsOf<typeof GRADED_OPTIONS> & { readonly candidates?: boolean };

/** One way to decide. */
export interface WayToDecide {
  readonly set?: string | undefined;
  readonly embedder?: string | undefined;
  readonly costWeight: number;
}

/**
 * Opens a set and decides the prompts by it.
 *
 * @param use is called with the open router, which is closed afterwards
 */
export async function evaluateWay<Result>(
  { set, embedder, costWeight }: WayToDecide,
  { prompts, outcomes, includeKnown, minCoverage, seed, candidates, per }: GradedOptions,
  {
    context,
    along,
    use,
  }: {
    readonly context: CliContext;
    /** False where the cost weight alone is decided at. */
    readonly along?: boolean;
    readonly use: (evaluated: Evaluated, router: Router) => Promise<Result>;
  },
): Promise<Result> {
  const progress = showProgress(context.stderr);
  const asked = {
    prompts,
    outcomes,
    includeKnown,
    minCoverage,
    seed,
    candidates,
    per,
    set,
    embedder,
    costWeight,
    signal: context.signal,
    onProgress: (done: number, total: number) => progress.update("decide", done, total),
  };
  checkOptions<EvaluateSetOptions>(evaluateSetOptions, asked);
  try {
    return await decideGraded(
      { ...asked, along },
      {
        from: context,
        use: (evaluated, router) => {
          progress.stop();
          return use(evaluated, router);
        },
      },
    );
  } finally {
    progress.stop();
  }
}

/** @throws CommandFailure when it cannot be read */
export async function readTextFile(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CommandFailure(`${flag} ${file} cannot be read: ${reasonOf(error)}`, 2);
  }
}

/** @throws CommandFailure when it cannot be written */
export async function writeTextFile(file: string, text: string, flag: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new CommandFailure(`${flag} ${file} cannot be written: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && error.code === "ENOENT" ? "there is no such file or folder" : error.message;
}

/** As `replaceFile`. @throws CommandFailure when it cannot be written */
export async function replaceTextFile(file: string, text: string, flag: string): Promise<void> {
  await replaceFile(file, text).catch((error) => {
    throw new CommandFailure(`${flag} ${file} cannot be written: ${reasonOf(error)}`);
  });
}

/** Says on standard error which models and prompts are not part of an evaluation, and why. */
export async function writeLeftOut(
  { leftOut }: Pick<Evaluation, "leftOut">,
  { stderr }: Pick<CliContext, "stderr">,
): Promise<void> {
  for (const line of leftOut === null ? [] : leftOutLines(leftOut))
    await writeLine(stderr, `sextant: ${line}`);
}

function leftOutLines({
  allPrompts,
  unknownModels,
  sparseModels,
  ungradedModels,
  unpricedModels,
  incompletePrompts,
  scales,
}: NonNullable<Evaluation["leftOut"]>): readonly string[] {
  const sparse = sparseModels.map(({ model, prompts }) => `${model} (${prompts})`);
  return [
    ...named("left out, as the set does not have them", unknownModels),
    ...named(`left out, as they are graded on too few of the ${allPrompts} prompts (--min-coverage)`, sparse),
    ...named("left out, as the outcomes have no answers of them", ungradedModels),
    ...named("never chosen above cost weight 0, as their cost is not known", unpricedModels),
    ...(incompletePrompts === 0
      ? []
      : [
          `left out: ${incompletePrompts} of ${allPrompts} prompts, which not all of these models are graded on`,
        ]),
    ...[mixedScales(scales) ?? []].flat(),
  ];
}

const MOST_NAMES = 10;

function named(what: string, models: readonly string[]): readonly string[] {
  if (models.length === 0) return [];
  const more = models.length > MOST_NAMES ? ` and ${models.length - MOST_NAMES} others` : "";
  return [`${what}: ${models.slice(0, MOST_NAMES).join(", ")}${more}`];
}
