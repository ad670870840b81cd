import type { Cancel, Timers } from "../../foundation/timers.js";
import { type AccessLog, faultName } from "../access-log.js";
import type { Claim, Correction, Counters, CountersHealth, Tally } from "./counters.js";
import { MemoryCounters } from "./memory-counters.js";
import { MonthlySpend } from "./monthly-spend.js";
import type { SpendFile } from "./spend-file.js";

const SAVE_MS = 5_000;

export interface SavedCountersOptions {
  readonly file: SpendFile;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: Timers;
  readonly log: AccessLog;
}

/**
 * Counters in memory whose budgets survive a restart: spending is saved every five seconds while there is any, and at
 * the end. A process that is killed forgets at most the last five seconds; what requests in flight had reserved stays
 * counted. Minutes are not saved.
 */
export class SavedCounters implements Counters {
  readonly #options: SavedCountersOptions;
  readonly #spend: MonthlySpend;
  readonly #memory: MemoryCounters;
  readonly #stopSaving: Cancel;
  #saving: Promise<void> | undefined;
  #failing = false;

  private constructor(options: SavedCountersOptions) {
    this.#options = options;
    this.#spend = new MonthlySpend(options.now());
    this.#memory = new MemoryCounters({ now: options.now, spend: this.#spend });
    this.#stopSaving = options.timers.every(SAVE_MS, () => void this.#save());
  }

  /** @throws AccessFileError when the file is there and cannot be read */
  static async open(options: SavedCountersOptions): Promise<SavedCounters> {
    const { name } = new MonthlySpend(options.now()).monthAt(options.now());
    const spent = await options.file.read(name);
    const counters = new SavedCounters(options);
    counters.#learn(name, spent);
    return counters;
  }

  claim(claim: Claim): Tally {
    return this.#memory.claim(claim);
  }

  correct(correction: Correction): void {
    this.#memory.correct(correction);
  }

  health(): CountersHealth {
    return this.#memory.health();
  }

  async close(): Promise<void> {
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

  async #saveOnce(): Promise<void> {
    if (!this.#spend.hasUntold) return;
    const untold = this.#spend.takeUntold();
    try {
      this.#learn(untold.month, await this.#options.file.add(untold));
      this.#failing = false;
    } catch (fault) {
      this.#spend.putBack(untold);
      if (!this.#failing) this.#options.log.warn({ fault: faultName(fault) }, "spending not saved");
      this.#failing = true;
    }
  }

  #learn(month: string, spent: ReadonlyMap<string, number>): void {
    if (this.#spend.monthAt(this.#options.now()).name !== month) return;
    for (const [principal, amount] of spent) this.#spend.learn(principal, amount);
  }
}
