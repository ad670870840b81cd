import { readPromptTable } from "../../workbench/index.js";
import type { LabelNextReport } from "../../workbench/labels/label-next.js";
import { labelNext } from "../../workbench.js";
import { JSON_OPTION, option, writeResult } from "../command.js";
import { CommandFailure, type Output } from "../context.js";
import { EMBEDDER_OPTION, path } from "../options.js";
import { tableFor } from "../table.js";
import { COLUMN_OPTIONS, columnsOf, number, profileSubcommand } from "./explained.js";
import { replaceTextFile } from "./graded-options.js";
import { showProgress } from "./progress.js";

/** `sextant profile label-next`: which prompts to label next for a model. */
export const labelNextCommand = profileSubcommand("label-next", {
  about: "choose prompts to label for a model: a random sample in which each topic has its share",
  operands: [{ name: "<model>", about: "id of a model of the set, or of a new one" }],
  options: {
    set: option("<folder>", "profile set", path).required(),
    prompts: option(
      "<path>",
      "prompts to choose from: .jsonl, .csv or .parquet (the first two also with .gz), as for collect, or the folder that it wrote",
      path,
    ).required(),
    out: option("<file>", "file of the chosen prompts to write, for collect: .jsonl", path).required(),
    count: option("<number>", "how many prompts to choose", number).default(100),
    outcomes: option(
      "<path>",
      "graded answers of the model so far, as for build, to these prompts or to those of the set; may be repeated",
      path,
    ).repeated(),
    ...COLUMN_OPTIONS,
    seed: option("<number>", "another seed draws other prompts of the same topics", number).default(0),
    ...EMBEDDER_OPTION,
    ...JSON_OPTION,
  },
  help: `
No model is asked. The prompts are a random sample of --prompts in which each topic of the set has its share; with --outcomes, they
add to those that are graded already. Where prompts of the set came without benchmark and category, clusters of similar ones stand for
topics, as in the report. See docs/workbench.md.`,
  examples: [
    "sextant profile label-next new-model --set profiles/ours --prompts held-out.jsonl --count 20 --out next.jsonl",
  ],
  async run({ out, prompts, json, ...options }, context, model) {
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
      await writeResult(jsonOf(report, out), text, { json, context });
    } finally {
      progress.stop();
    }
  },
});

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
