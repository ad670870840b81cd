import { setImmediate as turn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { SerialQueue } from "../../../foundation/serial-queue.js";
import type { Cancel, Timers } from "../../../foundation/timers.js";
import { RestartingThread } from "../../../foundation/workers/restarting-thread.js";
import { startWorkerThread, WorkerThread } from "../../../foundation/workers/worker-thread.js";

export interface PdfQuestion extends PdfBounds {
  /** Base64. */
  readonly data: string;
}

export interface PdfReaderOptions {
  readonly timers: Timers;
  /** Longest time for one file, its wait for others included. */
  readonly timeoutMs: number;
  /** Starts a thread that serves `FileTextApi`. */
  readonly startWorker?: () => Worker;
}

/** Idle time after which the thread ends, which releases its memory (guess). */
const IDLE_MS = 300_000;

/**
 * Reads PDFs one after the other in a worker thread, which starts with the first one, takes about 60 MB, and ends after five idle minutes, or
 * when a file takes too long. Never rejects.
 */
export class PdfReader {
  readonly #threads: RestartingThread<FileTextApi>;
  readonly #queue = new SerialQueue();
  #cancelIdling: Cancel = () => {};

  constructor(private readonly options: PdfReaderOptions) {
    const { startWorker = startThread } = options;
    this.#threads = new RestartingThread(
      () => new WorkerThread(startWorker(), { name: "the thread that reads PDFs" }),
    );
  }

  read(question: PdfQuestion): Promise<PdfText> {
    const { timers, timeoutMs } = this.options;
    const tooLong = { unread: `takes longer than ${timeoutMs} ms to read` };
    let state: "waiting" | "running" | "over" = "waiting";
    return new Promise((resolve) => {
      const cancel = timers.after(timeoutMs, () => {
        if (state === "running") void this.#threads.terminate(STOPPED);
        state = "over";
        resolve(tooLong);
      });
      void this.#queue.run(async () => {
        if (state === "over") return;
        state = "running";
        this.#cancelIdling();
        resolve(await this.#ask(question).catch(() => UNREADABLE));
        state = "over";
        cancel();
        this.#cancelIdling = timers.after(IDLE_MS, () => void this.close());
      });
    });
  }

  /** In pieces: copying 15 MB for the thread at once would hold up everything else for 15 ms (measured). */
  async #ask({ data, ...bounds }: PdfQuestion): Promise<PdfText> {
    const thread = this.#threads.running();
    for (let at = 0; at < data.length; at += PIECE_CHARACTERS) {
      thread.notify("take", data.slice(at, at + PIECE_CHARACTERS));
      await turn();
    }
    return thread.call("readPdf", bounds);
  }

  close(): Promise<void> {
    this.#cancelIdling();
    return this.#threads.terminate(STOPPED);
  }
}

const PIECE_CHARACTERS = 1_048_576;
const UNREADABLE: PdfText = { unread: "cannot be read" };
const STOPPED = new Error("The thread that reads PDFs was stopped.");

const startThread = (): Worker => startWorkerThread("gateway/inference/file-texts/worker", undefined);

/** What the thread that reads PDFs does. */
export type FileTextApi = {
  /** The next piece of the file that is read next, in base64. */
  take(piece: string): void;
  readPdf(bounds: PdfBounds): PdfText;
};

export interface PdfBounds {
  readonly maxPages: number;
  readonly maxCharacters: number;
}

/** The text of the first pages; or why there is none, as the end of a sentence about the file. */
export type PdfText =
  | { readonly text: string; readonly pages: number; readonly pagesRead: number }
  | { readonly unread: string };
