import { Command } from "commander";
import { SextantError } from "../../foundation/errors.js";
import type { TraceSummaryBody } from "../../gateway/api/traces/trace.js";
import { loadSettings, MAX_PAGE, readEnvironment } from "../../gateway/index.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { TraceFollower } from "./follower.js";
import { withTraces } from "./open.js";
import {
  addFilterOptions,
  addServerOption,
  type FilterOptions,
  filterParameters,
  parseWholeNumber,
  type ServerOptions,
} from "./options.js";
import type { TraceReader } from "./reader.js";
import { ServerUnreachable } from "./server.js";
import { cell, dollars, milliseconds, time, tokens } from "./text.js";

const POLL_MS = 1000;

interface TailOptions extends FilterOptions, ServerOptions {
  readonly lines: string;
  readonly json?: true;
}

/** `sextant traces tail`: the last traces, then every further one, until the process is asked to stop. */
export function tailCommand(context: CliContext): Command {
  const command = new Command("tail")
    .description("print the last finished requests, then further ones as they come; Ctrl-C ends it")
    .option("--lines <count>", "how many of the last to print first", parseWholeNumber(0, MAX_PAGE), "10");
  return addServerOption(addFilterOptions(command, context.now))
    .option("--json", "print a line of JSON each")
    .action((options: TailOptions) => tail(options, context))
    .addHelpText(
      "after",
      "\nExamples:\n  $ sextant traces tail --url http://127.0.0.1:8080\n  $ sextant traces tail --status error --lines 0",
    );
}

async function tail(options: TailOptions, context: CliContext): Promise<void> {
  refuseToFollowAFile(options, context);
  const write = options.json ? JSON.stringify : lineOf;
  await withTraces(options, context, async (traces) => {
    try {
      await follow(traces, { options, context, write });
    } catch (error) {
      if (!context.signal.aborted) throw error;
    }
  });
}

/** Whoever has a DuckDB file open is the only one who could add to it. */
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
