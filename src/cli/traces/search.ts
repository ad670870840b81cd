import type { TraceSummaryBody } from "../../gateway/features/traces/schema/trace.js";
import { DEFAULT_PAGE, MAX_PAGE } from "../../gateway/index.js";
import { command, JSON_OPTION, option } from "../command.js";
import { writeLine } from "../context.js";
import { SERVER_OPTION } from "../options.js";
import { tableFor } from "../table.js";
import { withTraces } from "./open.js";
import { countWithin, FILTER_OPTIONS, filterParameters } from "./options.js";
import { cell, dollars, milliseconds, time, tokens } from "./text.js";

/** `sextant traces search`: one page of the traces that match. */
export const searchCommand = command("search", {
  about: "list matching finished requests, newest first",
  options: {
    ...FILTER_OPTIONS,
    ...SERVER_OPTION,
    limit: option(
      "<count>",
      `maximum number of traces to list; default: ${DEFAULT_PAGE}`,
      countWithin(1, MAX_PAGE),
    ),
    offset: option(
      "<count>",
      "number of traces to skip, starting with the newest",
      countWithin(0, Number.MAX_SAFE_INTEGER),
    ),
    ...JSON_OPTION,
  },
  examples: [
    "sextant traces search --status error --start-date 24h",
    'sextant traces search --q "refund" --metadata tenant=acme --limit 20',
    "sextant traces search --kind router --url http://127.0.0.1:8080",
  ],
  async run(options, context) {
    const { limit, offset, json } = options;
    const page = { ...(limit && { limit }), ...(offset && { offset }) };
    await withTraces(options, context, async (traces) => {
      const found = await traces.list({ ...filterParameters(options), ...page });
      if (json) return writeLine(context.stdout, JSON.stringify(found, null, 2));
      await writeLine(
        context.stdout,
        tableFor(context.stdout, { head: HEAD, rows: found.traces.map(rowOf) }),
      );
      const next = Number(offset ?? 0) + found.traces.length;
      const more = found.has_more ? `; --offset ${next} shows the next` : "";
      await writeLine(context.stderr, `${found.traces.length} of ${found.total} traces${more}`);
    });
  },
});

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
