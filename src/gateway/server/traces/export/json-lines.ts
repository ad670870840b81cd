import { setImmediate as nextTurn } from "node:timers/promises";
import type { TraceBody } from "../../../api/traces/trace.js";

/** Traces written at once: texts of some length in them, a millisecond or so of this thread. */
const SLICE = 16;

/** Traces as lines of JSON, each with what `GET /v1/traces/{request_id}` answers. */
export async function* jsonLines(batches: AsyncIterable<readonly TraceBody[]>): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    for (let from = 0; from < batch.length; from += SLICE) {
      const lines = batch.slice(from, from + SLICE).map((trace) => `${JSON.stringify(trace)}\n`);
      yield Buffer.from(lines.join(""));
      await nextTurn();
    }
  }
}
