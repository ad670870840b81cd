import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { csvLine } from "../../../../foundation/csv.js";
import type { Trace } from "../../../traces/trace.js";
import { type KeyNames, type TraceBody, traceBody } from "../schema/trace.js";
import type { ExportFormatName } from "../schema/trace-query.js";
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
};

/** Traces as CSV with a header; times are ISO 8601, UTC. */
async function* csv(batches: AsyncIterable<readonly TraceBody[]>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(csvLine(TRACE_COLUMNS.map(({ name }) => name)));
  for await (const batch of batches)
    yield Buffer.from(
      batch.map((trace) => csvLine(TRACE_COLUMNS.map(({ valueIn }) => valueIn(trace)))).join(""),
    );
}

/** Traces as lines of JSON, each with what `GET /v1/traces/{request_id}` answers. */
async function* jsonLines(batches: AsyncIterable<readonly TraceBody[]>): AsyncGenerator<Uint8Array> {
  for await (const batch of batches)
    yield Buffer.from(batch.map((trace) => `${JSON.stringify(trace)}\n`).join(""));
}

/** Traces of a batch: texts of some length in them, a millisecond or so of this thread. */
const BATCH = 16;

interface ExportStreamOptions {
  readonly write: ExportFormat["write"];
  readonly keyNames: KeyNames;
  /** Hears of a fault after the first batch, which ends the stream before its end. */
  readonly onFault: (fault: unknown) => void;
}

/**
 * Traces as a file of some format. Resolves when the first batch is there, so that a query that cannot be made is still an
 * error of its own.
 *
 * @throws whatever the first batch throws
 */
export async function exportStream(
  batches: AsyncIterable<readonly Trace[]>,
  { write, keyNames, onFault }: ExportStreamOptions,
): Promise<Readable> {
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();

  async function* bodies() {
    try {
      for (let batch = first; batch.done !== true; batch = await iterator.next()) {
        for (let from = 0; from < batch.value.length; from += BATCH) {
          yield batch.value.slice(from, from + BATCH).map((trace) => traceBody(trace, keyNames));
          await nextTurn();
        }
      }
    } finally {
      await iterator.return?.();
    }
  }

  async function* bytes() {
    try {
      yield* write(bodies());
    } catch (fault) {
      onFault(fault);
      throw fault;
    }
  }
  return Readable.from(bytes(), { objectMode: false });
}
