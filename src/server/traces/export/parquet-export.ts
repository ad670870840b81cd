import { setImmediate as nextTurn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import type { TraceBody } from "../../../api/traces/trace.js";
import { startWorkerThread } from "../../../workers/start-worker.js";
import type { FromParquetWorker, ToParquetWorker } from "./parquet-api.js";

/** Traces handed over at once: texts of some length in them, a millisecond or so of this thread. */
const SLICE = 16;

const startWorker = (): Worker => startWorkerThread("server/traces/export/parquet-worker", undefined);

/**
 * Traces as one Parquet file: docs/api.md has its columns. In memory are a row group and two batches, however many there are,
 * and nothing is asked for while the reader waits.
 *
 * @throws Error when the thread that writes ends, and whatever `batches` throws
 */
export async function* parquetExport(
  batches: AsyncIterable<readonly TraceBody[]>,
  start = startWorker,
): AsyncGenerator<Uint8Array> {
  const thread = new ParquetThread(start());
  try {
    // The first bytes go out before any trace is waited for.
    yield* await thread.write([]);
    let written: Promise<readonly Uint8Array[]> = Promise.resolve([]);
    for await (const batch of batches) {
      yield* await written;
      written = thread.write(batch);
      // It is written while the next batch is fetched; a fault is noticed after that.
      written.catch(() => {});
    }
    yield* await written;
    yield* await thread.end();
  } finally {
    await thread.terminate();
  }
}

interface Pending {
  readonly resolve: (bytes: readonly Uint8Array[]) => void;
  readonly reject: (fault: Error) => void;
}

/** One question at a time. */
class ParquetThread {
  readonly #worker: Worker;
  #pending: Pending | undefined;
  #ended: Error | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", ({ bytes }: FromParquetWorker) => {
      this.#pending?.resolve(bytes);
      this.#pending = undefined;
    });
    worker.on("error", ({ message }) => this.#end(`The thread that writes Parquet crashed: ${message}`));
    worker.on("exit", () => this.#end("The thread that writes Parquet ended."));
  }

  /** @returns what is complete after these */
  async write(traces: readonly TraceBody[]): Promise<readonly Uint8Array[]> {
    for (let from = 0; from < traces.length; from += SLICE) {
      if (from > 0) await nextTurn();
      this.#post({ kind: "rows", traces: traces.slice(from, from + SLICE) });
    }
    return this.#ask({ kind: "take" });
  }

  end(): Promise<readonly Uint8Array[]> {
    return this.#ask({ kind: "end" });
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(message: ToParquetWorker): Promise<readonly Uint8Array[]> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      this.#pending = { resolve, reject };
      this.#post(message);
    });
  }

  #post(message: ToParquetWorker): void {
    this.#worker.postMessage(message);
  }

  #end(reason: string): void {
    this.#ended ??= new Error(reason);
    this.#pending?.reject(this.#ended);
    this.#pending = undefined;
  }
}
