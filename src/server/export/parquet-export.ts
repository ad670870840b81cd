import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { startWorkerThread } from "../../start-worker.js";
import type { TraceBody } from "../trace-body.js";
import type { FromParquetWorker, ToParquetWorker } from "./messages.js";

/** Traces handed over at once: texts of some length in them, a millisecond or so of this thread. */
const SLICE = 16;

const startWorker = (): Worker =>
  startWorkerThread(new URL("./parquet-worker.js", import.meta.url), undefined);

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

class ParquetThread {
  readonly #worker: Worker;
  /** Rejects when the thread ends, never resolves. */
  readonly #ended: Promise<never>;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.#ended = new Promise((_, reject) => {
      worker.on("error", (error) =>
        reject(new Error(`The thread that writes Parquet crashed: ${error.message}`)),
      );
      worker.on("exit", () => reject(new Error("The thread that writes Parquet ended.")));
    });
    this.#ended.catch(() => {});
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

  async #ask(message: ToParquetWorker): Promise<readonly Uint8Array[]> {
    const answer = once(this.#worker, "message");
    this.#post(message);
    const [{ bytes }] = (await Promise.race([answer, this.#ended])) as [FromParquetWorker];
    return bytes;
  }

  #post(message: ToParquetWorker): void {
    this.#worker.postMessage(message);
  }
}
