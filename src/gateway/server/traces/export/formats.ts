import { setImmediate as nextTurn } from "node:timers/promises";
import type { TraceBody } from "../../../api/traces/trace.js";
import type { ExportFormatName } from "../../../api/traces/trace-query.js";
import { parquetExport } from "./parquet-export.js";
import { TRACE_COLUMNS } from "./trace-columns.js";

export interface ExportFormat {
  readonly contentType: string;
  /** The bytes of a file of these traces, as fast as they are taken. */
  readonly write: (batches: AsyncIterable<readonly TraceBody[]>) => AsyncIterable<Uint8Array>;
}

/** The forms in which traces leave. */
export const EXPORT_FORMATS: Readonly<Record<ExportFormatName, ExportFormat>> = {
  jsonl: { contentType: "application/x-ndjson", write: jsonLines },
  csv: { contentType: "text/csv; charset=utf-8", write: csv },
  parquet: { contentType: "application/vnd.apache.parquet", write: (batches) => parquetExport(batches) },
};

/** Traces written at once: texts of some length in them, a millisecond or so of this thread. */
const SLICE = 16;

/**
 * Traces as CSV (RFC 4180) with a header, in the columns of the Parquet table; times are ISO 8601, UTC. A text that a spreadsheet
 * would take for a formula gets an apostrophe before it: prompts come from anybody.
 */
async function* csv(batches: AsyncIterable<readonly TraceBody[]>): AsyncGenerator<Uint8Array> {
  yield line(TRACE_COLUMNS.map(({ name }) => name));
  for await (const batch of batches) {
    for (let from = 0; from < batch.length; from += SLICE) {
      yield Buffer.concat(batch.slice(from, from + SLICE).map((trace) => line(cellsOf(trace))));
      await nextTurn();
    }
  }
}

const cellsOf = (trace: TraceBody): readonly string[] =>
  TRACE_COLUMNS.map(({ type, valueIn }) => {
    const value = valueIn(trace);
    if (value === null) return "";
    if (type === "timestamp") return new Date(Number(value)).toISOString();
    return typeof value === "string" ? quoted(harmless(value)) : String(value);
  });

const FORMULA = /^[=+\-@\t\r]/;

const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const line = (cells: readonly string[]): Buffer => Buffer.from(`${cells.join(",")}\r\n`);

/** Traces as lines of JSON, each with what `GET /v1/traces/{request_id}` answers. */
async function* jsonLines(batches: AsyncIterable<readonly TraceBody[]>): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    for (let from = 0; from < batch.length; from += SLICE) {
      const lines = batch.slice(from, from + SLICE).map((trace) => `${JSON.stringify(trace)}\n`);
      yield Buffer.from(lines.join(""));
      await nextTurn();
    }
  }
}
