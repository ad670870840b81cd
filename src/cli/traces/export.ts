import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { SingleBar } from "cli-progress";
import type { TraceBody } from "../../gateway/features/traces/schema/trace.js";
import type { ExportFormatName } from "../../gateway/features/traces/schema/trace-query.js";
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS } from "../../gateway/index.js";
import { choice, command, flag, type OptionsOf, option } from "../command.js";
import { type CliContext, CommandFailure, type Output, writeLine, writeOut } from "../context.js";
import { path, SERVER_OPTION } from "../options.js";
import { withTraces } from "./open.js";
import { FILTER_OPTIONS, filterParameters, type TraceParameters } from "./options.js";
import type { TraceReader } from "./reader.js";

const OPTIONS = {
  out: option("<file>", "file to write; - for standard output").required(),
  format: choice(
    "<format>",
    "jsonl: a line of JSON each; csv: a table. Default: by the file's extension, else jsonl",
    EXPORT_FORMAT_NAMES,
  ),
  force: flag("replace the file"),
  ...FILTER_OPTIONS,
  ...SERVER_OPTION,
};

/** `sextant traces export`: all traces that match, whole, into a file. */
export const exportCommand = command("export", {
  about: "write all matching finished requests to a file, oldest first",
  options: OPTIONS,
  examples: [
    "sextant traces export --out traces.csv --start-date 30d",
    "sextant traces export --out - --status error | head",
    "sextant traces export --out traces.jsonl --url http://127.0.0.1:8080",
  ],
  run: exportTraces,
});

async function exportTraces(options: OptionsOf<typeof OPTIONS>, context: CliContext): Promise<void> {
  const parameters = filterParameters(options);
  const format = options.format ?? formatNamed(options.out);
  if (options.out === "-") {
    return withTraces(options, context, async (traces) => {
      await writeAll({ traces, parameters, format, context }, (bytes) => writeOut(context.stdout, bytes));
    });
  }
  const file = path(options.out, context);
  if (options.force !== true && existsSync(file)) {
    throw new CommandFailure(`${options.out} exists. Give another file, or --force to replace it.`);
  }
  await withTraces(options, context, async (traces) => {
    const written = await writeFile(file, { traces, parameters, format, context });
    await writeLine(context.stderr, `${written} traces written to ${options.out}`);
  });
}

const formatNamed = (file: string): ExportFormatName =>
  EXPORT_FORMAT_NAMES.find((format) => file.endsWith(`.${format}`)) ?? "jsonl";

interface Export {
  readonly traces: TraceReader;
  readonly parameters: TraceParameters;
  readonly format: ExportFormatName;
  readonly context: CliContext;
}

/** Under another name until it is whole; for its owner's eyes only, because traces hold prompts. */
async function writeFile(file: string, what: Export): Promise<number> {
  const partial = `${file}.partial`;
  const output = await open(partial, "w", 0o600).catch(cannotWrite);
  try {
    const written = await writeAll(what, (bytes) => output.writeFile(bytes).catch(cannotWrite));
    await output.close();
    await rename(partial, file).catch(cannotWrite);
    return written;
  } catch (error) {
    await output.close();
    await rm(partial, { force: true });
    throw error;
  }
}

/** @returns how many traces */
async function writeAll(
  { traces, parameters, format, context }: Export,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<number> {
  const progress = await showProgress(context.stderr, async () => {
    const { total } = await traces.list({ ...parameters, limit: "1" });
    return total;
  });
  let written = 0;
  async function* counted(): AsyncGenerator<readonly TraceBody[]> {
    for await (const batch of traces.export(parameters)) {
      context.signal.throwIfAborted();
      yield batch;
      written += batch.length;
      progress.update(written);
    }
  }
  try {
    for await (const bytes of EXPORT_FORMATS[format].write(counted())) await write(bytes);
  } finally {
    progress.stop();
  }
  return written;
}

interface Progress {
  update(written: number): void;
  stop(): void;
}

/** A bar on a terminal, nothing elsewhere. */
async function showProgress(output: Output, total: () => Promise<number>): Promise<Progress> {
  if (output.isTTY !== true) return { update: () => {}, stop: () => {} };
  const format = "{bar} {percentage}% | {value} of {total} traces | {duration_formatted}";
  const bar = new SingleBar({ stream: output, format, hideCursor: true });
  bar.start(await total(), 0);
  return { update: (written) => bar.update(written), stop: () => bar.stop() };
}

function cannotWrite(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new CommandFailure(
    `the file cannot be written: ${reason}. Choose another place with --out, or make room.`,
  );
}
