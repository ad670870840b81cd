/** What a worker has of the supervisor process by calls over its channel. A supervisor that is gone takes the worker with it. */
import type {
  CorrectionTable,
  LengthCorrections,
  LengthObservation,
} from "../../engine/lengths/length-corrections.js";
import type { Cancel, Timers } from "../../foundation/timers.js";
import type { RpcChannel } from "../../foundation/workers/rpc-channel.js";
import type { Counters } from "../access/limits/counters.js";
import type { ConversationMemory } from "../conversations/conversation-memory.js";
import type { KeptKinds, ResponseMemory } from "../conversations/response-memory.js";
import type { RecorderStats } from "../traces/recorder.js";
import type { Trace, TraceSink } from "../traces/trace.js";
import type { SupervisorApi, WorkerApi } from "./cluster-api.js";

type Channel = RpcChannel<SupervisorApi, WorkerApi>;

/** The counters of the supervisor process, so that limits hold over all workers together. A claim costs a round trip to it. */
export const remoteCounters = (channel: Channel): Counters => ({
  claim: (claim) => channel.call("claim", claim),
  correct: (correction) => channel.notify("correct", correction),
  used: () => null,
  usedBy: (principals) => channel.call("usedBy", principals),
  accounts: (prefix) => channel.call("accounts", prefix),
  noteRefusal: (refused) => channel.notify("noteRefusal", refused),
  refusals: (principals) => channel.call("refusals", principals),
  health: () => ({ ok: true, store: "memory", shared: true }),
  close: async () => {},
});

/** The conversations of the supervisor process, so that any worker may get the next request of one. */
export const remoteConversations = (channel: Channel): ConversationMemory => ({
  find: (key) => channel.call("findConversation", key).catch(() => undefined),
  remember: (key, record) => channel.notify("rememberConversation", { key, record }),
  close: async () => {},
});

/** The responses of the supervisor process, so that any worker may get the next request that names one. */
export const remoteResponses = (channel: Channel): ResponseMemory => ({
  find<Kind extends keyof KeptKinds>(kind: Kind, key: string) {
    const found = channel.call("findResponse", { kind, key });
    return found.catch(() => undefined) as Promise<KeptKinds[Kind] | undefined>;
  },
  keep: (kept) => channel.notify("keepResponse", kept),
  claimRuns: () => channel.call("claimRuns", undefined).catch(() => []),
  close: async () => {},
});

/** How often observations are handed over, and corrections fetched: a ratio moves slowly. */
const EXCHANGE_MS = 1000;

/** Observations that wait for the supervisor; further ones are ignored, which an average hardly notices. */
const MOST_WAITING = 10_000;

export interface RemoteLengthsOptions {
  readonly channel: Channel;
  readonly timers: Timers;
}

/** The supervisor's corrections of lengths, which all workers teach: at most about a second old. */
export class RemoteLengths implements LengthCorrections {
  readonly #options: RemoteLengthsOptions;
  #profileVersion: string | undefined;
  #waiting: LengthObservation[] = [];
  #corrections: CorrectionTable = new Map();
  #cancelTimer: Cancel | undefined;
  #isClosed = false;

  constructor(options: RemoteLengthsOptions) {
    this.#options = options;
  }

  /** Resolves when the corrections of these profiles are here. */
  async useProfiles(version: string): Promise<void> {
    if (version === this.#profileVersion) return;
    this.#profileVersion = version;
    this.#waiting = [];
    this.#corrections = new Map();
    await this.#exchange();
  }

  observe(observation: LengthObservation): void {
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(observation);
  }

  ratioOf(model: string): number {
    return this.#corrections.get(model)?.ratio ?? 1;
  }

  corrections(): CorrectionTable {
    return this.#corrections;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#exchange();
  }

  /** Never rejects: a supervisor that is gone takes this process with it. */
  async #exchange(): Promise<void> {
    this.#cancelTimer?.();
    const profileVersion = this.#profileVersion;
    if (profileVersion === undefined) return;
    const observations = this.#waiting;
    this.#waiting = [];
    const { channel, timers } = this.#options;
    const corrections = await channel
      .call("lengths", { profileVersion, observations })
      .catch(() => undefined);
    if (corrections !== undefined && profileVersion === this.#profileVersion) this.#corrections = corrections;
    this.#cancelTimer?.();
    if (!this.#isClosed) this.#cancelTimer = timers.after(EXCHANGE_MS, () => void this.#exchange());
  }
}

/** How long traces are collected before they are handed over: much less than the supervisor collects them before it writes. */
const COLLECT_MS = 10;

/** Traces handed over at once: half a millisecond of this process' time, were all of them routed among many models. */
const PART = 32;

export interface RemoteSinkOptions {
  readonly channel: Channel;
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
