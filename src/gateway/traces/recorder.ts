import { RepeatedWarning } from "../../foundation/repeated-warning.js";
import { type Cancel, type Clock, type Timers, within } from "../../foundation/timers.js";
import { Backlog, type Cause } from "./backlog.js";
import { type Redactor, withhold } from "./redaction/redactor.js";
import type { SpillFolder, Stored } from "./spill/spill-folder.js";
import type { StoreHealth, TraceStore } from "./store.js";
import { lengthOf, type Trace, type TraceSink } from "./trace.js";
import type { TraceLog } from "./trace-log.js";

/** Traces, and bytes, written together at most. */
const BATCH_TRACES = 2048;
const BATCH_BYTES = 8 * 1024 * 1024;

/** A disk may need that long to answer now and then: no shorter pause sends traces around the store. */
const LEAST_STORE_TIMEOUT_MS = 100;

/** Between two tries to write what neither the store nor the disk took (guess). */
const RETRY_MS = 1000;

/** Bytes that a trace takes in memory beside its texts, and each model it was routed among (guesses on the high side). */
const TRACE_BYTES = 1500;
const CANDIDATE_BYTES = 300;

export interface RecorderOptions {
  readonly store: Pick<TraceStore, "append" | "appendMissing" | "health">;
  readonly spill: SpillFolder;
  /** Whether prompts and answers are stored. */
  readonly content: "stored" | "left out";
  readonly redactor?: Redactor;
  /** How long traces are collected, in milliseconds, and how long, or 100, the store may take before they go to disk. */
  readonly flushMs: number;
  /** Most traces, and about as many bytes, that wait in memory. */
  readonly bufferTraces: number;
  readonly bufferBytes: number;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly log: TraceLog;
}

/** Counts since the start, but for `buffered` and `spillBytes`, which are of now. */
export interface RecorderStats {
  /** Traces handed over. Each is written, dropped, buffered or on disk. */
  readonly recorded: number;
  readonly written: number;
  /** Traces that took the way over the disk. */
  readonly spilled: number;
  readonly dropped: number;
  /** Traces stored without the texts that could not be redacted in time. */
  readonly withheld: number;
  readonly buffered: number;
  readonly spillBytes: number;
}

/**
 * Collects finished requests and writes them to the store together.
 *
 * When the store fails or takes its time, they go to disk and from there to the store once it is back, in order and, as far
 * as can be known, once. Until the store is open they go to disk at once. What the disk does not take either waits in memory; only
 * when the buffer is full too are they dropped, and counted. A crash loses what is in neither: what was recorded within some two
 * times `flushMs` before it, and what the disk did not take.
 */
export class Recorder implements TraceSink {
  readonly wantsContent: boolean;
  readonly #options: RecorderOptions;
  readonly #backlog: Backlog;
  readonly #counts = { recorded: 0, written: 0, dropped: 0, withheld: 0 };
  #waiting: Trace[] = [];
  /** Taken out of those that wait, and neither stored nor on disk. */
  #inHand: readonly Trace[] = [];
  #inHandBytes = 0;
  /** Of those that wait and those in hand. */
  #bytes = 0;
  /** Whether the buffer has filled because neither the store nor the disk took traces, and not because redaction is slow. */
  #wasStuck = false;
  /** Whether the time to close was up: those that were left are counted as dropped. */
  #isOver = false;
  #cancelTimer: Cancel | undefined;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  readonly #stuckWarning: RepeatedWarning;
  readonly #dropWarning: RepeatedWarning;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.wantsContent = options.content === "stored";
    this.#backlog = new Backlog(options);
    const { clock, log } = options;
    const warning = (message: string) =>
      new RepeatedWarning(message, { clock, warn: (details, text) => log.error(details, text) });
    this.#stuckWarning = warning("traces wait in memory: they cannot be kept on disk");
    this.#dropWarning = warning("traces are being dropped");
  }

  record(trace: Trace): void {
    this.#counts.recorded += 1;
    const { bufferTraces, bufferBytes } = this.#options;
    const isFull = this.#buffered >= bufferTraces || this.#bytes >= bufferBytes;
    if (isFull || this.#closing !== undefined) {
      this.#drop(1, isFull ? "the buffer is full" : "the server is stopping");
      return;
    }
    const kept = this.wantsContent ? trace : { ...trace, content: null };
    this.#waiting.push(kept);
    this.#bytes += bytesOf(kept);
    if (this.#waiting.length === 1) this.#writeAfter(this.#isStoreOpen() ? this.#options.flushMs : 0);
    else if (this.#waiting.length === BATCH_TRACES) this.#writeAfter(0);
  }

  /** A store that is being opened takes a while, and a process that has just started is busy: nothing is gained by collecting. */
  #isStoreOpen(): boolean {
    return this.#options.store.health().state !== "opening";
  }

  stats(): RecorderStats {
    return {
      ...this.#counts,
      written: this.#counts.written + this.#backlog.counts.brought,
      spilled: this.#backlog.counts.kept,
      dropped: this.#counts.dropped + this.#backlog.counts.damaged,
      buffered: this.#buffered,
      spillBytes: this.#options.spill.bytes,
    };
  }

  get #buffered(): number {
    return this.#waiting.length + this.#inHand.length;
  }

  /** That of the store; not ok while traces wait in memory for a disk that does not take them either. */
  health(): StoreHealth {
    const health = this.#options.store.health();
    const { diskFault } = this.#backlog;
    const isStuck = health.ok && diskFault !== undefined;
    const { dropped } = this.stats();
    return {
      ...(isStuck ? { ok: false, state: `traces wait in memory: ${diskFault}` } : health),
      ...(dropped > 0 && { dropped }),
    };
  }

  /** Whether traces wait for the store, so that a search may not find what was recorded long ago. */
  get isBehind(): boolean {
    return this.#backlog.active || this.#backlog.diskFault !== undefined;
  }

  /**
   * Writes what waits now instead of later. Resolves when what was recorded before is stored, on disk or dropped, or when it can be
   * neither stored nor kept on disk for the time being; never rejects.
   */
  async flush(): Promise<void> {
    const before = this.#counts.recorded;
    while (this.#counts.recorded - this.#buffered < before) {
      if (this.#closing !== undefined) return this.#closing;
      if (this.#writing === undefined) {
        this.#cancelTimer?.();
        this.#cancelTimer = undefined;
        this.#beginWriting();
      }
      await this.#writing;
      if (this.#inHand.length > 0) return;
    }
  }

  /** Writes what waits, to the store or to disk, within that time; then nothing more is recorded. */
  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#finish(graceMs);
    return this.#closing;
  }

  async #finish(graceMs: number): Promise<void> {
    this.#cancelTimer?.();
    await within(graceMs, this.#writeAll(), this.#options.timers);
    this.#isOver = true;
    if (this.#buffered > 0) this.#drop(this.#buffered, "they could not be written in time");
    await this.#backlog.stop();
  }

  async #writeAll(): Promise<void> {
    await this.#writing;
    while (this.#buffered > 0 && !this.#isOver) {
      await this.#writeOne();
      if (this.#inHand.length > 0)
        await new Promise<void>((resolve) => this.#options.timers.after(RETRY_MS, resolve));
    }
  }

  #writeAfter(ms: number): void {
    if (this.#closing !== undefined) return;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.timers.after(ms, () => {
      this.#cancelTimer = undefined;
      if (this.#writing === undefined) this.#beginWriting();
    });
  }

  #beginWriting(): void {
    this.#writing = this.#writeOne().finally(() => {
      this.#writing = undefined;
      if (this.#inHand.length > 0) return this.#writeAfter(RETRY_MS);
      if (this.#waiting.length === 0) return;
      // Those whose time was up meanwhile have waited long enough: a crash loses what waits.
      const isDue = this.#cancelTimer === undefined;
      if (isDue || this.#waiting.length >= BATCH_TRACES) this.#writeAfter(0);
    });
  }

  /** Takes a batch out of the buffer, unless one is stuck, and stores it or keeps it on disk if that can be done. Never rejects. */
  async #writeOne(): Promise<void> {
    const stored = this.#inHand.length > 0 ? "maybe" : "never";
    if (stored === "never") await this.#takeInHand();
    const count = await this.#write(this.#inHand, stored);
    this.#inHand = this.#inHand.slice(count);
    if (this.#inHand.length === 0) this.#bytes -= this.#inHandBytes;
    else {
      this.#wasStuck = true;
      this.#stuckWarning.failed(this.#backlog.diskFault);
    }
    if (this.#isOver) this.#counts.dropped -= count;
  }

  async #takeInHand(): Promise<void> {
    const isHalfFull = this.#waiting.length > this.#options.bufferTraces / 2;
    this.#wasStuck &&= isHalfFull;
    const content = isHalfFull && !this.#wasStuck ? "withhold" : "redact";
    this.#inHand = this.#take();
    if (this.#waiting.length > 0 && this.#cancelTimer === undefined) this.#writeAfter(this.#options.flushMs);
    const { redactor } = this.#options;
    if (redactor === undefined) return;
    const redacted = content === "withhold" ? withhold(this.#inHand) : await redactor.redact(this.#inHand);
    this.#counts.withheld += redacted.withheld;
    this.#inHand = redacted.traces;
  }

  #take(): readonly Trace[] {
    let bytes = 0;
    let count = 0;
    for (const trace of this.#waiting) {
      if (count > 0 && (count >= BATCH_TRACES || bytes >= BATCH_BYTES)) break;
      bytes += bytesOf(trace);
      count += 1;
    }
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#inHandBytes = bytes;
    return taken;
  }

  /** @param stored whether the store may have some of them @returns how many of the first are stored or on disk now */
  async #write(traces: readonly Trace[], stored: Stored): Promise<number> {
    const { store, flushMs, timers } = this.#options;
    if (this.#backlog.active || !this.#isStoreOpen())
      return this.#backlog.keep(traces, { cause: { kind: "not asked" }, stored });
    const appended = stored === "never" ? store.append(traces) : store.appendMissing(traces);
    const answer = appended.then(
      () => "stored" as const,
      (error: unknown) => ({ error }),
    );
    const outcome = await within(Math.max(LEAST_STORE_TIMEOUT_MS, flushMs), answer, timers);
    if (outcome === "stored") {
      this.#counts.written += traces.length;
      this.#backlog.storeWorks();
      return traces.length;
    }
    const cause: Cause =
      outcome === undefined ? { kind: "slow", answer } : { kind: "failed", error: outcome.error };
    return this.#backlog.keep(traces, { cause, stored: "maybe" });
  }

  #drop(count: number, reason: string): void {
    this.#counts.dropped += count;
    this.#dropWarning.failed(reason);
  }
}

function bytesOf({ content, routing }: Trace): number {
  return (
    TRACE_BYTES + lengthOf(content) + (routing === null ? 0 : routing.candidates.length * CANDIDATE_BYTES)
  );
}
