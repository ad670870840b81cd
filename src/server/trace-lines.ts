import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Trace } from "../traces/trace.js";
import { traceBody } from "./trace-body.js";

/** Traces written at once: texts of some length in them, a millisecond or so of this thread. */
const SLICE = 16;

/**
 * Traces as JSON lines, each with what `GET /v1/traces/{request_id}` answers. Resolves when the first batch is there, so that
 * a query that cannot be made is still an error of its own.
 *
 * @param onFault hears of a fault after that, which ends the stream before its end
 * @throws whatever the first batch throws
 */
export async function traceLines(
  batches: AsyncIterable<readonly Trace[]>,
  onFault: (fault: unknown) => void,
): Promise<Readable> {
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();

  async function* lines() {
    try {
      for (let batch = first; batch.done !== true; batch = await iterator.next()) {
        for (let from = 0; from < batch.value.length; from += SLICE) {
          yield batch.value
            .slice(from, from + SLICE)
            .map(lineOf)
            .join("");
          await nextTurn();
        }
      }
    } catch (fault) {
      onFault(fault);
      throw fault;
    } finally {
      await iterator.return?.();
    }
  }
  return Readable.from(lines(), { objectMode: false });
}

const lineOf = (trace: Trace): string => `${JSON.stringify(traceBody(trace))}\n`;
