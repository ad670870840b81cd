import { buildSetFromOutcomes } from "../../compose/build-set.js";
import type { Embedder } from "../../engine/embedding/embedder.js";
import { openHnswLibrary, targetProblem } from "../../engine/index.js";
import type { IndexKind } from "../../engine/search/anchor-index.js";
import type { OpenHnswLibrary } from "../../engine/search/hnsw-library.js";
import { installCommand } from "../../foundation/optional-package.js";
import type { BuiltSet } from "../../workbench/fitting/build-from-outcomes.js";
import type { IndexToBuild } from "../../workbench/fitting/build-profile-set.js";
import { CommandFailure } from "../context.js";
import type { BuildProgress } from "./progress.js";
import { planBuild, type SourceOptions } from "./sources.js";

/** Options of `sextant profile build` as commander gives them. */
export interface ProfileBuildOptions extends SourceOptions {
  readonly seed: string;
  readonly force?: boolean;
  /** Models keep the names of the outcome files instead of their catalog ids. */
  readonly keepNames?: boolean;
  /** ISO 8601; now when absent. */
  readonly builtAt?: string;
  readonly index: "auto" | IndexKind;
}

export interface ProfileBuildDependencies {
  readonly openEmbedder: () => Promise<Embedder>;
  /** Default: the installed package. */
  readonly openHnswLibrary?: OpenHnswLibrary;
  readonly progress: BuildProgress;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * Builds a profile set from outcome files.
 *
 * @throws CommandFailure on wrong usage, OutcomeDataError
 */
export async function buildProfile(
  options: ProfileBuildOptions,
  dependencies: ProfileBuildDependencies,
): Promise<BuiltSet> {
  const seed = parseSeed(options.seed);
  const builtAt =
    options.builtAt === undefined ? new Date(dependencies.now()).toISOString() : parseDate(options.builtAt);
  const index = await chooseIndex(options.index, dependencies.openHnswLibrary);
  const plan = await planBuild(options);
  await requireFreeFolder(options.out, options);
  const embedder = await dependencies.openEmbedder();
  try {
    return await buildSetFromOutcomes(plan, {
      ...{ folder: options.out, embedder, seed, builtAt, index, keepNames: options.keepNames === true },
      signal: dependencies.signal,
      onProgress: (step, done, total) => dependencies.progress.update(step, done, total),
      onNote: (note) => dependencies.progress.note(note),
    });
  } finally {
    dependencies.progress.stop();
    await embedder.close();
  }
}

/** @throws CommandFailure when the graph's library is not installed */
async function chooseIndex(
  kind: ProfileBuildOptions["index"],
  openLibrary: OpenHnswLibrary = openHnswLibrary,
): Promise<IndexToBuild | undefined> {
  if (kind === "auto") return undefined;
  if (kind !== "hnsw") return { kind };
  const library = await openLibrary();
  if (library !== undefined) return { kind, library };
  throw new CommandFailure(
    "--index hnsw needs the package hnswlib-node, which is not installed with Sextant: run " +
      `\`${installCommand("hnswlib-node")}\` where Sextant is installed, which takes a C++ compiler`,
    2,
  );
}

/** @throws CommandFailure */
export function parseSeed(text: string): number {
  const seed = Number(text);
  if (/^\d+$/.test(text) && seed <= 0xffff_ffff) return seed;
  throw new CommandFailure(`--seed is "${text}", not a whole number from 0 to 4294967295`, 2);
}

/** @throws CommandFailure when the folder of `--out` holds what `--force` does not allow to replace */
export async function requireFreeFolder(
  folder: string,
  { force = false }: { readonly force?: boolean | undefined },
): Promise<void> {
  const problem = await targetProblem(folder, { replace: force, option: "--force" });
  if (problem !== undefined) throw new CommandFailure(`--out ${folder} ${problem}`, 2);
}

/** @throws CommandFailure */
export function parseDate(text: string): string {
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw new CommandFailure(
    `--built-at is ${JSON.stringify(text)}: it must be a date such as 2026-01-31T12:00:00Z.`,
    2,
  );
}
