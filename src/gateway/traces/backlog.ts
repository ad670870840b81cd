import { fileFaultMessage } from "../../foundation/file-fault.js";
import type { Cancel, Timers } from "../../foundation/timers.js";
import type { Segment, SpillFolder, Stored } from "./spill/spill-folder.js";
import type { ReadTraces } from "./spill/trace-lines.js";
import type { TraceStore } from "./store.js";
import type { Trace } from "./trace.js";
import { messageOf, type TraceLog } from "./trace-log.js";

/** Waits between tries to bring traces to the store: the first, and the longest. */
const RETRY_MS = 100;
const MOST_RETRY_MS = 5000;

/** Traces given to the store at once. Their bytes are bounded too: by what one segment on disk holds. */
const BATCH = 2048;

/** A shorter pause of the store is not logged: a checkpoint takes a second or so, and many times that where the processor is busy otherwise. */
const LOGGED_PAUSE_MS = 30_000;

export interface BacklogDependencies {
  readonly store: Pick<TraceStore, "append" | "appendMissing">;
  readonly spill: SpillFolder;
  readonly timers: Timers;
  readonly log: TraceLog;
}

/** Why traces go to disk instead of to the store. */
export type Cause =
  | { readonly kind: "failed"; readonly error: unknown }
  /** Resolves when the store has answered after all. */
  | { readonly kind: "slow"; readonly answer: Promise<unknown> }
  | { readonly kind: "not asked" };

interface KeptHow {
  readonly cause: Cause;
  /** Whether the store may have some of them. */
  readonly stored: Stored;
}

/**
 * Traces on disk that the store did not take, and the bringing of them to the store, oldest first.
 *
 * While it is active, newer traces have to queue here too. What may have been stored before the store failed is brought
 * again, and the store leaves out what it has: looking for it costs as much as a third of storing it.
 */
export class Backlog {
  readonly #dependencies: BacklogDependencies;
  /** Whether newer traces have to queue here. */
  active = false;
  #keeping = 0;
  #stopped = false;
  #wasReported = false;
  /** Why the disk did not take all of the last traces, and what to do; undefined when it did. Names no path. */
  diskFault: string | undefined;
  /** Traces that were written to disk, those brought to the store, and lines of the disk that were none. */
  readonly counts = { kept: 0, brought: 0, damaged: 0 };

  constructor(dependencies: BacklogDependencies) {
    this.#dependencies = dependencies;
    if (!dependencies.spill.isEmpty) this.#begin({ kind: "not asked" });
  }

  /**
   * Keeps the traces on disk and is active until everything there is in the store.
   *
   * @returns how many of the first there was room for; 0 when the disk fails
   */
  keep(traces: readonly Trace[], { cause, stored }: KeptHow): Promise<number> {
    // In this order: with nothing on disk or on its way there, it would be over at once.
    const kept = this.#keep(traces, stored);
    this.#begin(cause);
    return kept;
  }

  /** Call when the store has accepted traces: an earlier failure is over. */
  storeWorks(): void {
    this.diskFault = undefined;
    if (this.#wasReported) this.#dependencies.log.info({}, "traces are stored again");
    this.#wasReported = false;
  }

  async #keep(traces: readonly Trace[], stored: Stored): Promise<number> {
    this.#keeping += 1;
    try {
      const kept = await this.#dependencies.spill.append(traces, stored);
      this.counts.kept += kept;
      this.diskFault = kept < traces.length ? NO_MORE : undefined;
      return kept;
    } catch (error) {
      this.diskFault = fileFaultMessage("the folder spill cannot be written", error);
      return 0;
    } finally {
      this.#keeping -= 1;
    }
  }

  /** Leaves what is on disk to the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#dependencies.spill.close().catch(() => {});
  }

  #begin(cause: Cause): void {
    if (this.active || this.#stopped) return;
    this.active = true;
    void this.#bring(cause);
  }

  async #bring(cause: Cause): Promise<void> {
    const quiet = this.#report(cause);
    // What it answers late was kept as well, so it must be there before it is brought again.
    if (cause.kind === "slow") await cause.answer;
    for (let waitMs = RETRY_MS; !this.#stopped; ) {
      if (this.#dependencies.spill.isEmpty && this.#keeping === 0) {
        this.active = false;
        break;
      }
      if (await this.#bringOldest()) waitMs = RETRY_MS;
      else {
        await new Promise<void>((resolve) => this.#dependencies.timers.after(waitMs, resolve));
        waitMs = Math.min(waitMs * 2, MOST_RETRY_MS);
      }
    }
    quiet();
  }

  /** @returns false when there was nothing yet, or the store did not take it */
  async #bringOldest(): Promise<boolean> {
    const { spill } = this.#dependencies;
    try {
      const segment = await spill.oldest();
      if (segment === undefined) return false;
      const read = await this.#read(segment);
      if (read === undefined) return true;
      const { traces, damaged } = read;
      await this.#store(traces, segment);
      if (this.#stopped) return false;
      if (damaged.length > 0) await this.#putAside(segment, damaged);
      await spill.remove(segment);
      this.counts.brought += traces.length;
      this.storeWorks();
      return true;
    } catch (error) {
      this.#reportOnce(messageOf(error));
      return false;
    }
  }

  async #store(traces: readonly Trace[], segment: Segment): Promise<void> {
    const { store } = this.#dependencies;
    const isNew = segment.stored === "never";
    segment.stored = "maybe";
    for (let from = 0; from < traces.length && !this.#stopped; from += BATCH) {
      const batch = traces.slice(from, from + BATCH);
      await (isNew ? store.append(batch) : store.appendMissing(batch));
    }
  }

  /** Undefined when it cannot be read: then it is put aside, so that it holds up no other. */
  async #read(segment: Segment): Promise<ReadTraces | undefined> {
    const { spill, log } = this.#dependencies;
    try {
      return await spill.read(segment);
    } catch (error) {
      const file = await spill.putAsideWhole(segment);
      log.error({ file, reason: messageOf(error) }, "a file of traces cannot be read and was put aside");
      return undefined;
    }
  }

  async #putAside(segment: Segment, lines: readonly Uint8Array[]): Promise<void> {
    const { spill, log } = this.#dependencies;
    const file = await spill.putAside(segment, lines);
    this.counts.damaged += lines.length;
    log.error({ file, lines: lines.length }, "damaged traces were put aside");
  }

  /** @returns what keeps a report back that is not due yet */
  #report(cause: Cause): Cancel {
    if (cause.kind === "failed") this.#reportOnce(messageOf(cause.error));
    if (cause.kind !== "slow") return () => {};
    return this.#dependencies.timers.after(LOGGED_PAUSE_MS, () =>
      this.#reportOnce(`the store has not answered for ${LOGGED_PAUSE_MS / 1000} s`),
    );
  }

  #reportOnce(reason: string): void {
    if (!this.#wasReported) this.#dependencies.log.warn({ reason }, KEPT);
    this.#wasReported = true;
  }
}

const NO_MORE = "the folder spill is full. Repair the store, or raise SEXTANT_TRACE_SPILL_MAX_BYTES.";

const KEPT = "traces are not stored for the time being; they are kept on disk until they are";
