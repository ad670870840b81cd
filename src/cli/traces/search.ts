import { Command } from "commander";
import type { TraceSummaryBody } from "../../gateway/api/traces/trace.js";
import { DEFAULT_PAGE, MAX_PAGE } from "../../gateway/index.js";
import { type CliContext, writeLine } from "../context.js";
import { tableFor } from "../table.js";
import { withTraces } from "./open.js";
import {
  addFilterOptions,
  addServerOption,
  type FilterOptions,
  filterParameters,
  parseWholeNumber,
  type ServerOptions,
} from "./options.js";
import { cell, dollars, milliseconds, time, tokens } from "./text.js";

interface SearchOptions extends FilterOptions, ServerOptions {
  readonly limit?: string;
  readonly offset?: string;
  readonly json?: true;
}

/** `sextant traces search`: one page of the traces that match. */
export function searchCommand(context: CliContext): Command {
  const command = new Command("search").description("list the finished requests that match, newest first");
  return addServerOption(addFilterOptions(command, context.now))
    .option("--limit <count>", `most traces to list; default: ${DEFAULT_PAGE}`, parseWholeNumber(1, MAX_PAGE))
    .option(
      "--offset <count>",
      "traces to pass over, from the newest",
      parseWholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option("--json", "print JSON, with the fields of the HTTP API")
    .action((options: SearchOptions) => search(options, context))
    .addHelpText(
      "after",
      '\nExamples:\n  $ sextant traces search --status error --start-date 24h\n  $ sextant traces search --q "refund" --metadata tenant=acme --limit 20\n  $ sextant traces search --kind router --url http://127.0.0.1:8080',
    );
}

function search(options: SearchOptions, context: CliContext): Promise<void> {
  const { limit, offset, json } = options;
  const parameters = {
    ...filterParameters(options),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  };
  return withTraces(options, context, async (traces) => {
    const page = await traces.list(parameters);
    if (json) return writeLine(context.stdout, JSON.stringify(page, null, 2));
    await writeLine(context.stdout, tableFor(context.stdout, { head: HEAD, rows: page.traces.map(rowOf) }));
    const next = Number(offset ?? 0) + page.traces.length;
    const more = page.has_more ? `; --offset ${next} shows the next` : "";
    await writeLine(context.stderr, `${page.traces.length} of ${page.total} traces${more}`);
  });
}

const HEAD = ["time (UTC)", "request id", "model", "provider", "status", "tokens", "cost (USD)", "ms"];

const rowOf = (trace: TraceSummaryBody): readonly string[] => [
  time(trace.created_at),
  cell(trace.request_id),
  cell(trace.model),
  cell(trace.provider),
  trace.status,
  tokens(trace),
  dollars(trace.cost_usd),
  milliseconds(trace.latency_ms),
];
