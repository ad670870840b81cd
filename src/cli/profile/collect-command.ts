import { Command, Option } from "commander";
import type { CliContext } from "../context.js";
import { parseList } from "../engine-options.js";
import type { CollectCommandOptions } from "./collect.js";
import { GRADES } from "./collect-grader.js";
import { addColumnOptions } from "./column-options.js";
import { explained, inFolder, number } from "./explained.js";

/** `sextant profile collect`: asks models prompts and grades their answers. */
export function collectCommand(context: CliContext): Command {
  const one = (path: string) => inFolder(context, path);
  const command = new Command("collect")
    .description("ask models prompts, grade their answers, and write the outcomes that build reads")
    .requiredOption(
      "--prompts <file>",
      "prompts: .jsonl, .csv or .parquet (the first two also with .gz)",
      one,
    )
    .requiredOption(
      "--models <ids>",
      "models to ask, separated by commas: ids, provider/id, or deployments",
      parseList,
    )
    .requiredOption("--out <folder>", "folder of the collection: a new one, or one to go on with", one)
    .addOption(new Option("--grade <how>", "how answers are graded").choices(GRADES).makeOptionMandatory());
  return addColumnOptions(command)
    .option("--sample <number>", "ask only that many of the prompts, chosen at random", number)
    .option("--seed <number>", "seed of --sample; a larger sample contains the smaller one", number, 0)
    .option("--system <text>", "instructions that are sent before each prompt")
    .option("--max-tokens <number>", "most tokens of an answer, hidden reasoning included", number)
    .option("--temperature <number>", "0 to 2; default: 0; not sent to models that refuse it", number)
    .option(
      "--max-usd <dollars>",
      "most that the collection may cost, earlier runs and judging included",
      number,
    )
    .option("--concurrency <number>", "most calls in flight; default: 16", number)
    .option("--provider-concurrency <number>", "most calls in flight of one provider; default: 8", number)
    .addOption(
      new Option(
        "--lost-calls <how>",
        "calls that were in flight when a run was killed: ask again with the same idempotency key, or skip them",
      )
        .choices(["ask", "skip"])
        .default("ask"),
    )
    .option("--tolerance <share>", "number: largest relative difference; default: 0.000001")
    .option("--pattern <regex>", "regex: what an answer must match; default: its reference")
    .option("--schema <file>", "json-schema: what an answer must fit; default: its reference", one)
    .option("--match-timeout <seconds>", "regex, json-schema: longest time for one answer; default: 5")
    .option("--command <command>", "command: reads an answer as JSON, prints a number from 0 to 1")
    .option("--command-timeout <seconds>", "command: longest time for one answer; default: 60")
    .option("--judge <model>", "judge: model that grades")
    .option("--rubric <file>", "judge: what makes an answer good, as text", one)
    .option("--yes", "ask without a confirmation, which only a terminal is asked for")
    .option("--dry-run", "print what it is expected to cost, and ask nothing")
    .option("--json", "print JSON")
    .action((options: CollectCommandOptions) =>
      explained(context, async () => {
        // Loaded when it runs: the other commands of profiles need no providers.
        const { runCollect } = await import("./collect.js");
        await runCollect(options, context);
      }),
    )
    .addHelpText("after", HELP);
}

const HELP = `
A collection that was stopped or killed goes on when the same command is run again; what was answered is not asked again,
also with another --grade. Ctrl-C waits for the calls in flight; a second one does not. See docs/workbench.md.

Examples:
  $ sextant profile collect --prompts questions.jsonl --models gpt-5.4-mini,claude-haiku-4-5 --grade exact --out collected --max-usd 5`;
