import { resolve } from "node:path";
import { Command } from "commander";
import { loadProfileSets, recommendedWeightOf } from "../../engine/index.js";
import { reportPage, reportSet, withWeights } from "../../workbench/index.js";
import type { HeldOut } from "../../workbench/report/page/held-out-section.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { engineCatalog } from "../engine-catalog.js";
import { explained } from "./explained.js";
import { evaluateWay, numberWithin } from "./graded-options.js";
import { writeLeftOut } from "./left-out-text.js";
import { replaceTextFile } from "./replace-text-file.js";

interface ReportOptions {
  readonly set: string;
  readonly out: string;
  readonly prompts?: readonly string[];
  readonly outcomes?: readonly string[];
  readonly embedder?: string;
  readonly costWeight: number;
  readonly minCoverage: number;
  readonly includeKnown?: true;
  readonly mostPoints: number;
  readonly seed: number;
}

/** `sextant profile report`: what a set knows, and how good its decisions are, as a page to look at. */
export function reportCommand(context: CliContext): Command {
  const inFolder = (path: string) => resolve(context.workingDirectory, path);
  const several = (path: string, earlier: readonly string[] = []) => [...earlier, inFolder(path)];
  return new Command("report")
    .description("write a page about a set: map, strengths, held-out quality, where labels would help")
    .requiredOption("--set <folder>", "profile set", inFolder)
    .requiredOption("--out <file>", "page to write: .html", inFolder)
    .option(
      "--prompts <path>",
      "prompts that the set was not built with, as for build; may be repeated",
      several,
    )
    .option("--outcomes <path>", "graded answers to them, as for build; may be repeated", several)
    .option("--rewordings <path>", "other wordings of --prompts, as for eval; may be repeated", several)
    .option("--embedder <model>", "embedder of --prompts, a folder or hub id; default: SEXTANT_EMBEDDER")
    .option("--cost-weight <weight>", "cost weight of the decisions, 0 to 1", numberWithin(0, 1), 0)
    .option("--include-known", "evaluate prompts that the set was built with, too")
    .option(
      "--min-coverage <share>",
      "leave out models graded on at most this share of the prompts",
      numberWithin(0, 1),
      0.9,
    )
    .option("--most-points <number>", "most anchors to draw on the map", numberWithin(3, 20_000), 3000)
    .option(
      "--seed <number>",
      "seed of the sample, the map and the bootstrap",
      numberWithin(0, 0xffff_ffff),
      0,
    )
    .action((options: ReportOptions) => explained(context, () => runReport(options, context)))
    .addHelpText("after", HELP);
}

const HELP = `
The page loads nothing from elsewhere and contains no text of a prompt.

Examples:
  $ sextant profile report --set profiles/ours --out report.html
  $ sextant profile report --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --out report.html`;

async function runReport(options: ReportOptions, context: CliContext): Promise<void> {
  if (!options.out.endsWith(".html")) {
    throw new CommandFailure(`--out is ${options.out}; name a file that ends in .html`, 2);
  }
  const { catalog } = engineCatalog({}, context);
  const [loaded, ...more] = await loadProfileSets(options.set, {
    index: "exact",
  });
  if (loaded === undefined || more.length > 0) {
    throw new CommandFailure(
      `${options.set} holds ${more.length + 1} profile sets; name one of its sub-folders`,
      2,
    );
  }
  const tuned = recommendedWeightOf(loaded)?.cost_weight;
  const heldOut = await measureHeldOut({ ...options, tuned }, context);
  const report = await reportSet(loaded, {
    seed: options.seed,
    mostPoints: Math.round(options.mostPoints),
    lookup: catalog.lookup,
  });
  await replaceTextFile(options.out, reportPage(report, heldOut), "--out");
  await writeLine(context.stdout, `Wrote ${options.out}`);
}

interface HeldOutOptions extends ReportOptions {
  /** The cost weight that is saved in the set. */
  readonly tuned: number | undefined;
}

async function measureHeldOut(options: HeldOutOptions, context: CliContext): Promise<HeldOut | null> {
  const { prompts, outcomes, seed, costWeight, tuned } = options;
  if (prompts === undefined && outcomes === undefined) return null;
  if (prompts === undefined || outcomes === undefined) {
    throw new CommandFailure("--prompts and --outcomes go together: prompts, and graded answers to them", 2);
  }
  return evaluateWay(
    { set: options.set, embedder: options.embedder, costWeight, including: tuned },
    { ...options, prompts, outcomes, stability: true },
    {
      context,
      use: async (evaluated) => {
        await writeLeftOut(evaluated.evaluation, context);
        return withWeights(evaluated, { seed, tuned });
      },
    },
  );
}
