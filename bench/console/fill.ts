import { encodeTime } from "ulid";
import type { Trace } from "../../src/gateway/traces/trace.js";
import type { BenchStore } from "../traces/bench-store.js";
import { END_MS, MadeUpTraces } from "../traces/made-up-traces.js";

/** Traces handed to the store at once. */
const BATCH = 10_000;
/** Characters of the time in a request id, after `req_`. */
const TIME_CHARACTERS = 10;

/** Fills a store with made-up traces of the 90 days that end now: pages show the last hour first. */
export async function fill(
  store: BenchStore,
  { rows, seed, nowMs }: { readonly rows: number; readonly seed: number; readonly nowMs: number },
): Promise<void> {
  const made = new MadeUpTraces({ seed, rows });
  const traces = store.open();
  try {
    for (let at = 0; at < rows; at += BATCH) {
      const batch = made.take(Math.min(BATCH, rows - at));
      await traces.append(batch.map((trace) => later(trace, nowMs - END_MS)));
    }
  } finally {
    await traces.close();
  }
}

function later(trace: Trace, byMs: number): Trace {
  const createdAtMs = trace.createdAtMs + byMs;
  const random = trace.requestId.slice("req_".length + TIME_CHARACTERS);
  return { ...trace, createdAtMs, requestId: `req_${encodeTime(createdAtMs, TIME_CHARACTERS)}${random}` };
}
