import { SerialQueue } from "../../../foundation/serial-queue.js";
import type { Replacement } from "./replacement.js";
import type { TraceFile } from "./trace-file.js";

export interface RemovalOptions {
  readonly file: TraceFile;
  /** Runs a task that writes. */
  readonly write: <Result>(task: () => Promise<Result>) => Promise<Result>;
  /** Runs a task while nothing else happens. */
  readonly exclusively: (task: () => Promise<void>) => Promise<void>;
}

/** Removes old traces by replacing the file, one removal after the other, while appends and queries go on. */
export class Removals {
  readonly #options: RemovalOptions;
  readonly #queue = new SerialQueue();
  #copying: Replacement | undefined;

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** Whether a second file is being filled. */
  get isCopying(): boolean {
    return this.#copying !== undefined;
  }

  /**
   * The signal ends it, unless the files are being exchanged already.
   *
   * @returns how many traces were removed
   * @throws the signal's reason, or what the library throws; then the file is as it was
   */
  removeBefore(ms: number, signal: AbortSignal): Promise<number> {
    return this.#queue.run(() => this.#remove(ms, signal));
  }

  /** Waits until all of them are over, none of which goes on: their signals have been aborted. */
  async close(): Promise<void> {
    await this.#queue.run(async () => {});
  }

  async #remove(ms: number, signal: AbortSignal): Promise<number> {
    const { file, write, exclusively } = this.#options;
    signal.throwIfAborted();
    const count = await write(() => file.countBefore(ms));
    if (count === 0) return 0;
    const replacement = await file.beginReplacement(ms);
    const interrupt = () => replacement.interruptUntil(() => this.#copying !== replacement);
    this.#copying = replacement;
    signal.addEventListener("abort", interrupt, { once: true });
    try {
      signal.throwIfAborted();
      await replacement.copy();
      signal.throwIfAborted();
      await exclusively(() => file.replaceBy(replacement));
      return count;
    } catch (error) {
      // Not before nothing interrupts it any more.
      this.#copying = undefined;
      await replacement.discard();
      throw signal.aborted ? signal.reason : error;
    } finally {
      this.#copying = undefined;
      signal.removeEventListener("abort", interrupt);
    }
  }
}
