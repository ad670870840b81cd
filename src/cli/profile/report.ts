import { Command } from "commander";
import { reportSet } from "../../workbench.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { explained, inFolder, number, several } from "./explained.js";
import {
  addHeldOutOptions,
  type HeldOutOptions,
  heldOutOf,
  replaceTextFile,
  writeLeftOut,
} from "./graded-options.js";
import { showProgress } from "./progress.js";

interface ReportOptions extends Omit<HeldOutOptions, "prompts" | "outcomes"> {
  readonly set: string;
  readonly out: string;
  readonly prompts?: readonly string[];
  readonly outcomes?: readonly string[];
  readonly embedder?: string;
  readonly costWeight: number;
  readonly mostPoints: number;
}

/** `sextant profile report`: what a set knows, and how good its decisions are, as a page to look at. */
export function reportCommand(context: CliContext): Command {
  const one = (path: string) => inFolder(context, path);
  const paths = (path: string, earlier?: readonly string[]) => several(one(path), earlier);
  const command = new Command("report")
    .description("write a page about a set: map, strengths, held-out quality, where labels would help")
    .requiredOption("--set <folder>", "profile set", one)
    .requiredOption("--out <file>", "page to write: .html", one)
    .option(
      "--prompts <path>",
      "prompts that the set was not built with, as for build; may be repeated",
      paths,
    )
    .option("--outcomes <path>", "graded answers to them, as for build; may be repeated", paths)
    .option("--embedder <model>", "embedder of --prompts, a folder or hub id; default: SEXTANT_EMBEDDER")
    .option("--cost-weight <weight>", "cost weight of the decisions, 0 to 1", number, 0);
  return addHeldOutOptions(command, "seed of the sample, the map and the bootstrap")
    .option("--most-points <number>", "most anchors to draw on the map", number, 3000)
    .action((options: ReportOptions) => explained(context, () => runReport(options, context)))
    .addHelpText("after", HELP);
}

const HELP = `
The page loads nothing from elsewhere and contains no text of a prompt.

Examples:
  $ sextant profile report --set profiles/ours --out report.html
  $ sextant profile report --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --out report.html`;

async function runReport(options: ReportOptions, context: CliContext): Promise<void> {
  const { set, out, prompts, outcomes, seed, mostPoints } = options;
  if (!out.endsWith(".html")) throw new CommandFailure(`--out is ${out}; name a file that ends in .html`, 2);
  if ((prompts === undefined) !== (outcomes === undefined))
    throw new CommandFailure("--prompts and --outcomes go together: prompts, and graded answers to them", 2);
  const progress = showProgress(context.stderr);
  try {
    const { embedder, costWeight } = options;
    const { seed: _, ...files } = heldOutOf(options, { context, progress });
    const heldOut = prompts && outcomes && { ...files, prompts, outcomes, embedder, costWeight };
    const { html, evaluation } = await reportSet({ set, seed, mostPoints, heldOut }, context);
    progress.stop();
    if (evaluation !== null) await writeLeftOut(evaluation, context);
    await replaceTextFile(out, html, "--out");
    await writeLine(context.stdout, `Wrote ${out}`);
  } finally {
    progress.stop();
  }
}
