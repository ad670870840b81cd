import { Readable } from "node:stream";
import { type KeyNames, traceBody } from "../../../api/traces/trace.js";
import type { Trace } from "../../../traces/trace.js";
import type { ExportFormat } from "./formats.js";

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
      for (let batch = first; batch.done !== true; batch = await iterator.next())
        yield batch.value.map((trace) => traceBody(trace, keyNames));
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
