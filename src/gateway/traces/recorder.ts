import type { Cancel, Timers } from "../../foundation/timers.js";
import { Backlog, type Cause } from "./backlog.js";
import { type Redactor, withhold } from "./redaction/redactor.js";
import type { SpillFolder } from "./spill/spill-folder.js";
import type { TraceStore } from "./store.js";
import { lengthOf, type Trace, type TraceSink } from "./trace.js";
import type { TraceLog } from "./trace-log.js";
import { boundedInput } from "./traced-message.js";

/** Traces, and bytes, written together at most. */
const BATCH_TRACES = 2048;
const BATCH_BYTES = 8 * 1024 * 1024;

/** A disk may need that long to answer now and then: no shorter pause sends traces around the store. */
const LEAST_STORE_TIMEOUT_MS = 100;

/** Bytes that a trace takes in memory beside its texts, and each model it was routed among (guesses on the high side). */
const TRACE_BYTES = 1500;
const CANDIDATE_BYTES = 300;

export interface RecorderOptions {
  readonly store: Pick<TraceStore, "append" | "appendMissing" | "health">;
  readonly spill: SpillFolder;
  /** Whether prompts and answers are stored. */
  readonly content: "stored" | "left out";
  /** Most UTF-16 units of the texts of a prompt that are stored. */
  readonly maxTextCharacters: number;
  readonly redactor?: Redactor;
  /** How long traces are collected, in milliseconds, and how long, or 100, the store may take before they go to disk. */
  readonly flushMs: number;
  /** Most traces, and about as many bytes, that wait in memory. */
  readonly bufferTraces: number;
  readonly bufferBytes: number;
  readonly timers: Timers;
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
 * as can be known, once. Until the store is open they go to disk at once. Only when the disk or the buffer is full too are they dropped, and counted. A crash loses what is in
 * neither: what was recorded within some two times `flushMs` before it.
 */
export class Recorder implements TraceSink {
  readonly wantsContent: boolean;
  readonly #options: RecorderOptions;
  readonly #backlog: Backlog;
  readonly #counts = { recorded: 0, written: 0, spilled: 0, dropped: 0, withheld: 0 };
  #waiting: Trace[] = [];
  #waitingBytes = 0;
  #inHand = 0;
  /** Of those in hand, how many were counted as dropped when the time to close was up. */
  #givenUp = 0;
  #cancelTimer: Cancel | undefined;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #dropIsReported = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.wantsContent = options.content === "stored";
    this.#backlog = new Backlog(options);
  }

  record(trace: Trace): void {
    this.#counts.recorded += 1;
    const { bufferTraces, bufferBytes } = this.#options;
    const isFull = this.#waiting.length >= bufferTraces || this.#waitingBytes >= bufferBytes;
    if (isFull || this.#closing !== undefined) {
      this.#drop(1, isFull ? "the buffer is full" : "the server is stopping");
      return;
    }
    const kept = { ...trace, content: this.#contentOf(trace) };
    this.#waiting.push(kept);
    this.#waitingBytes += bytesOf(kept);
    if (this.#waiting.length === 1) this.#writeAfter(this.#isStoreOpen() ? this.#options.flushMs : 0);
    else if (this.#waiting.length === BATCH_TRACES) this.#writeAfter(0);
  }

  /** A store that is being opened takes a while, and a process that has just started is busy: nothing is gained by collecting. */
  #isStoreOpen(): boolean {
    return this.#options.store.health().state !== "opening";
  }

  #contentOf({ content }: Trace): Trace["content"] {
    if (!this.wantsContent || content === null) return null;
    // Answer and reasoning were bounded while they were collected.
    return { ...content, input: boundedInput(content.input, this.#options.maxTextCharacters) };
  }

  stats(): RecorderStats {
    return {
      ...this.#counts,
      written: this.#counts.written + this.#backlog.counts.brought,
      dropped: this.#counts.dropped + this.#backlog.counts.damaged,
      buffered: this.#waiting.length + this.#inHand,
      spillBytes: this.#options.spill.bytes,
    };
  }

  /** Whether traces wait on disk for the store, so that a search may not find what was recorded long ago. */
  get isBehind(): boolean {
    return this.#backlog.active;
  }

  /** Writes what waits now instead of later. Resolves when what was recorded before is stored, on disk or dropped; never rejects. */
  async flush(): Promise<void> {
    const before = this.#counts.recorded;
    while (this.#counts.recorded - this.#waiting.length - this.#inHand < before) {
      if (this.#closing !== undefined) return this.#closing;
      if (this.#writing === undefined) {
        this.#cancelTimer?.();
        this.#cancelTimer = undefined;
        this.#beginWriting();
      }
      await this.#writing;
    }
  }

  /** Writes what waits, to the store or to disk, within that time; then nothing more is recorded. */
  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#finish(graceMs);
    return this.#closing;
  }

  async #finish(graceMs: number): Promise<void> {
    this.#cancelTimer?.();
    let cancel: Cancel = () => {};
    const grace = new Promise<void>((resolve) => {
      cancel = this.#options.timers.after(graceMs, resolve);
    });
    await Promise.race([grace, this.#writeAll()]);
    cancel();
    const lost = this.#waiting.length + this.#inHand;
    this.#givenUp = this.#inHand;
    if (lost > 0) this.#drop(lost, "they could not be written in time");
    await this.#backlog.stop();
  }

  async #writeAll(): Promise<void> {
    await this.#writing;
    while (this.#waiting.length > 0) await this.#writeOne();
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
      if (this.#waiting.length === 0) return;
      // Those whose time was up meanwhile have waited long enough: a crash loses what waits.
      const isDue = this.#cancelTimer === undefined;
      if (isDue || this.#waiting.length >= BATCH_TRACES) this.#writeAfter(0);
    });
  }

  /** Takes a batch out of the buffer and sees to it that it is written or counted. Never rejects. */
  async #writeOne(): Promise<void> {
    const content = this.#waiting.length > this.#options.bufferTraces / 2 ? "withhold" : "redact";
    const taken = this.#take();
    this.#inHand = taken.length;
    if (this.#waiting.length > 0 && this.#cancelTimer === undefined) this.#writeAfter(this.#options.flushMs);
    const traces = await this.#redacted(taken, content);
    if (this.#backlog.active) this.#countKept(await this.#backlog.keep(traces), traces);
    else if (!this.#isStoreOpen())
      this.#countKept(await this.#backlog.begin({ kind: "opening" }, traces), traces);
    else await this.#store(traces);
    this.#inHand = 0;
    this.#counts.dropped -= this.#givenUp;
    this.#givenUp = 0;
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
    this.#waitingBytes = this.#waiting.length === 0 ? 0 : Math.max(0, this.#waitingBytes - bytes);
    return taken;
  }

  async #redacted(traces: readonly Trace[], content: "withhold" | "redact"): Promise<readonly Trace[]> {
    const { redactor } = this.#options;
    if (redactor === undefined) return traces;
    const redacted = content === "withhold" ? withhold(traces) : await redactor.redact(traces);
    this.#counts.withheld += redacted.withheld;
    return redacted.traces;
  }

  async #store(traces: readonly Trace[]): Promise<void> {
    let cancel: Cancel = () => {};
    const timeout = new Promise<"slow">((resolve) => {
      const timeoutMs = Math.max(LEAST_STORE_TIMEOUT_MS, this.#options.flushMs);
      cancel = this.#options.timers.after(timeoutMs, () => resolve("slow"));
    });
    const answer = this.#appended(traces);
    const outcome = await Promise.race([answer, timeout]);
    cancel();
    if (outcome === "stored") {
      this.#counts.written += traces.length;
      this.#dropIsReported = false;
      this.#backlog.storeWorks();
      return;
    }
    const cause: Cause =
      outcome === "slow" ? { kind: "slow", answer } : { kind: "failed", error: outcome.error };
    this.#countKept(await this.#backlog.begin(cause, traces), traces);
  }

  async #appended(traces: readonly Trace[]): Promise<"stored" | { readonly error: unknown }> {
    try {
      await this.#options.store.append(traces);
      return "stored";
    } catch (error) {
      return { error };
    }
  }

  #countKept(kept: number, traces: readonly Trace[]): void {
    this.#counts.spilled += kept;
    if (kept < traces.length)
      this.#drop(traces.length - kept, "the store is down and the disk takes no more");
  }

  #drop(count: number, reason: string): void {
    this.#counts.dropped += count;
    if (this.#dropIsReported) return;
    this.#dropIsReported = true;
    this.#options.log.error({ reason }, "traces are being dropped");
  }
}

function bytesOf({ content, routing }: Trace): number {
  return (
    TRACE_BYTES + lengthOf(content) + (routing === null ? 0 : routing.candidates.length * CANDIDATE_BYTES)
  );
}
