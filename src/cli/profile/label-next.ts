import { Command } from "commander";
import { textOfMessages } from "../../compose/build-set.js";
import type { Embedder } from "../../engine/embedding/embedder.js";
import { labelNext, readPromptTable } from "../../workbench/index.js";
import type { LabelNextReport } from "../../workbench/labels/label-next.js";
import { type CliContext, CommandFailure, type Output, writeLine } from "../context.js";
import { tableFor } from "../table.js";
import { numberFrom } from "./collect-grader.js";
import { explained, inFolder } from "./explained.js";
import { showProgress } from "./progress.js";
import { replaceTextFile } from "./replace-text-file.js";

interface LabelNextCommandOptions {
  readonly set: string;
  readonly prompts: string;
  readonly out: string;
  readonly count: string;
  readonly outcomes?: readonly string[];
  readonly promptColumn?: string;
  readonly referenceColumn?: string;
  readonly idColumn?: string;
  readonly seed: string;
  readonly embedder?: string;
  readonly json?: true;
}

/** `sextant profile label-next`: which prompts to label next for a model. */
export function labelNextCommand(
  context: CliContext,
  openEmbedder: (options: { readonly embedder?: string }) => Promise<Embedder>,
): Command {
  const one = (path: string) => inFolder(context, path);
  const several = (path: string, earlier: readonly string[] = []) => [...earlier, one(path)];
  return new Command("label-next")
    .description("choose prompts to label for a model: a random sample in which each topic has its share")
    .argument("<model>", "id of a model of the set, or of a new one")
    .requiredOption("--set <folder>", "profile set", one)
    .requiredOption(
      "--prompts <path>",
      "prompts to choose from: .jsonl, .csv or .parquet (the first two also with .gz), as for collect, or the folder that it wrote",
      one,
    )
    .requiredOption("--out <file>", "file of the chosen prompts to write, for collect: .jsonl", one)
    .option("--count <number>", "how many prompts to choose", "100")
    .option(
      "--outcomes <path>",
      "graded answers of the model so far, as for build, to these prompts or to those of the set; may be repeated",
      several,
    )
    .option("--prompt-column <name>", "column of the prompt; default: prompt, else messages")
    .option("--reference-column <name>", "column of the right answer; default: reference")
    .option("--id-column <name>", "column of the id; default: id, else made from the prompt")
    .option("--seed <number>", "another seed draws other prompts of the same topics", "0")
    .option("--embedder <model>", "embedder to use, a folder or hub id; default: SEXTANT_EMBEDDER")
    .option("--json", "print JSON")
    .action((model: string, options: LabelNextCommandOptions) =>
      explained(context, () => runLabelNext(model, { options, context, openEmbedder })),
    )
    .addHelpText("after", HELP);
}

const HELP = `
No model is asked. The prompts are a random sample of --prompts in which each topic of the set has its share; with --outcomes, they
add to those that are graded already. Where prompts of the set came without benchmark and category, clusters of similar ones stand for
topics, as in the report. See docs/workbench.md.

Examples:
  $ sextant profile label-next new-model --set profiles/ours --prompts held-out.jsonl --count 20 --out next.jsonl`;

interface Running {
  readonly options: LabelNextCommandOptions;
  readonly context: CliContext;
  readonly openEmbedder: (options: { readonly embedder?: string }) => Promise<Embedder>;
}

async function runLabelNext(model: string, { options, context, openEmbedder }: Running): Promise<void> {
  const { signal, stdout } = context;
  if (!options.out.endsWith(".jsonl")) {
    throw new CommandFailure(`--out is ${options.out}; name a file that ends in .jsonl`, 2);
  }
  const [count, seed] = [numberFrom("--count", options.count), numberFrom("--seed", options.seed)];
  const { promptColumn, referenceColumn, idColumn } = options;
  const pool = await readPromptTable(options.prompts, {
    columns: { prompt: promptColumn, reference: referenceColumn, id: idColumn },
    signal,
  });
  const embedder = await openEmbedder(options);
  const progress = showProgress(context.stderr);
  try {
    const report = await labelNext(
      {
        ...{ set: options.set, model, pool, count, seed, signal, outcomes: options.outcomes },
        onProgress: (done, total) => progress.update("embed", done, total),
      },
      { embedder, textOfMessages },
    );
    progress.stop();
    await replaceTextFile(
      options.out,
      report.prompts.map((row) => `${JSON.stringify(row)}\n`).join(""),
      "--out",
    );
    await writeLine(
      stdout,
      options.json
        ? JSON.stringify(jsonOf(report, options.out), null, 2)
        : textOf(report, { file: options.out, output: stdout }),
    );
  } finally {
    progress.stop();
    await embedder.close();
  }
}

const jsonOf = ({ prompts, ...report }: LabelNextReport, path: string): object => ({
  ...report,
  path,
  chosen: prompts.map(({ id }) => id),
});

const TOPICS_SHOWN = 20;

function textOf(
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
