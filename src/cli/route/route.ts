import { text } from "node:stream/consumers";
import { InvalidArgumentError } from "commander";
import { routingBody } from "../../engine/index.js";
import type { RouteRequest } from "../../engine/router/decision.js";
import { runnableOnly } from "../../gateway/index.js";
import { choice, command, flag, type OptionsOf, option, type Read } from "../command.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { ENGINE_OPTIONS, engineCatalog } from "../engine-options.js";
import { meaningText } from "../meaning-text.js";
import { costWeight, list, wholeNumberWithin } from "../options.js";
import { routeBatch } from "./batch.js";
import { decisionTable } from "./decision-table.js";
import { explanationText } from "./explanation-text.js";

const SHOWN_CANDIDATES = 12;

const dollars: Read<number> = (text) => {
  const usd = Number(text);
  if (text.trim() !== "" && usd > 0 && Number.isFinite(usd)) return usd;
  throw new InvalidArgumentError("It must be a number of US dollars above 0.");
};

const OPTIONS = {
  models: option("<ids>", "candidates, separated by commas; default: every live model with a profile", list),
  costWeight: option("<number>", "0 ignores cost, 1 picks the cheapest model", costWeight).default(0),
  maxMeanCostUsd: option(
    "<usd>",
    "instead of a cost weight: the lowest one whose answers cost no more than this on average",
    dollars,
  ).excluding("costWeight"),
  maxTokens: option("<count>", "maximum tokens of the answer", wholeNumberWithin(1)),
  per: choice(
    "<what>",
    "whether costs are those of this call, or of the whole agent task that the prompt begins; default: call",
    ["call", "task"],
  ),
  json: flag("print the decision as JSON"),
  all: flag(`print all candidates, not only the first ${SHOWN_CANDIDATES}`),
  explain: flag("explain the decision: the prompt, the parts of each cost, the prompts that decided it"),
  batch: option(
    "<file>",
    "decide for every line of a JSON Lines file (.gz too; - for standard input)",
  ).excluding("all", "explain"),
  ...ENGINE_OPTIONS,
};

type RouteOptions = OptionsOf<typeof OPTIONS>;

/** `sextant route`: one decision for a person, or one a line for a file of prompts. */
export const routeCommand = command("route", {
  about: "decide which model should answer a prompt",
  operands: [{ name: "[prompt]", about: "the prompt; - reads it from standard input" }],
  options: OPTIONS,
  help: `
Once a provider is configured, for example by OPENAI_API_KEY, only models that it serves are chosen.

Lines of a batch are {"id": …, "prompt": "…"} or {"id": …, "messages": […]}. Each is answered by one line of JSON, in the
same order. A line that cannot be decided is named on standard error with its number, the rest goes on, and the exit code
is 1.`,
  examples: [
    'sextant route "What is 2 + 2?" --models gpt-5.5,gpt-5.4-mini --cost-weight 0.3',
    'sextant route "Prove that 2 is prime." --max-mean-cost-usd 0.002 --explain',
    "sextant route - --json < prompt.txt",
    "sextant route --batch prompts.jsonl.gz --cost-weight 0.3 > decisions.jsonl",
  ],
  run: (options, context, ...[prompt]) => route(prompt, options, context),
});

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
