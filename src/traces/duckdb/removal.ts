import { Turns } from "../turns.js";
import { interruptUntil } from "./interrupting.js";
import { Abandoned } from "./query-lane.js";
import type { Replacement } from "./replacement.js";
import type { TraceFile } from "./trace-file.js";

export interface RemovalParts {
  readonly file: TraceFile;
  /** Runs a task that writes. */
  readonly write: <Result>(task: () => Promise<Result>) => Promise<Result>;
  /** Runs a task while nothing else happens. */
  readonly alone: (task: () => Promise<void>) => Promise<void>;
}

/** Removes old traces by replacing the file, one removal after the other, while appends and queries go on. */
export class Removals {
  readonly #parts: RemovalParts;
  readonly #turns = new Turns();
  readonly #wanted = new Set<number>();
  #replacement: Replacement | undefined;

  constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  /** Whether a second file is being filled. */
  get isCopying(): boolean {
    return this.#replacement !== undefined;
  }

  /** @returns how many traces were removed @throws Abandoned, or what the library throws; then the file is as it was */
  removeBefore(request: number, ms: number): Promise<number> {
    this.#wanted.add(request);
    return this.#turns.take(() => this.#remove(request, ms)).finally(() => this.#wanted.delete(request));
  }

  /** Gives the removal of that request up, unless the files are being exchanged already. */
  abandon(request: number): void {
    this.#wanted.delete(request);
    const replacement = this.#replacement;
    if (replacement?.request !== request) return;
    interruptUntil(
      () => this.#replacement !== replacement,
      () => replacement.interrupt(),
    );
  }

  /** Gives all of them up and waits until they are. */
  async close(): Promise<void> {
    for (const request of this.#wanted) this.abandon(request);
    await this.#turns.take(async () => {});
  }

  async #remove(request: number, ms: number): Promise<number> {
    const { file, write, alone } = this.#parts;
    this.#throwUnlessWanted(request);
    const count = await write(() => file.countBefore(ms));
    if (count === 0) return 0;
    const replacement = await file.beginReplacement(request, ms);
    this.#replacement = replacement;
    try {
      this.#throwUnlessWanted(request);
      await replacement.copy();
      this.#throwUnlessWanted(request);
      await alone(() => file.replaceBy(replacement));
      return count;
    } catch (error) {
      // Not before nothing interrupts it any more.
      this.#replacement = undefined;
      await replacement.abandon();
      throw this.#wanted.has(request) ? error : new Abandoned();
    } finally {
      this.#replacement = undefined;
    }
  }

  #throwUnlessWanted(request: number): void {
    if (!this.#wanted.has(request)) throw new Abandoned();
  }
}
