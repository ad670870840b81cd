import { Command } from "commander";
import type { CliContext } from "../context.js";
import { addFilterOptions, addServerOption, instantText } from "../traces/options.js";
import { explained, inFolder, number } from "./explained.js";
import type { FromTracesCommandOptions } from "./from-traces.js";

/** `sextant profile from-traces`: outcomes from finished requests, and a set that has learned from them. */
export function fromTracesCommand(context: CliContext): Command {
  const one = (path: string) => inFolder(context, path);
  const command = new Command("from-traces").description(
    "turn finished requests with feedback, or a judge's grade, into outcomes, and let a set learn from them",
  );
  return addServerOption(addFilterOptions(command, context.now))
    .option("--since <when>", "the same as --start-date, such as 30d", (text) =>
      instantText(text, context.now()),
    )
    .requiredOption(
      "--outcomes <folder>",
      "folder to write prompts and outcomes to, or one of an earlier run",
      one,
    )
    .option("--update <folder>", "profile set to learn from them; it is left as it is", one)
    .option("--out <folder>", "folder of the set that has learned", one)
    .option("--name <name>", "name of that set; default: that of the folder")
    .option("--force", "replace the set in --out")
    .option("--embedder <model>", "embedder of the set, a folder or hub id; default: SEXTANT_EMBEDDER")
    .option("--judge <model>", "model that grades every answer, in the place of feedback")
    .option("--rubric <file>", "what makes an answer good, as text, for the judge", one)
    .option(
      "--sample <number>",
      "judge only that many answers, chosen at random and the same in every run",
      number,
    )
    .option("--max-usd <dollars>", "most that judging may cost, earlier runs included", number)
    .option("--seed <number>", "seed of clustering", number, 0)
    .option("--built-at <date>", "date the set says of itself; default: now")
    .option("--json", "print JSON")
    .action((options: FromTracesCommandOptions) =>
      explained(context, async () => {
        // Loaded when it runs: the other commands of profiles need no providers and no store.
        const { runFromTraces } = await import("./from-traces.js");
        await runFromTraces(options, context);
      }),
    )
    .addHelpText("after", HELP);
}

const HELP = `
Reads finished requests from the store, or from a running server (--url). The texts of their prompts are written to --outcomes; the
set holds none. A run that was stopped goes on when the same command is run again: no verdict of a judge is paid twice.
See docs/learning.md.

Examples:
  $ sextant profile from-traces --since 30d --outcomes traffic --update profiles/default --out profiles/learned
  $ sextant profile from-traces --since 7d --outcomes judged --judge gpt-5.4-mini --sample 2000 --max-usd 5`;
