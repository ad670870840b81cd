import { setImmediate as nextTurn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { startWorkerThread, WorkerThread } from "../../../../foundation/workers/worker-thread.js";
import type { TraceBody } from "../../../api/traces/trace.js";
import type { ParquetApi } from "./trace-table.js";

/** Traces handed over at once: texts of some length in them, a millisecond or so of this thread. */
const SLICE = 16;

const startWorker = (): Worker => startWorkerThread("gateway/server/traces/export/parquet-worker", undefined);

/**
 * Traces as one Parquet file: docs/api.md has its columns. In memory are a row group and two batches, however many there are,
 * and nothing is asked for while the reader waits.
 *
 * @throws RpcError when the thread cannot write them or ends, and whatever `batches` throws
 */
export async function* parquetExport(
  batches: AsyncIterable<readonly TraceBody[]>,
  start = startWorker,
): AsyncGenerator<Uint8Array> {
  const thread = new WorkerThread<ParquetApi>(start(), { name: "The thread that writes Parquet" });
  try {
    // The first bytes go out before any trace is waited for.
    yield* await thread.call("begin", undefined);
    let written: Promise<readonly Uint8Array[]> = Promise.resolve([]);
    for await (const batch of batches) {
      yield* await written;
      written = add(batch, thread);
      // It is written while the next batch is fetched; a fault is noticed after that.
      written.catch(() => {});
    }
    yield* await written;
    yield* await thread.call("end", undefined);
  } finally {
    await thread.terminate(new Error("The export has ended."));
  }
}

/** @returns what is complete after these */
async function add(
  traces: readonly TraceBody[],
  thread: WorkerThread<ParquetApi>,
): Promise<readonly Uint8Array[]> {
  const complete: Promise<readonly Uint8Array[]>[] = [];
  for (let from = 0; from < traces.length; from += SLICE) {
    if (from > 0) await nextTurn();
    const part = thread.call("add", traces.slice(from, from + SLICE));
    // A fault is noticed below.
    part.catch(() => {});
    complete.push(part);
  }
  return (await Promise.all(complete)).flat();
}
