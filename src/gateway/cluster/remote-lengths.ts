import type {
  CorrectionTable,
  LengthCorrections,
  LengthObservation,
} from "../../engine/lengths/length-corrections.js";
import type { Cancel, Timers } from "../../foundation/timers.js";
import type { RpcChannel } from "../../foundation/workers/rpc-channel.js";
import type { SupervisorApi, WorkerApi } from "./cluster-api.js";

/** How often observations are handed over, and corrections fetched: a ratio moves slowly. */
const EXCHANGE_MS = 1000;

/** Observations that wait for the supervisor; further ones are ignored, which an average hardly notices. */
const MOST_WAITING = 10_000;

export interface RemoteLengthsOptions {
  readonly channel: RpcChannel<SupervisorApi, WorkerApi>;
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
