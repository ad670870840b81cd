import { dirname, sep } from "node:path";
import type { Worker } from "node:worker_threads";
import { runCooperatively } from "../../../foundation/cooperative-batches.js";
import { RpcError } from "../../../foundation/workers/rpc-error.js";
import { WorkerThread } from "../../../foundation/workers/worker-thread.js";
import type { Trace } from "../trace.js";
import type { TraceLoss } from "./acknowledged.js";
import { reasonOf, UNUSABLE_FILE } from "./open-failure.js";
import { type AppendedRows, rowsOf } from "./rows.js";
import type { TraceFileApi } from "./trace-file-api.js";

/** `busy`: too much memory for one query. `broken`: the thread ends. `failed`: it goes on. */
type FaultKind = "busy" | "failed" | "broken";

/** Something that went wrong in the thread, or with it. The message has no folder: it may be shown to clients. */
export class TraceFileFault extends Error {
  override readonly name = "TraceFileFault";

  constructor(
    readonly kind: FaultKind,
    reason: string,
  ) {
    super(reason);
  }
}

/** Some tenths of a millisecond to make ready. */
const TRACES_OF_MESSAGE = 32;
/** Parts of long texts, of 5 kB each, in one message. */
const PARTS_OF_MESSAGE = 64;

function* messagesOf(traces: readonly Trace[]): Generator<AppendedRows> {
  for (let from = 0; from < traces.length; from += TRACES_OF_MESSAGE) {
    const { traces: rows, longTexts } = rowsOf(traces.slice(from, from + TRACES_OF_MESSAGE));
    for (let at = 0; at < longTexts.length; at += PARTS_OF_MESSAGE)
      yield { traces: [], longTexts: longTexts.slice(at, at + PARTS_OF_MESSAGE) };
    yield { traces: rows, longTexts: [] };
  }
}

/** The thread that keeps one file. Not before it is gone has it let go of the file. */
export class TraceFileThread {
  /** Settles once: the file is open, with what was found missing in it, or it cannot be used (TraceFileFault). */
  readonly opened: Promise<TraceLoss | undefined>;
  readonly #thread: WorkerThread<TraceFileApi>;
  readonly #folder: string;
  #closedBy: TraceFileFault | undefined;
  #batches = 0;

  constructor(worker: Worker, path: string) {
    this.#thread = new WorkerThread(worker, { name: "the thread that keeps them" });
    this.#folder = dirname(path) + sep;
    this.opened = this.call("opened", undefined);
    // Without a caller that awaits it, it must not be an unhandled rejection.
    this.opened.catch(() => {});
  }

  /** Why the thread cannot be used any more; undefined while it can. */
  get ended(): TraceFileFault | undefined {
    const { ended } = this.#thread;
    return ended && (this.#closedBy ?? new TraceFileFault("broken", this.#reasonOf(ended)));
  }

  /** @throws TraceFileFault, or the signal's reason */
  async call<Name extends keyof TraceFileApi>(
    name: Name,
    parameters: Parameters<TraceFileApi[Name]>[0],
    signal?: AbortSignal,
  ): Promise<ReturnType<TraceFileApi[Name]>> {
    try {
      return await this.#thread.call(name, parameters, signal);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** Stores the traces, letting other work of this thread happen while they are made ready. @throws TraceFileFault */
  async append(traces: readonly Trace[]): Promise<void> {
    const batch = this.#batches++;
    const messages = messagesOf(traces);
    await runCooperatively(() => {
      const { done, value: rows } = messages.next();
      if (done !== true) this.#thread.notify("collect", { batch, rows });
      return done === true;
    });
    await this.call("append", batch);
  }

  /** Lets the thread finish its appends, give up the file and end. */
  async close(reason: string): Promise<void> {
    this.#closedBy ??= new TraceFileFault("broken", reason);
    await this.#thread.close(this.#closedBy);
  }

  #explained(error: unknown): unknown {
    if (!(error instanceof RpcError)) return error;
    if (this.#closedBy !== undefined) return this.#closedBy;
    const fault = new TraceFileFault(kindOf(error), this.#reasonOf(error));
    // The library will do nothing more with this file: the store starts another thread.
    if (fault.kind === "broken" && this.#thread.ended === undefined) void this.close(fault.message);
    return fault;
  }

  #reasonOf(error: Error): string {
    const isExplained = error instanceof RpcError && error.code === UNUSABLE_FILE;
    return (isExplained ? error.message : reasonOf(error.message)).replaceAll(this.#folder, "");
  }
}

function kindOf({ message }: RpcError): FaultKind {
  if (/out of memory/i.test(message)) return "busy";
  return /fatal error|has been invalidated/i.test(message) ? "broken" : "failed";
}
