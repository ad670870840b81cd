import { faultName, type Log } from "../../../foundation/log.js";
import type { Cancel, Timers } from "../../../foundation/timers.js";
import type { Claim, Correction, Tally } from "./counters.js";
import { MemoryCounters } from "./memory-counters.js";
import { PeriodSpend, type SpendEntry } from "./period-spend.js";
import type { SpendFile } from "./spend-file.js";

const SAVE_MS = 5_000;

export interface SavedCountersOptions {
  readonly file: SpendFile;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: Timers;
  readonly log: Log;
}

/**
 * Counters in memory whose budgets survive a restart and a crash: every change of spending is in the journal before it is
 * answered, and all of it is saved every five seconds while there is any, and at the end. What requests had reserved that were
 * in flight when a process was killed stays counted. Minutes are not saved.
 */
export class SavedCounters extends MemoryCounters {
  readonly #options: SavedCountersOptions;
  readonly #spend: PeriodSpend;
  readonly #stopSaving: Cancel;
  #saving: Promise<void> | undefined;
  #failing = false;

  private constructor(options: SavedCountersOptions, spend: PeriodSpend) {
    super({ now: options.now, spend });
    this.#options = options;
    this.#spend = spend;
    this.#stopSaving = options.timers.every(SAVE_MS, () => void this.#save());
  }

  /** @throws StorageError when the file is there and cannot be read */
  static async open(options: SavedCountersOptions): Promise<SavedCounters> {
    const nowMs = options.now();
    const spend = new PeriodSpend();
    for (const entry of await options.file.read(nowMs)) spend.learn(entry, nowMs);
    const counters = new SavedCounters(options, spend);
    // Journals of a process that is gone are saved at once.
    void counters.#save();
    return counters;
  }

  override claim(claim: Claim): Tally {
    const tally = super.claim(claim);
    if (tally.refusedBy === null && claim.limits.nanoUsd !== null)
      this.#note({ ...claim, period: tally.period });
    return tally;
  }

  override correct(correction: Correction): void {
    super.correct(correction);
    this.#note(correction);
  }

  override async close(): Promise<void> {
    this.#stopSaving();
    await this.#saving;
    await this.#save();
  }

  #save(): Promise<void> {
    this.#saving ??= this.#saveOnce().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  #note({ period, principal, nanoUsd }: SpendEntry): void {
    if (nanoUsd !== 0) this.#options.file.append({ period, principal, nanoUsd });
  }

  async #saveOnce(): Promise<void> {
    const nowMs = this.#options.now();
    try {
      await this.#options.file.save(this.#spend.entries(nowMs), nowMs);
      this.#failing = false;
    } catch (fault) {
      if (!this.#failing) this.#options.log.warn({ fault: faultName(fault) }, "spending not saved");
      this.#failing = true;
    }
  }
}
