import { Command, InvalidArgumentError } from "commander";
import type { TraceBody } from "../api/traces/trace.js";
import { EVERY_MODEL_AVAILABLE } from "../router/live-models.js";
import type { Router } from "../router/router.js";
import { messagesOfTrace } from "../traces/trace-messages.js";
import { percent, points } from "../workbench/evaluation/gate.js";
import {
  type PastRequest,
  Replay,
  type ReplayReport,
  type ReplaySummary,
} from "../workbench/replay/replay.js";
import {
  type ExpectedChange,
  ShadowComparison,
  type ShadowReport,
} from "../workbench/replay/shadow-comparison.js";
import { type CliContext, CommandFailure, type Output, writeLine } from "./context.js";
import { engineCatalog } from "./engine-catalog.js";
import { addEngineOptions, type EngineOptions, parseList } from "./engine-options.js";
import { tableFor } from "./table.js";
import { withTraces } from "./traces/open.js";
import {
  addFilterOptions,
  addServerOption,
  type FilterOptions,
  filterParameters,
  instantText,
  type ServerOptions,
} from "./traces/options.js";

interface ReplayOptions extends FilterOptions, ServerOptions, EngineOptions {
  readonly costWeight: readonly number[];
  readonly models?: readonly string[];
  readonly since?: string;
  readonly moves?: true;
  readonly json?: true;
}

const DEFAULT_WEIGHTS = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** `sextant replay`: what other cost weights or profiles would have chosen for past requests, what that would cost and score. */
export function replayCommand(context: CliContext): Command {
  const command = new Command("replay").description(
    "decide finished requests again: what other settings would have chosen, cost and scored",
  );
  return addEngineOptions(addServerOption(addFilterOptions(command, context.now)))
    .option("--since <when>", "the same as --start-date, such as 30d", (text) =>
      instantText(text, context.now()),
    )
    .option(
      "--cost-weight <list>",
      "cost weights to try, 0 to 1, separated by commas",
      weights,
      DEFAULT_WEIGHTS,
    )
    .option(
      "--models <list>",
      "models to choose among, separated by commas; default: those that each request was routed among",
      parseList,
    )
    .option("--moves", "list how many requests go from which model to which")
    .option("--json", "print JSON")
    .action((options: ReplayOptions) => runReplay(options, context))
    .addHelpText("after", HELP);
}

const HELP = `
Reads the prompts of finished requests from the store, or from a running server (--url); no model is called. Requests whose text was
not kept, and those that named their model, unless --models is given, are left out and counted. Spend is what was billed where the model
stays, else the expected cost, corrected by what answers were billed; quality is what the profiles expect. Intervals hold 95 % and
contain what the profiles do not know. Where traces have decisions of a shadow set, these are compared with the live ones.

Examples:
  $ sextant replay --since 30d
  $ sextant replay --cost-weight .4 --profiles profiles/default --since 30d --moves
  $ sextant replay --cost-weight .2,.4 --models gpt-5.5,gpt-5.4-mini --url http://127.0.0.1:8080`;

function weights(list: string): readonly number[] {
  const values = parseList(list).map(Number);
  if (values.length > 0 && values.every((value) => value >= 0 && value <= 1)) return values;
  throw new InvalidArgumentError("It must be numbers from 0 to 1, separated by commas.");
}

/** Requests that cannot be decided again. */
interface LeftOut {
  text: number;
  named: number;
  failed: number;
}

async function runReplay(options: ReplayOptions, context: CliContext): Promise<void> {
  const router = await openRouter(options, context);
  try {
    const replay = new Replay(router, options.costWeight);
    const shadows = new ShadowComparison();
    const leftOut: LeftOut = { text: 0, named: 0, failed: 0 };
    const { since, ...filters } = options;
    const parameters = filterParameters(since === undefined ? filters : { startDate: since, ...filters });
    await withTraces(options, context, async (traces) => {
      for await (const batch of traces.export(parameters)) {
        context.signal.throwIfAborted();
        for (const { routing } of batch) if (routing !== null) shadows.add(routing);
        await replay.add(batch.flatMap((trace) => pastRequest(trace, options, leftOut)));
      }
    });
    const summary = replay.summary();
    if ((summary.reports[0]?.requests ?? 0) === 0) {
      throw new CommandFailure(`no request can be decided again${leftOutText(leftOut, summary)}`);
    }
    const answer = options.json
      ? JSON.stringify(
          { ...body(summary, leftOut), shadow: shadows.reports().map(shadowReportBody) },
          null,
          2,
        )
      : [
          replayText(summary, { output: context.stdout, moves: options.moves === true }),
          ...shadows.reports().map(shadowText),
        ].join("\n\n");
    await writeLine(context.stdout, answer);
    if (!options.json)
      await writeLine(context.stderr, `sextant: decided again${leftOutText(leftOut, summary)}`);
  } finally {
    await router.close();
  }
}

async function openRouter(options: EngineOptions, context: CliContext): Promise<Router> {
  const { settings, catalog } = engineCatalog(options, context);
  const lookup = (model: string) => catalog.lookup(model);
  const { router } = await context.openRouter(settings, {
    // What answered may be retired by now.
    catalog: { lookup, isServed: () => true, ...EVERY_MODEL_AVAILABLE },
  });
  return router;
}

function pastRequest(trace: TraceBody, { models }: ReplayOptions, leftOut: LeftOut): PastRequest[] {
  const { model, routing, input_text: text, status, kind, feedback } = trace;
  if (status !== "success" || model === null || kind === "embeddings") leftOut.failed += 1;
  else if (text === undefined || text === "") leftOut.text += 1;
  else if (models === undefined && routing === null) leftOut.named += 1;
  else {
    return [
      {
        messages: messagesOfTrace(text),
        model,
        costUsd: trace.cost_usd,
        promptTokens: trace.tokens_in,
        candidates: models ?? routing?.candidates.map(({ model: candidate }) => candidate) ?? [],
        feedback: feedback?.score ?? null,
      },
    ];
  }
  return [];
}

function leftOutText({ text, named, failed }: LeftOut, { skipped }: ReplaySummary): string {
  const parts = [
    [text, "whose text was not kept"],
    [named, "that named their model (--models)"],
    [failed, "that failed, or asked for embeddings"],
    [skipped.undecidable, "whose models have no profile here"],
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
        `${((100 * changed) / requests).toFixed(1)} %`,
        spend.requests === 0
          ? "–"
          : `$${usd(spend.predictedUsd.value)} [${usd(spend.predictedUsd.low)}, ${usd(spend.predictedUsd.high)}]`,
        spend.actualUsd > 0 ? percent(spend.predictedUsd.value / spend.actualUsd - 1) : "–",
        `${points(quality.change.value)} [${points(quality.change.low)}, ${points(quality.change.high)}]`,
      ]),
    }),
  ];
  if (moves) {
    for (const report of reports.filter(({ changed }) => changed > 0)) {
      parts.push(
        `cost weight ${report.costWeight}:\n${tableFor(output, {
          head: ["from", "to", "requests", "quality, points"],
          rows: report.moves.map(({ from, to, requests, quality }) => [
            ...[from, to, String(requests), points(quality)],
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

/** What a shadow set would have changed, by what either set expects. */
function shadowText({
  profileVersion,
  requests,
  undecided,
  changed,
  byLive,
  byShadow,
}: ShadowReport): string {
  const share = requests === 0 ? "0" : ((100 * changed) / requests).toFixed(1);
  const skipped = undecided === 0 ? "" : ` (${undecided} more it could not decide)`;
  const change = ({ quality, costUsd, costChangeUsd }: ExpectedChange): string =>
    `spend ${costUsd > 0 ? percent(costChangeUsd / costUsd) : "–"}, quality ${points(quality)} points`;
  return (
    `Shadow set ${profileVersion}: another model for ${share} % of ${requests} requests${skipped}. ` +
    `By the live set's expectations: ${change(byLive)}; by its own: ${change(byShadow)}.`
  );
}

const changeBody = ({ requests, quality, costUsd, costChangeUsd }: ExpectedChange): object => ({
  ...{ requests, quality, cost_usd: costUsd, cost_change_usd: costChangeUsd },
});

const shadowReportBody = ({ profileVersion, byLive, byShadow, ...counts }: ShadowReport): object => ({
  ...{
    profile_version: profileVersion,
    ...counts,
    by_live: changeBody(byLive),
    by_shadow: changeBody(byShadow),
  },
});

const spentText = ({ requests, actualUsd }: ReplayReport["spend"]): string =>
  requests === 0
    ? "none with a known cost"
    : `$${actualUsd.toPrecision(4)} for the ${requests} whose cost is known`;

const usd = (value: number): string => Math.max(0, value).toPrecision(4);

function body({ reports, skipped, feedback }: ReplaySummary, leftOut: LeftOut): object {
  return {
    reports: reports.map(({ costWeight, profileVersion, spend, ...report }) => ({
      ...{ cost_weight: costWeight, profile_version: profileVersion, ...report },
      spend: { requests: spend.requests, actual_usd: spend.actualUsd, predicted_usd: spend.predictedUsd },
    })),
    left_out: { ...leftOut, ...skipped },
    feedback,
  };
}
