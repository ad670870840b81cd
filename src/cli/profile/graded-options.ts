import { readFile, writeFile } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import { decideGraded, type Evaluated } from "../../compose/workbench.js";
import type { Router } from "../../engine/router/router.js";
import { type CliContext, CommandFailure } from "../context.js";
import { showProgress } from "./progress.js";

/** What commands that decide graded prompts have in common. */
export interface GradedOptions {
  readonly prompts: readonly string[];
  readonly outcomes: readonly string[];
  readonly includeKnown?: true;
  readonly minCoverage: number;
  readonly seed: number;
  readonly json?: true;
  /** Other wordings of the prompts. */
  readonly rewordings?: readonly string[];
  readonly stability?: boolean;
}

/** One way to decide. */
export interface WayToDecide {
  readonly set?: string | undefined;
  readonly embedder?: string | undefined;
  readonly costWeight: number;
  /** A cost weight that the sweep has in any case. */
  readonly including?: number | undefined;
}

export function addGradedOptions(command: Command, inFolder: (path: string) => string): Command {
  const several = (path: string, earlier: readonly string[] = []) => [...earlier, inFolder(path)];
  return command
    .requiredOption(
      "--prompts <path>",
      "prompts that the set was not built with, as for build; may be repeated",
      several,
    )
    .requiredOption("--outcomes <path>", "graded answers to them, as for build; may be repeated", several)
    .option("--include-known", "evaluate prompts that the set was built with, too")
    .option(
      "--min-coverage <share>",
      "leave out models graded on at most this share of the prompts",
      numberWithin(0, 1),
      0.9,
    )
    .option("--seed <number>", "seed of the bootstrap", numberWithin(0, 0xffff_ffff), 0)
    .option("--json", "print JSON");
}

/** Reads a number for commander. */
export const numberWithin =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== "" && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };

/**
 * Opens a set and decides the prompts by it.
 *
 * @param use is called with the open router, which is closed afterwards
 */
export async function evaluateWay<Result>(
  { set, embedder, costWeight, including }: WayToDecide,
  options: GradedOptions,
  {
    context,
    use,
  }: {
    readonly context: CliContext;
    readonly use: (evaluated: Evaluated, router: Router) => Promise<Result>;
  },
): Promise<Result> {
  const { signal } = context;
  const progress = showProgress(context.stderr);
  const onProgress = (done: number, total: number) => progress.update("decide", done, total);
  try {
    return await decideGraded(
      { ...options, set, embedder, costWeight, including, signal, onProgress },
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
export async function readTextFile(path: string, option: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new CommandFailure(`${option} ${path} cannot be read: ${reasonOf(error)}`, 2);
  }
}

/** @throws CommandFailure when it cannot be written */
export async function writeTextFile(path: string, text: string, option: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new CommandFailure(`${option} ${path} cannot be written: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && error.code === "ENOENT" ? "there is no such file or folder" : error.message;
}
