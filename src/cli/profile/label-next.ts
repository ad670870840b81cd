import { Command } from "commander";
import { readPromptTable } from "../../workbench/index.js";
import type { LabelNextReport } from "../../workbench/labels/label-next.js";
import { labelNext } from "../../workbench.js";
import { type CliContext, CommandFailure, type Output, writeLine } from "../context.js";
import { tableFor } from "../table.js";
import {
  addColumnOptions,
  type ColumnOptions,
  columnsOf,
  explained,
  inFolder,
  number,
  several,
} from "./explained.js";
import { replaceTextFile } from "./graded-options.js";
import { showProgress } from "./progress.js";

interface LabelNextCommandOptions extends ColumnOptions {
  readonly set: string;
  readonly prompts: string;
  readonly out: string;
  readonly count: number;
  readonly outcomes?: readonly string[];
  readonly seed: number;
  readonly embedder?: string;
  readonly json?: true;
}

/** `sextant profile label-next`: which prompts to label next for a model. */
export function labelNextCommand(context: CliContext): Command {
  const one = (path: string) => inFolder(context, path);
  const paths = (path: string, earlier?: readonly string[]) => several(one(path), earlier);
  const command = new Command("label-next")
    .description("choose prompts to label for a model: a random sample in which each topic has its share")
    .argument("<model>", "id of a model of the set, or of a new one")
    .requiredOption("--set <folder>", "profile set", one)
    .requiredOption(
      "--prompts <path>",
      "prompts to choose from: .jsonl, .csv or .parquet (the first two also with .gz), as for collect, or the folder that it wrote",
      one,
    )
    .requiredOption("--out <file>", "file of the chosen prompts to write, for collect: .jsonl", one)
    .option("--count <number>", "how many prompts to choose", number, 100)
    .option(
      "--outcomes <path>",
      "graded answers of the model so far, as for build, to these prompts or to those of the set; may be repeated",
      paths,
    );
  return addColumnOptions(command)
    .option("--seed <number>", "another seed draws other prompts of the same topics", number, 0)
    .option("--embedder <model>", "embedder to use, a folder or hub id; default: SEXTANT_EMBEDDER")
    .option("--json", "print JSON")
    .action((model: string, options: LabelNextCommandOptions) =>
      explained(context, () => runLabelNext(model, options, context)),
    )
    .addHelpText("after", HELP);
}

const HELP = `
No model is asked. The prompts are a random sample of --prompts in which each topic of the set has its share; with --outcomes, they
add to those that are graded already. Where prompts of the set came without benchmark and category, clusters of similar ones stand for
topics, as in the report. See docs/workbench.md.

Examples:
  $ sextant profile label-next new-model --set profiles/ours --prompts held-out.jsonl --count 20 --out next.jsonl`;

async function runLabelNext(
  model: string,
  { out, prompts, json, ...options }: LabelNextCommandOptions,
  context: CliContext,
): Promise<void> {
  const { signal, stdout } = context;
  if (!out.endsWith(".jsonl"))
    throw new CommandFailure(`--out is ${out}; name a file that ends in .jsonl`, 2);
  const { set, count, seed, outcomes, embedder } = options;
  const progress = showProgress(context.stderr);
  try {
    const pool = await readPromptTable(prompts, { columns: columnsOf(options), signal });
    const onProgress = (done: number, total: number) => progress.update("embed", done, total);
    const report = await labelNext(
      { set, model, pool, count, seed, signal, outcomes, embedder, onProgress },
      context,
    );
    progress.stop();
    await replaceTextFile(out, report.prompts.map((row) => `${JSON.stringify(row)}\n`).join(""), "--out");
    const text = () => labelsText(report, { file: out, output: stdout });
    await writeLine(stdout, json ? JSON.stringify(jsonOf(report, out), null, 2) : text());
  } finally {
    progress.stop();
  }
}

const jsonOf = ({ prompts, ...report }: LabelNextReport, path: string): object => ({
  ...report,
  path,
  chosen: prompts.map(({ id }) => id),
});

const TOPICS_SHOWN = 20;

function labelsText(
  { model, prompts, pool, graded, unlike, topics }: LabelNextReport,
  { file, output }: { readonly file: string; readonly output: Output },
): string {
  const chosen = topics.filter((topic) => topic.chosen > 0);
  const more = chosen.length - TOPICS_SHOWN;
  const table = tableFor(output, {
    head: ["topic", "prompts", "chosen"],
    rows: chosen
      .slice(0, TOPICS_SHOWN)
      .map((topic) => [topic.topic, String(topic.prompts), String(topic.chosen)]),
  });
  return [
    `Chose ${prompts.length} of ${pool} prompts to label for ${model}, which has ${graded} graded answers.`,
    ...(unlike === 0
      ? []
      : [`${unlike} prompts are unlike every prompt of the set and were not considered.`]),
    "",
    table,
    ...(more > 0 ? [`and ${more} more topics`] : []),
    "",
    `Wrote ${file}; ask the model: sextant profile collect --prompts ${file} --models ${model} --grade … --out …`,
  ].join("\n");
}
