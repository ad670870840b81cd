import type { Cancel, Timers } from "../../foundation/timers.js";
import type { RpcChannel } from "../../foundation/workers/rpc-channel.js";
import type { RecorderStats } from "../traces/recorder.js";
import type { Trace, TraceSink } from "../traces/trace.js";
import type { SupervisorApi, WorkerApi } from "./cluster-api.js";

/** How long traces are collected before they are handed over: much less than the supervisor collects them before it writes. */
const COLLECT_MS = 10;

/** Traces handed over at once: half a millisecond of this process' time, were all of them routed among many models. */
const PART = 32;

export interface RemoteSinkOptions {
  readonly channel: RpcChannel<SupervisorApi, WorkerApi>;
  readonly timers: Timers;
  /** Whether prompts and answers are stored. */
  readonly wantsContent: boolean;
  /** Most traces that wait for the supervisor; further ones are dropped and counted. */
  readonly bufferTraces: number;
}

/**
 * Hands finished requests to the supervisor process, which writes them. A crash of this process loses what was recorded within
 * the last 10 ms or so; from then on they are in the supervisor's hands.
 */
export class RemoteSink implements TraceSink {
  readonly wantsContent: boolean;
  readonly #options: RemoteSinkOptions;
  #waiting: Trace[] = [];
  #handing = 0;
  #dropped = 0;
  #cancelTimer: Cancel | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: RemoteSinkOptions) {
    this.#options = options;
    this.wantsContent = options.wantsContent;
  }

  record(trace: Trace): void {
    if (this.#isClosed || this.#waiting.length + this.#handing >= this.#options.bufferTraces) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(trace);
    if (this.#waiting.length === PART) this.handOver();
    else if (this.#waiting.length === 1) {
      this.#cancelTimer = this.#options.timers.after(COLLECT_MS, () => this.handOver());
    }
  }

  /** What the supervisor does not count: those dropped here, and those that wait. It counts the latter as recorded once it has them. */
  stats(): RecorderStats {
    return {
      recorded: this.#dropped,
      written: 0,
      spilled: 0,
      dropped: this.#dropped,
      withheld: 0,
      buffered: this.#waiting.length + this.#handing,
      spillBytes: 0,
    };
  }

  /** Hands over what waits, and takes no more. Resolves when the supervisor has all of it, or is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.handOver();
    await this.#underWay;
  }

  /** Hands over what waits, now instead of a few milliseconds later. */
  handOver(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const traces = this.#waiting;
    if (traces.length === 0) return;
    this.#waiting = [];
    this.#handing += traces.length;
    const handed = this.#options.channel
      .call("record", traces)
      // A supervisor that is gone takes this process with it: they have no reader.
      .catch(() => {
        this.#dropped += traces.length;
      })
      .then(() => {
        this.#handing -= traces.length;
      });
    this.#underWay = Promise.all([this.#underWay, handed]).then(() => {});
  }
}
