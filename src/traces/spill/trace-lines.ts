import { forEachCooperatively } from "../cooperative-batches.js";
import type { Trace } from "../trace.js";

/** One JSON text for each trace, ending in a line end; undefined for one that cannot be written as JSON. */
export async function linesOf(traces: readonly Trace[]): Promise<(string | undefined)[]> {
  const lines: (string | undefined)[] = [];
  await forEachCooperatively(traces, (trace) => {
    lines.push(lineOf(trace));
  });
  return lines;
}

function lineOf(trace: Trace): string | undefined {
  try {
    return `${JSON.stringify(trace)}\n`;
  } catch {
    return undefined;
  }
}

export interface ReadTraces {
  readonly traces: readonly Trace[];
  /** Lines that are no trace. What a crash cut off at the end is none of them. */
  readonly damaged: number;
}

/** The traces of a file of such lines. */
export async function tracesOf(text: string): Promise<ReadTraces> {
  const lines = text.split("\n");
  // After the last line end there is nothing, or what a crash left of a line.
  lines.pop();
  const traces: Trace[] = [];
  await forEachCooperatively(lines, (line) => {
    const trace = traceOf(line);
    if (trace !== undefined) traces.push(trace);
  });
  return { traces, damaged: lines.length - traces.length };
}

function traceOf(line: string): Trace | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isTrace(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Enough to distinguish a trace from a damaged line that is still JSON. */
function isTrace(value: unknown): value is Trace {
  if (typeof value !== "object" || value === null) return false;
  const { requestId, createdAtMs, source, attempts, metadata } = value as Partial<Trace>;
  return (
    typeof requestId === "string" &&
    Number.isFinite(createdAtMs) &&
    typeof source === "string" &&
    Array.isArray(attempts) &&
    typeof metadata === "object"
  );
}
