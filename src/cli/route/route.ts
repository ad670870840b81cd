import { text } from "node:stream/consumers";
import { Command, InvalidArgumentError, Option } from "commander";
import { routingBody } from "../../engine/index.js";
import type { RouteRequest } from "../../engine/router/decision.js";
import { runnableOnly } from "../../gateway/index.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { addEngineOptions, type EngineOptions, engineCatalog, parseList } from "../engine-options.js";
import { meaningText } from "../meaning-text.js";
import { numberWithin, wholeNumberWithin } from "../option-values.js";
import { routeBatch } from "./batch.js";
import { decisionTable } from "./decision-table.js";
import { explanationText } from "./explanation-text.js";

const SHOWN_CANDIDATES = 12;

interface RouteOptions extends EngineOptions {
  readonly models?: readonly string[];
  readonly costWeight: number;
  readonly maxMeanCostUsd?: number;
  readonly maxTokens?: number;
  readonly per?: "call" | "task";
  readonly json?: true;
  readonly all?: true;
  readonly explain?: true;
  readonly batch?: string;
}

/** `sextant route`: one decision for a person, or one a line for a file of prompts. */
export function routeCommand(context: CliContext): Command {
  const command = new Command("route")
    .description("decide which model should answer a prompt")
    .argument("[prompt]", "the prompt; - reads it from standard input")
    .option(
      "--models <ids>",
      "candidates, separated by commas; default: every live model with a profile",
      parseList,
    )
    .option("--cost-weight <number>", "0 ignores cost, 1 picks the cheapest model", numberWithin(0, 1), 0)
    .addOption(
      new Option(
        "--max-mean-cost-usd <usd>",
        "in place of a cost weight: the lowest whose answers cost at most that on average",
      )
        .argParser(parseDollars)
        .conflicts("costWeight"),
    )
    .option("--max-tokens <count>", "most tokens of the answer", wholeNumberWithin(1))
    .addOption(
      new Option(
        "--per <what>",
        "what a cost is of: this call, or the whole task of an agent that the prompt begins; default: call",
      ).choices(["call", "task"]),
    )
    .option("--json", "print the decision as JSON")
    .option("--all", `print all candidates, not only the first ${SHOWN_CANDIDATES}`)
    .option(
      "--explain",
      "print what the decision rests on: the prompt, the parts of each cost, deciding prompts",
    )
    .addOption(
      new Option(
        "--batch <file>",
        "decide for every line of a JSON Lines file (.gz too; - for standard input)",
      ).conflicts(["all", "explain"]),
    );
  return addEngineOptions(command)
    .action((prompt: string | undefined, options: RouteOptions) => route(prompt, options, context))
    .addHelpText("after", HELP);
}

const HELP = `
As soon as a provider is configured, such as by OPENAI_API_KEY, only what one serves is chosen.

Lines of a batch are {"id": …, "prompt": "…"} or {"id": …, "messages": […]}. Each is answered by one line of JSON, in the
same order. A line that cannot be decided is named on standard error with its number, the rest goes on, and the exit code
is 1.

Examples:
  $ sextant route "What is 2 + 2?" --models gpt-5.5,gpt-5.4-mini --cost-weight 0.3
  $ sextant route "Prove that 2 is prime." --max-mean-cost-usd .002 --explain
  $ sextant route - --json < prompt.txt
  $ sextant route --batch prompts.jsonl.gz --cost-weight 0.3 > decisions.jsonl`;

async function route(prompt: string | undefined, options: RouteOptions, context: CliContext): Promise<void> {
  if ((prompt === undefined) === (options.batch === undefined)) {
    throw new CommandFailure('give either a prompt or --batch FILE. Try: sextant route "What is 2 + 2?"', 2);
  }
  const { settings, catalog } = engineCatalog(options, context);
  const { router, notes } = await context.openRouter(settings, { catalog });
  const shared = { ...sharedRequest(options), ...runnableOnly(catalog) };
  try {
    for (const note of notes) await writeLine(context.stderr, `sextant: ${note}`);
    if (options.batch !== undefined) {
      await routeBatch(router, { file: options.batch, request: shared, context });
      return;
    }
    const content = prompt === "-" ? await text(context.stdin) : (prompt ?? "");
    const decision = await router.route({ ...shared, messages: [{ role: "user", content }] });
    const body = { model: decision.selectedModel, routing: routingBody(decision) };
    const limit = options.all === true ? Number.POSITIVE_INFINITY : SHOWN_CANDIDATES;
    if (options.json) return await writeLine(context.stdout, JSON.stringify(body, null, 2));
    const output = context.stdout;
    const isWeighed = decision.costWeight > 0 || options.explain === true;
    const meaning = isWeighed
      ? meaningText(router.meaningOf(decision.costWeight), decision.costWeight)
      : null;
    await writeLine(output, decisionTable(decision, { limit, meaning, output }));
    if (options.explain) await writeLine(output, `\n${explanationText(decision, { limit, output })}`);
  } finally {
    await router.close();
  }
}

function sharedRequest(options: RouteOptions): Omit<RouteRequest, "messages"> {
  const { models, costWeight, maxMeanCostUsd, maxTokens, per, explain } = options;
  return {
    ...(maxMeanCostUsd === undefined ? { costWeight } : { maxMeanCostUsd }),
    ...(explain === undefined ? {} : { explain }),
    ...(models === undefined ? {} : { models: [...new Set(models)] }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(per === undefined ? {} : { per }),
  };
}

function parseDollars(value: string): number {
  const usd = Number(value);
  if (value.trim() !== "" && usd > 0 && Number.isFinite(usd)) return usd;
  throw new InvalidArgumentError("It must be a number of US dollars above 0.");
}
