import { join, resolve } from "node:path";
import { Command } from "commander";
import type { Embedder } from "../embedding/embedder.js";
import { openEmbedder } from "../embedding/open-embedder.js";
import { loadSettings } from "../load-settings.js";
import type { BuiltSet } from "../profiles/build/build-from-outcomes.js";
import { loadProfileSets } from "../profiles/load.js";
import { SHIPPED_EMBEDDER } from "../settings.js";
import { type CliContext, CommandFailure, writeLine } from "./context.js";
import { buildProfile, type ProfileBuildOptions } from "./profile-build.js";
import { formatBytes, renderProfileSet, reportProfileSet } from "./profile-inspect.js";
import { showProgress } from "./profile-progress.js";
import { verifyProfileSets } from "./profile-verify.js";

/** `sextant profile`: makes profile sets from outcomes, says what they hold, checks them. */
export function profileCommand(context: CliContext): Command {
  return new Command("profile")
    .description("build, inspect and verify profile sets")
    .addCommand(buildCommand(context))
    .addCommand(inspectCommand(context))
    .addCommand(verifyCommand(context));
}

interface EmbedderOption {
  readonly embedder?: string;
}

function buildCommand(context: CliContext): Command {
  const several = (path: string, earlier: readonly string[] = []) => [...earlier, path];
  const paths = (path: string, earlier?: readonly string[]) => several(inFolder(context, path), earlier);
  const one = (path: string) => inFolder(context, path);
  return new Command("build")
    .description("build a profile set from prompts and the outcomes of models on them")
    .option("--prompts <path>", "prompts: .jsonl or .jsonl.gz, a file or a folder; may be repeated", paths)
    .option(
      "--outcomes <path>",
      "outcomes: .parquet, .csv or .jsonl, a file or a folder; may be repeated",
      paths,
    )
    .option(
      "--scores <file>",
      "published scores, .jsonl or .csv, by which models are placed too; may be repeated",
      paths,
    )
    .option(
      "--source <facts>",
      "name=…,licence=…,commit=…,url=…; once per pair of prompts and outcomes",
      several,
    )
    .option(
      "--config <file>",
      "JSON file that names the set and its sources, instead of the three above",
      one,
    )
    .option("--data <folder>", "folder that the paths in --config are relative to; default: its own", one)
    .requiredOption("--out <folder>", "folder of the set to write", one)
    .option("--name <name>", "name of the set; default: that of --config, or of the folder")
    .option("--embedder <model>", "embedder to use, a folder or hub id; default: SEXTANT_EMBEDDER")
    .option(
      "--keep-names",
      "leave model names as the outcomes have them instead of mapping them to catalog ids",
    )
    .option("--seed <number>", "seed of clustering and tuning", "0")
    .option(
      "--built-at <date>",
      "date the set says of itself, for a build that is the same to the byte; default: now",
    )
    .option("--force", "replace the set in --out")
    .action((options: ProfileBuildOptions & EmbedderOption) =>
      explained(context, () => runBuild(options, context)),
    )
    .addHelpText("after", BUILD_HELP);
}

const BUILD_HELP = `
Prompts are lines {"id", "prompt" or "messages", "benchmark"?, "category"?}; outcomes are rows
{id, model, score 0..1, tokens_in?, tokens_out?, cost_usd?, n_samples?}: see datasets/README.md.
An interrupted build goes on where it stopped when the same command is run again.

Examples:
  $ sextant profile build --prompts datasets/sample --outcomes datasets/sample --out profiles/sample
  $ sextant profile build --config datasets/default-set.json --data FOLDER --out profiles/default`;

async function runBuild(options: ProfileBuildOptions & EmbedderOption, context: CliContext): Promise<void> {
  const started = context.now();
  const built = await buildProfile(options, {
    openEmbedder: () => openNamedEmbedder(options, context),
    progress: showProgress(context.stderr),
    now: context.now,
    signal: context.signal,
  });
  const seconds = ((context.now() - started) / 1000).toFixed(1);
  await writeLine(context.stdout, `${describeBuilt(built, options.out)}, in ${seconds} s`);
}

function describeBuilt({ manifest, table }: BuiltSet, folder: string): string {
  const size = formatBytes(manifest.files.reduce((sum, { bytes }) => sum + bytes, 0));
  const found = `${table.models.length} models on ${manifest.anchors} prompts, ${size}`;
  return `Built profile set "${manifest.name}" in ${folder}: ${found}`;
}

function inspectCommand(context: CliContext): Command {
  return new Command("inspect")
    .description("say what a profile set holds")
    .argument("<folder>", "a profile set, or a folder of several")
    .option("--json", "print JSON instead of tables")
    .action((folder: string, options: { readonly json?: true }) =>
      explained(context, async () => {
        const loaded = await loadProfileSets(inFolder(context, folder), {
          hasPrice: () => false,
          prefer: "exact",
        });
        const reports = loaded.map(reportProfileSet);
        const json = () => JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2);
        const answer = options.json ? json() : reports.map(renderProfileSet).join("\n\n\n");
        await writeLine(context.stdout, answer);
      }),
    );
}

function verifyCommand(context: CliContext): Command {
  return new Command("verify")
    .description("check format, checksums, embedder and search of a profile set")
    .argument("<folder>", "a profile set, or a folder of several")
    .option("--embedder <model>", "embedder to check against, a folder or hub id; default: SEXTANT_EMBEDDER")
    .action((folder: string, options: EmbedderOption) =>
      explained(context, () => runVerify(folder, { ...options, context })),
    );
}

async function runVerify(
  folder: string,
  { context, ...options }: EmbedderOption & { readonly context: CliContext },
): Promise<void> {
  const embedder = await openNamedEmbedder(options, context);
  try {
    for (const set of await verifyProfileSets(inFolder(context, folder), embedder)) {
      const search = `${set.searchKind} search finds ${(100 * set.recall).toFixed(1)} % of the nearest anchors`;
      await writeLine(
        context.stdout,
        `${set.name}: whole; ${set.anchors} anchors, ${set.models} models; made for embedder ${embedder.id}; ${search}`,
      );
      for (const note of set.notes) await writeLine(context.stderr, `sextant: ${note}`);
    }
  } finally {
    await embedder.close();
  }
}

function openNamedEmbedder(options: EmbedderOption, context: CliContext): Promise<Embedder> {
  const named = options.embedder === undefined ? {} : { SEXTANT_EMBEDDER: options.embedder };
  const settings = loadSettings({ ...context.environment, ...named }, context);
  return openEmbedder(settings.embedder ?? SHIPPED_EMBEDDER, {
    cacheDir: join(settings.dataDir, "models"),
    signal: context.signal,
  });
}

function inFolder(context: CliContext, path: string): string {
  return resolve(context.workingDirectory, path);
}

const EXPLAINED = [
  "OutcomeDataError",
  "ProfileSetError",
  "SectionFileError",
  "SearchCheckError",
  "EmbedderLoadError",
  "TransformersWorkerError",
];
const INTERRUPTED = 130;

/** Runs a command. Faults of the files it was given are explained by their message; being stopped is no bug either. */
async function explained(context: CliContext, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (context.signal.aborted)
      throw new CommandFailure("stopped; run the same command to go on", INTERRUPTED);
    throw error instanceof Error && EXPLAINED.includes(error.name)
      ? new CommandFailure(error.message)
      : error;
  }
}
