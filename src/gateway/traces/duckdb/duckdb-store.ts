import { availableParallelism } from "node:os";
import { basename, resolve } from "node:path";
import { deserialize } from "node:v8";
import type { Worker } from "node:worker_threads";
import { SextantError } from "../../../foundation/errors.js";
import { SerialQueue } from "../../../foundation/serial-queue.js";
import { systemClock, systemTimers, type Timers } from "../../../foundation/timers.js";
import { startWorkerThread } from "../../../foundation/workers/worker-thread.js";
import type {
  AnswerTo,
  ArgumentOf,
  ExportSelection,
  QueryOptions,
  QuestionName,
  StoreHealth,
  TraceFilter,
  TraceStore,
} from "../store.js";
import { StoreDownError } from "../store-down.js";
import type { Feedback, Trace } from "../trace.js";
import type { TraceLoss } from "./acknowledged.js";
import {
  EXPORT_BATCH,
  type ExportCursor,
  type ExportPart,
  type TraceFileApi,
  type TraceFileOptions,
} from "./trace-file-api.js";
import { TraceFileFault, TraceFileThread } from "./trace-file-thread.js";

/**
 * Bytes of the write-ahead log from which on it is worked into the file even if no row group is full, as that of long texts.
 * What is in the log is in memory too, so that it is a part of that at most.
 */
const CHECKPOINT_BYTES = 128 * 1024 * 1024;
const CHECKPOINT_SHARE = 1 / 6;

/** Waits before a file that could not be used is tried again: the first, and the longest. */
const RETRY_MS = 1000;
const MOST_RETRY_MS = 30_000;

const MOST_THREADS = 4;
const CACHE_BYTES = 16 * 1024 * 1024;

export interface DuckDbStoreOptions {
  /** Longest time for one query, in milliseconds. */
  readonly queryTimeoutMs: number;
  /** Most memory, in bytes. */
  readonly memoryBytes: number;
  readonly checkpointBytes?: number;
  readonly timers?: Timers;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  /** Told why, once, when the file turns out to be unusable; the next time only after it was open. */
  readonly onUnusable?: (reason: string) => void;
  /** Told when traces that had been stored are missing in the file that was opened. */
  readonly onLoss?: (loss: TraceLoss) => void;
  /** Starts a thread that serves `TraceFileApi`. */
  readonly startWorker?: (options: TraceFileOptions) => Worker;
}

/** DuckDB does not lock a file against a second handle in the same process, which would corrupt it. */
const filesInUse = new Set<string>();

/**
 * Keeps traces in a DuckDB file, in a worker thread.
 *
 * Returns at once: the file is opened or created meanwhile, and calls wait for that. Only one process can have it open. While
 * it cannot be used, calls reject with `store_down` and it is tried again from time to time; it is never removed or emptied
 * because of a fault. When the disk is full, appends reject and queries go on.
 *
 * @throws Error when this process has the file open already
 */
export function openDuckDbStore(path: string, options: DuckDbStoreOptions): TraceStore {
  return new DuckDbStore(resolve(path), options);
}

class DuckDbStore implements TraceStore {
  readonly #path: string;
  readonly #options: DuckDbStoreOptions;
  readonly #timers: Timers;
  readonly #clock: () => number;
  readonly #appends = new SerialQueue();
  #thread: TraceFileThread;
  #opened = false;
  /** Of this process' life. */
  #loss: Pick<StoreHealth, "lost" | "damaged_log"> = {};
  #retryMs = RETRY_MS;
  #retryAt = 0;
  #closing: Promise<void> | undefined;

  constructor(path: string, options: DuckDbStoreOptions) {
    if (filesInUse.has(path)) throw new Error(`${path} is open in this process already`);
    filesInUse.add(path);
    this.#path = path;
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#clock = options.clock ?? systemClock;
    this.#thread = this.#start();
  }

  append(traces: readonly Trace[]): Promise<void> {
    return this.#append((thread) => thread.append(traces));
  }

  appendMissing(traces: readonly Trace[]): Promise<void> {
    return this.#append(async (thread) => {
      const byId = new Map(traces.map((trace) => [trace.requestId, trace]));
      const times = traces.map(({ createdAtMs }) => createdAtMs);
      const ids = await thread.call("missing", {
        requestIds: [...byId.keys()],
        fromMs: Math.min(...times),
        toMs: Math.max(...times),
      });
      await thread.append(ids.flatMap((id) => byId.get(id) ?? []));
    });
  }

  ask<Name extends QuestionName>(
    name: Name,
    argument: ArgumentOf<Name>,
    { scope, signal }: QueryOptions,
  ): Promise<AnswerTo<Name>> {
    return this.#query("ask", { name, argument, scope }, signal) as Promise<AnswerTo<Name>>;
  }

  keepFeedback(requestId: string, feedback: Feedback, { scope, signal }: QueryOptions): Promise<boolean> {
    return this.#query("keepFeedback", { requestId, feedback, scope }, signal);
  }

  export({ filter, most }: ExportSelection, options: QueryOptions): AsyncGenerator<readonly Trace[]> {
    return most === undefined ? this.#all(filter, options) : this.#sample({ filter, most }, options);
  }

  #all(filter: TraceFilter, { scope, signal }: QueryOptions): AsyncGenerator<readonly Trace[]> {
    return inBatches((after) => this.#query("export", { filter, scope, after }, signal), signal);
  }

  async *#sample(
    selection: Required<ExportSelection>,
    { scope, signal }: QueryOptions,
  ): AsyncGenerator<readonly Trace[]> {
    const keys = await this.#query("sample", { ...selection, scope }, signal);
    for (let at = 0; at < keys.length; at += EXPORT_BATCH) {
      const some = keys.slice(at, at + EXPORT_BATCH);
      yield* inBatches((after) => {
        const from = 1 + some.findIndex(({ requestId }) => requestId === after?.requestId);
        return this.#query("samplePart", some.slice(from), signal);
      }, signal);
    }
  }

  async removeBefore(ms: number, options?: { readonly signal?: AbortSignal }): Promise<number> {
    const thread = await this.#usable();
    return thread
      .call("removeBefore", ms, options?.signal)
      .catch((error) => Promise.reject(asStoreDown(error)));
  }

  health(): StoreHealth {
    if (this.#closing !== undefined) return { ok: false, state: "closed" };
    const { ended } = this.#thread;
    if (ended !== undefined) return { ok: false, state: ended.message };
    return { ok: true, state: this.#opened ? "open" : "opening", ...this.#loss };
  }

  close(): Promise<void> {
    this.#closing ??= this.#appends
      .run(() => this.#thread.close("they are closed"))
      .finally(() => filesInUse.delete(this.#path));
    return this.#closing;
  }

  /** One batch after the other: what was missing must not be added by another meanwhile. */
  #append(task: (thread: TraceFileThread) => Promise<void>): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    return this.#appends.run(async () => {
      const thread = await this.#usable();
      await task(thread).catch((error) => Promise.reject(asStoreDown(error)));
    });
  }

  async #query<Name extends keyof TraceFileApi>(
    name: Name,
    question: Parameters<TraceFileApi[Name]>[0],
    signal: AbortSignal | undefined,
  ): Promise<ReturnType<TraceFileApi[Name]>> {
    signal?.throwIfAborted();
    const thread = await this.#usable();
    const limit = new AbortController();
    const signals = signal === undefined ? [limit.signal] : [limit.signal, signal];
    const stop = this.#timers.after(this.#options.queryTimeoutMs, () => limit.abort(this.#tookTooLong()));
    try {
      return await thread.call(name, question, AbortSignal.any(signals));
    } catch (error) {
      throw error instanceof TraceFileFault && error.kind === "busy" ? tooMuchMemory() : asStoreDown(error);
    } finally {
      stop();
    }
  }

  /** The thread with the file open; started anew when the last one ended some time ago. */
  async #usable(): Promise<TraceFileThread> {
    if (this.#closing !== undefined) throw closed();
    const { ended } = this.#thread;
    if (ended !== undefined) {
      if (this.#clock() < this.#retryAt) throw asStoreDown(ended);
      this.#thread = this.#start();
    }
    const thread = this.#thread;
    await thread.opened.catch((error) => Promise.reject(asStoreDown(error)));
    return thread;
  }

  #start(): TraceFileThread {
    const { memoryBytes } = this.#options;
    this.#opened = false;
    const start = this.#options.startWorker ?? startWorker;
    const worker = start({
      path: this.#path,
      scratchDir: `${this.#path}.tmp`,
      memoryBytes,
      cacheBytes: CACHE_BYTES,
      threads: queryThreads(),
      checkpointBytes:
        this.#options.checkpointBytes ?? Math.min(CHECKPOINT_BYTES, memoryBytes * CHECKPOINT_SHARE),
    });
    const thread = new TraceFileThread(worker, this.#path);
    thread.opened.then(
      (loss) => {
        this.#opened = true;
        this.#retryMs = RETRY_MS;
        if (loss !== undefined) this.#report(loss);
      },
      ({ message }: TraceFileFault) => {
        if (this.#retryMs === RETRY_MS && this.#closing === undefined) this.#options.onUnusable?.(message);
        this.#retryMs = Math.min(this.#retryMs * 2, MOST_RETRY_MS);
      },
    );
    this.#retryAt = this.#clock() + this.#retryMs;
    return thread;
  }

  #report(loss: TraceLoss): void {
    const { traces, damagedLog } = loss;
    this.#loss = {
      lost: (this.#loss.lost ?? 0) + traces,
      ...(damagedLog !== null && { damaged_log: basename(damagedLog) }),
    };
    this.#options.onLoss?.(loss);
  }

  #tookTooLong(): SextantError {
    return new SextantError(
      "query_timeout",
      `The search took longer than ${this.#options.queryTimeoutMs} ms (SEXTANT_TRACE_QUERY_TIMEOUT_MS). ` +
        "Narrow it, for example with start_date and end_date.",
    );
  }
}

/** Part after part; the next is read when all of the last has been taken. */
async function* inBatches(
  read: (after: ExportCursor | null) => Promise<ExportPart>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Trace[]> {
  let after: ExportCursor | null = null;
  do {
    const { batches, next }: ExportPart = await read(after);
    for (const batch of batches) {
      signal?.throwIfAborted();
      yield deserialize(batch) as readonly Trace[];
    }
    after = next;
  } while (after !== null);
}

const startWorker = (options: TraceFileOptions): Worker =>
  startWorkerThread("gateway/traces/duckdb/worker", options);

/** Half of the processor's, so that requests are not held up by searches. */
const queryThreads = (): number =>
  Math.min(MOST_THREADS, Math.max(1, Math.floor(availableParallelism() / 2)));

const closed = (): SextantError =>
  new SextantError("store_down", "The server is stopping: traces are closed.");

const tooMuchMemory = (): SextantError =>
  new SextantError(
    "query_timeout",
    "The search needs more memory than SEXTANT_TRACE_MEMORY_BYTES allows. Narrow it, for example with start_date and end_date.",
  );

/** Faults of the thread as clients see them; reasons of signals as they are. */
function asStoreDown(error: unknown): unknown {
  if (!(error instanceof TraceFileFault)) return error;
  return new StoreDownError(`Traces cannot be used: ${error.message}.`, error);
}
