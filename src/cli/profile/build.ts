import { buildPlannedSet } from "../../compose/build-set.js";
import type { WorkbenchSettings } from "../../compose/workbench.js";
import { checkOptions, plannedSetOptions } from "../../compose/workbench-options.js";
import { INDEX_KINDS, openHnswLibrary as openInstalledLibrary } from "../../engine/index.js";
import type { OpenHnswLibrary } from "../../engine/search/hnsw-library.js";
import { installCommand } from "../../foundation/optional-package.js";
import type { BuiltSet } from "../../workbench/fitting/build-from-outcomes.js";
import type { IndexToBuild } from "../../workbench/fitting/build-profile-set.js";
import { choice, flag, type OptionsOf, option } from "../command.js";
import { CommandFailure, writeLine } from "../context.js";
import { EMBEDDER_OPTION } from "../options.js";
import { number, profileSubcommand } from "./explained.js";
import { formatBytes } from "./inspect.js";
import { type BuildProgress, showProgress } from "./progress.js";
import { planBuild, SOURCE_OPTIONS } from "./sources.js";

const OPTIONS = {
  ...SOURCE_OPTIONS,
  ...EMBEDDER_OPTION,
  keepNames: flag("leave model names as the outcomes have them instead of mapping them to catalog ids"),
  seed: option("<number>", "seed of clustering and tuning", number).default(0),
  builtAt: option("<date>", "build date written into the set, for byte-identical builds; default: now"),
  index: choice(
    "<kind>",
    "index that serves the set; auto: exact for few anchors, ivf for many; hnsw needs hnswlib-node",
    ["auto", ...INDEX_KINDS],
  ).default("auto"),
  force: flag("replace the set in --out"),
};

export type ProfileBuildOptions = OptionsOf<typeof OPTIONS>;

export const buildCommand = profileSubcommand("build", {
  about: "build a profile set from prompts and the outcomes of models on them",
  options: OPTIONS,
  help: `
Prompts are lines {"id", "prompt" or "messages", "benchmark"?, "category"?}; outcomes are rows
{id, model, score 0..1, tokens_in?, tokens_out?, cost_usd?, n_samples?}: see datasets/README.md.
An interrupted build goes on where it stopped when the same command is run again.`,
  examples: [
    "sextant profile build --prompts datasets/sample --outcomes datasets/sample --out profiles/sample",
    "sextant profile build --config datasets/default-set.json --data FOLDER --out profiles/default",
  ],
  async run(options, context) {
    const { now, signal, stderr, stdout } = context;
    const started = now();
    const progress = showProgress(stderr);
    const { manifest, table } = await buildProfile(options, { from: context, progress, signal });
    const size = formatBytes(manifest.files.reduce((sum, { bytes }) => sum + bytes, 0));
    const seconds = ((now() - started) / 1000).toFixed(1);
    await writeLine(
      stdout,
      `Built profile set "${manifest.name}" in ${options.out}: ${table.models.length} models on ${manifest.anchors} prompts, ` +
        `${size}, in ${seconds} s`,
    );
  },
});

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
  { out, force, keepNames, seed, builtAt, embedder, ...options }: ProfileBuildOptions,
  { from, openHnswLibrary, progress, signal }: ProfileBuildDependencies,
): Promise<BuiltSet> {
  const naming = { replace: force === true, keepNames: keepNames === true };
  const common = { folder: out, ...naming, seed, builtAt, embedder };
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
