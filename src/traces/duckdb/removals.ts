import { SerialQueue } from "../serial-queue.js";
import { Cancelled } from "./query-queue.js";
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
  readonly #wanted = new Set<number>();
  #copying: { readonly request: number; readonly replacement: Replacement } | undefined;

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** Whether a second file is being filled. */
  get isCopying(): boolean {
    return this.#copying !== undefined;
  }

  /** @returns how many traces were removed @throws Cancelled, or what the library throws; then the file is as it was */
  removeBefore(request: number, ms: number): Promise<number> {
    this.#wanted.add(request);
    return this.#queue.run(() => this.#remove(request, ms)).finally(() => this.#wanted.delete(request));
  }

  /** Cancels the removal of that request, unless the files are being exchanged already. */
  cancel(request: number): void {
    this.#wanted.delete(request);
    const copying = this.#copying;
    if (copying?.request === request) copying.replacement.interruptUntil(() => this.#copying !== copying);
  }

  /** Cancels all of them and waits until they are over. */
  async close(): Promise<void> {
    for (const request of this.#wanted) this.cancel(request);
    await this.#queue.run(async () => {});
  }

  async #remove(request: number, ms: number): Promise<number> {
    const { file, write, exclusively } = this.#options;
    this.#throwIfCancelled(request);
    const count = await write(() => file.countBefore(ms));
    if (count === 0) return 0;
    const replacement = await file.beginReplacement(ms);
    this.#copying = { request, replacement };
    try {
      this.#throwIfCancelled(request);
      await replacement.copy();
      this.#throwIfCancelled(request);
      await exclusively(() => file.replaceBy(replacement));
      return count;
    } catch (error) {
      // Not before nothing interrupts it any more.
      this.#copying = undefined;
      await replacement.discard();
      throw this.#wanted.has(request) ? error : new Cancelled();
    } finally {
      this.#copying = undefined;
    }
  }

  #throwIfCancelled(request: number): void {
    if (!this.#wanted.has(request)) throw new Cancelled();
  }
}
