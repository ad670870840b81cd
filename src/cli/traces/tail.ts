import { SextantError } from "../../foundation/errors.js";
import type { TraceSummaryBody } from "../../gateway/features/traces/schema/trace.js";
import { loadSettings, MAX_PAGE, readEnvironment } from "../../gateway/index.js";
import { command, flag, type OptionsOf, option } from "../command.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { SERVER_OPTION } from "../options.js";
import { ServerUnreachable } from "../server.js";
import { TraceFollower } from "./follower.js";
import { withTraces } from "./open.js";
import { countWithin, FILTER_OPTIONS, filterParameters } from "./options.js";
import type { TraceReader } from "./reader.js";
import { cell, dollars, milliseconds, time, tokens } from "./text.js";

const POLL_MS = 1000;

const OPTIONS = {
  lines: option("<count>", "number of past requests to print first", countWithin(0, MAX_PAGE)).default("10"),
  ...FILTER_OPTIONS,
  ...SERVER_OPTION,
  json: flag("print one JSON object per line"),
};

type TailOptions = OptionsOf<typeof OPTIONS>;

/** `sextant traces tail`: the last traces, then every further one, until the process is asked to stop. */
export const tailCommand = command("tail", {
  about: "print the last finished requests, then new ones as they finish; Ctrl-C stops",
  options: OPTIONS,
  examples: [
    "sextant traces tail --url http://127.0.0.1:8080",
    "sextant traces tail --status error --lines 0",
  ],
  async run(options, context) {
    refuseToFollowAFile(options, context);
    const write = options.json ? JSON.stringify : lineOf;
    await withTraces(options, context, async (traces) => {
      try {
        await follow(traces, { options, context, write });
      } catch (error) {
        if (!context.signal.aborted) throw error;
      }
    });
  },
});

/** The process that has a DuckDB file open is the only one that could add to it. */
function refuseToFollowAFile({ url }: TailOptions, context: CliContext): void {
  if ((url ?? readEnvironment(context.environment, context).SEXTANT_BASE_URL ?? "") !== "") return;
  if (loadSettings(context.environment, context).traceStore !== "duckdb") return;
  throw new CommandFailure(
    "only a running server adds traces: give its address, such as --url http://127.0.0.1:8080, or SEXTANT_BASE_URL.",
    2,
  );
}

interface Following {
  readonly options: TailOptions;
  readonly context: CliContext;
  readonly write: (trace: TraceSummaryBody) => string;
}

async function follow(traces: TraceReader, { options, context, write }: Following): Promise<never> {
  const { signal, stdout } = context;
  const follower = new TraceFollower(traces, filterParameters(options));
  const print = async (found: readonly TraceSummaryBody[]) => {
    if (found.length > 0) await writeLine(stdout, found.map(write).join("\n"));
  };
  await print(await follower.last(Number(options.lines)));
  for (let wasDown = false; ; ) {
    await context.wait(POLL_MS, signal);
    try {
      await print(await follower.further());
      wasDown = false;
    } catch (error) {
      if (signal.aborted || !passes(error)) throw error;
      if (!wasDown) await writeLine(context.stderr, `sextant: ${error.message} Trying again.`);
      wasDown = true;
    }
  }
}

/** A server that restarts, a store that is down for a while. */
function passes(error: unknown): error is Error {
  return error instanceof ServerUnreachable || (error instanceof SextantError && error.status >= 500);
}

function lineOf(trace: TraceSummaryBody): string {
  return [
    time(trace.created_at),
    trace.status.padEnd(7),
    `${milliseconds(trace.latency_ms)} ms`.padStart(9),
    (trace.tokens_in === null ? tokens(trace) : `${tokens(trace)} tokens`).padStart(18),
    `${dollars(trace.cost_usd)} USD`.padStart(14),
    cell(trace.request_id),
    `${cell(trace.model)} (${cell(trace.provider)})`,
  ].join("  ");
}
