import { forEachCooperatively } from "../../../foundation/cooperative-batches.js";
import type { Trace } from "../trace.js";
import { isTrace } from "./is-trace.js";

/** One JSON text for each trace, ending in a line end; an empty line, which is damaged, for one that cannot be written as JSON. */
export async function linesOf(traces: readonly Trace[]): Promise<string[]> {
  const lines: string[] = [];
  await forEachCooperatively(traces, (trace) => {
    lines.push(lineOf(trace));
  });
  return lines;
}

function lineOf(trace: Trace): string {
  try {
    return `${JSON.stringify(trace)}\n`;
  } catch {
    return "\n";
  }
}

export interface ReadTraces {
  readonly traces: readonly Trace[];
  /** Lines that are no trace, with their ends. What a crash cut off at the end is none of them. */
  readonly damaged: readonly Uint8Array[];
}

/** The traces of a file of such lines. What this process wrote only has to be whole: a look at each member costs 5 µs a trace. */
export async function tracesOfLines(
  content: Buffer,
  { isLeft }: { readonly isLeft: boolean },
): Promise<ReadTraces> {
  const traces: Trace[] = [];
  const damaged: Uint8Array[] = [];
  await forEachCooperatively(linesIn(content), (line) => {
    const trace = traceOf(line, isLeft);
    if (trace === undefined) damaged.push(line);
    else traces.push(trace);
  });
  return { traces, damaged };
}

const LINE_END = 10;

/** With their ends. After the last line end there is nothing, or what a crash left of a line. */
function linesIn(content: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0, end = content.indexOf(LINE_END); end >= 0; end = content.indexOf(LINE_END, from)) {
    lines.push(content.subarray(from, end + 1));
    from = end + 1;
  }
  return lines;
}

function traceOf(line: Buffer, isLeft: boolean): Trace | undefined {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return !isLeft || isTrace(value) ? (value as Trace) : undefined;
  } catch {
    return undefined;
  }
}
