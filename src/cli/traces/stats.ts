import type { TraceStatsBody } from "../../gateway/features/traces/schema/stats.js";
import { TRACE_DIMENSIONS } from "../../gateway/index.js";
import { command, JSON_OPTION, option } from "../command.js";
import { type CliContext, writeLine } from "../context.js";
import { SERVER_OPTION } from "../options.js";
import { tableFor } from "../table.js";
import { withTraces } from "./open.js";
import { FILTER_OPTIONS, filterParameters } from "./options.js";
import { cell, dollars, milliseconds } from "./text.js";

/** `sextant traces stats`: spend, tokens, errors and latency. */
export const statsCommand = command("stats", {
  about: "summarize spend, tokens, errors and latency of finished requests",
  options: {
    by: option(
      "<list>",
      `what to group by, separated by commas: ${TRACE_DIMENSIONS.join(", ")}, metadata.<key>`,
    ),
    ...FILTER_OPTIONS,
    ...SERVER_OPTION,
    ...JSON_OPTION,
  },
  examples: [
    "sextant traces stats --by model --start-date 7d",
    "sextant traces stats --by model --url http://127.0.0.1:8080",
    "sextant traces stats --by source,day --status success --json",
  ],
  async run(options, context) {
    const { by, json } = options;
    await withTraces(options, context, async (traces) => {
      const groups = await traces.stats({ ...filterParameters(options), ...(by !== undefined && { by }) });
      if (json) return writeLine(context.stdout, JSON.stringify(groups, null, 2));
      await writeLine(context.stdout, statsTable(groups, context));
      const withoutCost = groups.reduce((sum, group) => sum + group.requests_without_cost, 0);
      if (withoutCost === 0) return;
      await writeLine(context.stderr, `the cost of ${withoutCost} requests is not known and not in the sums`);
    });
  },
});

const FIGURES = [
  ...["requests", "errors", "timeouts", "tokens in", "tokens out", "cost (USD)", "saved (USD)"],
  ...["ms p50", "p90", "p99", "first content p50", "p90", "p99"],
];

function statsTable(groups: readonly TraceStatsBody[], { stdout }: CliContext): string {
  const given = Object.keys(groups[0]?.group ?? {});
  const known: readonly string[] = TRACE_DIMENSIONS.filter((dimension) => given.includes(dimension));
  const dimensions = [...known, ...given.filter((dimension) => !known.includes(dimension))];
  const rows = groups.map((stats) => rowOf(stats, dimensions));
  return tableFor(stdout, { head: [...dimensions, ...FIGURES], rows });
}

function rowOf(stats: TraceStatsBody, dimensions: readonly string[]): readonly string[] {
  const { latency_ms: latency, ttft_ms: ttft } = stats;
  return [
    ...dimensions.map((dimension) => cell(stats.group[dimension] ?? null)),
    ...[stats.requests, stats.errors, stats.timeouts, stats.tokens_in, stats.tokens_out].map(String),
    dollars(stats.cost_usd === 0 && stats.requests_without_cost > 0 ? null : stats.cost_usd),
    dollars(stats.requests_with_baseline === 0 ? null : stats.saved_usd),
    ...[latency?.p50, latency?.p90, latency?.p99, ttft?.p50, ttft?.p90, ttft?.p99].map(milliseconds),
  ];
}
