import { buildPlannedSet } from "../../compose/build-set.js";
import type { WorkbenchSettings } from "../../compose/workbench.js";
import { checkOptions, plannedSetOptions } from "../../compose/workbench-options.js";
import { openHnswLibrary as openInstalledLibrary } from "../../engine/index.js";
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
  readonly seed: number;
  readonly force?: boolean;
  /** Models keep the names of the outcome files instead of their catalog ids. */
  readonly keepNames?: boolean;
  /** Default: now. */
  readonly builtAt?: string;
  readonly embedder?: string;
  readonly index: "auto" | IndexKind;
}

export interface ProfileBuildDependencies {
  readonly from: WorkbenchSettings;
  /** Default: the installed package. */
  readonly openHnswLibrary?: OpenHnswLibrary;
  readonly progress: BuildProgress;
  readonly signal: AbortSignal;
}

/**
 * Builds a profile set from outcome files.
 *
 * @throws CommandFailure on wrong usage, WorkbenchError, OutcomeDataError
 */
export async function buildProfile(
  { out, force = false, keepNames = false, seed, builtAt, embedder, ...options }: ProfileBuildOptions,
  { from, openHnswLibrary, progress, signal }: ProfileBuildDependencies,
): Promise<BuiltSet> {
  const common = { folder: out, replace: force, keepNames, seed, builtAt, embedder };
  checkOptions(plannedSetOptions, common);
  const index = await chooseIndex(options.index, openHnswLibrary);
  const plan = await planBuild({ ...options, out });
  try {
    return await buildPlannedSet(
      plan,
      {
        ...common,
        index,
        signal,
        onProgress: (step, done, total) => progress.update(step, done, total),
        onNote: (note) => progress.note(note),
      },
      from,
    );
  } finally {
    progress.stop();
  }
}

/** @throws CommandFailure when the graph's library is not installed */
async function chooseIndex(
  kind: ProfileBuildOptions["index"],
  openLibrary: OpenHnswLibrary = openInstalledLibrary,
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
