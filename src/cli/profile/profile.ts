import { Command, Option } from "commander";
import { openNamedEmbedder } from "../../compose/workbench.js";
import { describeSet, INDEX_KINDS, loadProfileSets } from "../../engine/index.js";
import type { BuiltSet } from "../../workbench/fitting/build-from-outcomes.js";
import { copyWithoutModel, dropModel } from "../../workbench/index.js";
import { type CliContext, writeLine } from "../context.js";
import { type AddModelOptions, addModel, renderAddedModel } from "./add-model.js";
import { buildProfile, type ProfileBuildOptions } from "./build.js";
import { collectCommand } from "./collect.js";
import { compareCommand } from "./compare.js";
import { diffCommand } from "./diff.js";
import { evalCommand } from "./evaluate.js";
import { explained, inFolder, number, several } from "./explained.js";
import { fromTracesCommand } from "./from-traces-command.js";
import { formatBytes, renderProfileSet } from "./inspect.js";
import { labelNextCommand } from "./label-next.js";
import { showProgress } from "./progress.js";
import { reportCommand } from "./report.js";
import { tuneCommand } from "./tune.js";
import { verifyProfileSets } from "./verify.js";

/** `sextant profile`: collects outcomes, makes profile sets from them, adds models to them, says what they hold, checks them. */
export function profileCommand(context: CliContext): Command {
  return new Command("profile")
    .description("collect outcomes; build, extend, inspect, verify, evaluate and compare profile sets")
    .addCommand(collectCommand(context))
    .addCommand(buildCommand(context))
    .addCommand(fromTracesCommand(context))
    .addCommand(addModelCommand(context))
    .addCommand(dropModelCommand(context))
    .addCommand(labelNextCommand(context))
    .addCommand(inspectCommand(context))
    .addCommand(verifyCommand(context))
    .addCommand(evalCommand(context))
    .addCommand(compareCommand(context))
    .addCommand(tuneCommand(context))
    .addCommand(diffCommand(context))
    .addCommand(reportCommand(context));
}

interface EmbedderOption {
  readonly embedder?: string;
}

function buildCommand(context: CliContext): Command {
  const paths = (path: string, earlier?: readonly string[]) => several(inFolder(context, path), earlier);
  const one = (path: string) => inFolder(context, path);
  return new Command("build")
    .description("build a profile set from prompts and the outcomes of models on them")
    .option(
      "--prompts <path>",
      "prompts: .jsonl, .csv or .parquet, a file or a folder; may be repeated",
      paths,
    )
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
      "--traffic <path>",
      "prompts like those that the set will decide on, on which the mean cost of a request is measured; may be repeated",
      paths,
    )
    .option(
      "--config <file>",
      "JSON file that names the set and its sources, instead of --prompts and --outcomes",
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
    .option("--seed <number>", "seed of clustering and tuning", number, 0)
    .option(
      "--built-at <date>",
      "date the set says of itself, for a build that is the same to the byte; default: now",
    )
    .addOption(
      new Option(
        "--index <kind>",
        "index that serves the set; auto: exact for few anchors, ivf for many; hnsw needs hnswlib-node",
      )
        .choices(["auto", ...INDEX_KINDS])
        .default("auto"),
    )
    .option("--force", "replace the set in --out")
    .action((options: ProfileBuildOptions) => explained(context, () => runBuild(options, context)))
    .addHelpText("after", BUILD_HELP);
}

const BUILD_HELP = `
Prompts are lines {"id", "prompt" or "messages", "benchmark"?, "category"?}; outcomes are rows
{id, model, score 0..1, tokens_in?, tokens_out?, cost_usd?, n_samples?}: see datasets/README.md.
An interrupted build goes on where it stopped when the same command is run again.

Examples:
  $ sextant profile build --prompts datasets/sample --outcomes datasets/sample --out profiles/sample
  $ sextant profile build --config datasets/default-set.json --data FOLDER --out profiles/default`;

async function runBuild(options: ProfileBuildOptions, context: CliContext): Promise<void> {
  const started = context.now();
  const built = await buildProfile(options, {
    from: context,
    progress: showProgress(context.stderr),
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

function addModelCommand(context: CliContext): Command {
  const paths = (path: string, earlier?: readonly string[]) => several(inFolder(context, path), earlier);
  const one = (path: string) => inFolder(context, path);
  return new Command("add-model")
    .description("place a model in a profile set by published scores, graded answers, or a model it is like")
    .argument("<name>", "id of the model, as requests and providers name it")
    .requiredOption("--set <folder>", "profile set to add it to", one)
    .option(
      "--benchmark <name=score>",
      "published score in [0, 1], such as gpqa=.84; may be repeated",
      several,
    )
    .option("--source <text>", "who published the scores of --benchmark, such as an address")
    .option(
      "--scores <file>",
      'published scores: .json such as {"gpqa": .84}, .jsonl or .csv as for build; may be repeated',
      paths,
    )
    .option(
      "--outcomes <path>",
      "graded answers, as for build: to prompts of the set, by their id; may be repeated",
      paths,
    )
    .option(
      "--prompts <path>",
      "prompts that --outcomes grades answers to; those of the set count as such, by id and text; may be repeated",
      paths,
    )
    .option("--like <model>", "model of the set that it is a version or fine-tune of")
    .option("--released <date>", "day of its release, such as 2026-01-31; default: that of --like")
    .option("--price-output <usd>", "US dollars for a million tokens of output; default: that of --like")
    .option("--effort <effort>", "setting it thinks with, such as low; default: what follows : in its name")
    .option("--embedder <model>", "embedder of --prompts, a folder or hub id; default: SEXTANT_EMBEDDER")
    .option("--force", "replace the profile of a model of that name")
    .option("--dry-run", "say where it would be placed, and write nothing")
    .option("--json", "print JSON")
    .action((name: string, options: AddModelOptions & EmbedderOption & { readonly json?: true }) =>
      explained(context, async () => {
        const added = await addModel(name, options, {
          openEmbedder: () => openNamedEmbedder({ ...options, signal: context.signal }, context),
          signal: context.signal,
        });
        const answer = options.json ? JSON.stringify(added, null, 2) : renderAddedModel(added, options.set);
        await writeLine(context.stdout, answer);
      }),
    )
    .addHelpText("after", ADD_MODEL_HELP);
}

const ADD_MODEL_HELP = `
Scores are of the published benchmarks that the set was built with, or means over its own benchmarks and topics. Graded
answers are rows {id, model, score 0..1, tokens_out?, cost_usd?}, where id is that of a prompt of the set, alone or as
source:id, or of a prompt in --prompts. What is expected of a prompt of your own is taken from the prompts of the set that
are like it; answers to others are left out and counted.

Examples:
  $ sextant profile add-model new-model --set profiles/default --benchmark gpqa=.84 --benchmark hle=.21 --released 2026-09-01
  $ sextant profile add-model our-fine-tune --set profiles/default --like gpt-4o-mini --outcomes graded.jsonl
  $ sextant profile add-model new-model --set profiles/default --scores scores.json --dry-run`;

interface DropModelOptions {
  readonly set: string;
  readonly out?: string;
  readonly force?: true;
}

function dropModelCommand(context: CliContext): Command {
  return new Command("drop-model")
    .description("take a model out of a profile set: the reverse of add-model")
    .argument("<name>", "id of the model")
    .requiredOption("--set <folder>", "profile set to take it out of", (path) => inFolder(context, path))
    .option("--out <folder>", "write the set without it there, and leave --set as it is", (path) =>
      inFolder(context, path),
    )
    .option("--force", "drop a model that the set was built with, too; not needed with --out")
    .action((name: string, { set, out, force }: DropModelOptions) =>
      explained(context, async () => {
        if (out !== undefined) {
          await copyWithoutModel(set, name, out);
          await writeLine(context.stdout, `Wrote the set without ${name} to ${out}`);
          return;
        }
        const { path } = await dropModel(set, name, { builtIn: force ? "drop" : "keep" });
        await writeLine(context.stdout, `Dropped ${name}: removed ${path}`);
      }),
    );
}

function inspectCommand(context: CliContext): Command {
  return new Command("inspect")
    .description("say what a profile set holds")
    .argument("<folder>", "a profile set, or a folder of several")
    .option("--json", "print JSON instead of tables")
    .action((folder: string, options: { readonly json?: true }) =>
      explained(context, async () => {
        const loaded = await loadProfileSets(inFolder(context, folder), {
          index: "exact",
        });
        const reports = loaded.map(describeSet);
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
  const embedder = await openNamedEmbedder({ ...options, signal: context.signal }, context);
  try {
    for (const set of await verifyProfileSets(inFolder(context, folder), embedder)) {
      const search = `${set.searchKind} search finds ${(100 * set.recall).toFixed(1)}% of the nearest anchors`;
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
