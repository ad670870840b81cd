import { InvalidArgumentError } from "commander";
import { EVERY_MODEL_AVAILABLE } from "../engine/index.js";
import type { ReplayReport, ReplaySummary, TracesReplay } from "../gateway/features/replay/replay-report.js";
import { replayBody, replayTraces } from "../gateway/index.js";
import { signedPercent, signedPoints } from "../workbench/index.js";
import { command, flag, JSON_OPTION, type OptionsOf, option, type Read, writeResult } from "./command.js";
import { type CliContext, CommandFailure, type Output, writeLine } from "./context.js";
import { ENGINE_OPTIONS, engineCatalog } from "./engine-options.js";
import { list, SERVER_OPTION } from "./options.js";
import { tableFor } from "./table.js";
import { withTraces } from "./traces/open.js";
import { FILTER_OPTIONS, filterParameters, SINCE_OPTION } from "./traces/options.js";

const weights: Read<readonly number[]> = (text, context) => {
  const values = list(text, context).map(Number);
  if (values.length > 0 && values.every((value) => value >= 0 && value <= 1)) return values;
  throw new InvalidArgumentError("It must be numbers from 0 to 1, separated by commas.");
};

const OPTIONS = {
  costWeight: option("<list>", "cost weights to try, 0 to 1, separated by commas", weights).default([
    0, 0.2, 0.4, 0.6, 0.8, 1,
  ]),
  models: option(
    "<list>",
    "models to choose among, separated by commas; default: those that each request was routed among",
    list,
  ),
  moves: flag("list how many requests move from which model to which"),
  ...SINCE_OPTION,
  ...FILTER_OPTIONS,
  ...SERVER_OPTION,
  ...ENGINE_OPTIONS,
  ...JSON_OPTION,
};

/** `sextant replay`: what other cost weights or profiles would have chosen for past requests, what that would cost and score. */
export const replayCommand = command("replay", {
  about: "replay finished requests: what other settings would have chosen, cost and scored",
  options: OPTIONS,
  help: `
Reads the prompts of finished requests from the store, or from a running server (--url); no model is called. Requests whose text was
not kept, and those that named their model, unless --models is given, are left out and counted. Spend is what was billed where the model
stays, else the expected cost, corrected by what answers were billed; quality is what the profiles expect. Intervals hold 95% and
contain what the profiles do not know.
Requests are decided by the sets of --profiles, else by those of the settings, else by the shipped ones: give those that the server uses.`,
  examples: [
    "sextant replay --since 30d",
    "sextant replay --cost-weight 0.4 --profiles profiles/default --since 30d --moves",
    "sextant replay --cost-weight 0.2,0.4 --models gpt-5.5,gpt-5.4-mini --url http://127.0.0.1:8080",
  ],
  run: runReplay,
});

async function runReplay(options: OptionsOf<typeof OPTIONS>, context: CliContext): Promise<void> {
  const { models, costWeight: costWeights, json } = options;
  const { settings, catalog } = engineCatalog(options, context);
  const { router } = await context.openRouter(settings, {
    // Models that answered may have retired since.
    catalog: { ...catalog, isServed: () => true, ...EVERY_MODEL_AVAILABLE },
  });
  try {
    let replayed: TracesReplay | undefined;
    await withTraces(options, context, async (traces) => {
      const { signal } = context;
      const past = traces.export(filterParameters(options));
      replayed = await replayTraces(past, { router, costWeights, models, signal });
    });
    const result = replayed;
    if (result === undefined || result.reports[0]?.requests === 0) {
      const leftOut = result === undefined ? "" : leftOutText(result);
      throw new CommandFailure(`no request can be decided again by ${router.profileVersion}${leftOut}`);
    }
    const text = () => replayText(result, { output: context.stdout, moves: options.moves === true });
    await writeResult(replayBody(result), text, { json, context });
    if (!json) await writeLine(context.stderr, `sextant: decided again${leftOutText(result)}`);
  } finally {
    await router.close();
  }
}

function leftOutText({ leftOut: { text, named, failed }, skipped }: TracesReplay): string {
  const parts = [
    [text, "whose text was not kept"],
    [named, "that named their model (--models)"],
    [failed, "that failed, or asked for embeddings"],
    [skipped.undecidable, "whose models have no profile in it (--profiles)"],
  ] as const;
  const found = parts.filter(([count]) => count > 0).map(([count, why]) => `${count} ${why}`);
  return found.length === 0 ? "; none left out" : `; left out: ${found.join(", ")}`;
}

function replayText(
  { reports, feedback }: ReplaySummary,
  { output, moves }: { readonly output: Output; readonly moves: boolean },
): string {
  const [first] = reports as [ReplayReport];
  const parts = [
    `${first.requests} requests, ${spentText(first.spend)}; profiles ${first.profileVersion}`,
    tableFor(output, {
      head: ["cost weight", "to another model", "spend", "change", "quality, points"],
      rows: reports.map(({ costWeight, requests, changed, spend, quality }) => [
        String(costWeight),
        `${((100 * changed) / requests).toFixed(1)}%`,
        spend.requests === 0
          ? "–"
          : `$${usd(spend.predictedUsd.value)} [${usd(spend.predictedUsd.low)}, ${usd(spend.predictedUsd.high)}]`,
        spend.change === null
          ? "–"
          : `${signedPercent(spend.change.value)} [${signedPercent(spend.change.low)}, ${signedPercent(spend.change.high)}]`,
        `${signedPoints(quality.change.value)} [${signedPoints(quality.change.low)}, ${signedPoints(quality.change.high)}]`,
      ]),
    }),
  ];
  if (moves) {
    for (const report of reports.filter(({ changed }) => changed > 0)) {
      parts.push(
        `cost weight ${report.costWeight}:\n${tableFor(output, {
          head: ["from", "to", "requests", "quality, points"],
          rows: report.moves.map(({ from, to, requests, quality }) => [
            from,
            to,
            String(requests),
            signedPoints(quality),
          ]),
        })}`,
      );
    }
  }
  if (feedback !== null) {
    parts.push(
      `Clients scored ${feedback.requests} of these requests ${feedback.mean.toFixed(3)} on average; ${feedback.expected.toFixed(3)} was expected.`,
    );
  }
  return parts.join("\n\n");
}

const spentText = ({ requests, actualUsd }: ReplayReport["spend"]): string =>
  requests === 0
    ? "none with a known cost"
    : `$${actualUsd.toPrecision(4)} for the ${requests} whose cost is known`;

const usd = (value: number): string => Math.max(0, value).toPrecision(4);
