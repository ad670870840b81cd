import { faultName, type Log } from "../../../foundation/log.js";
import type { Cancel, Timers } from "../../../foundation/timers.js";
import { calendarMonthAt } from "./calendar-month.js";
import type { Claim, Correction, Counters, CountersHealth, RefusalCount, Tally, Used } from "./counters.js";
import { MemoryCounters } from "./memory-counters.js";
import { MonthlySpend } from "./monthly-spend.js";
import type { SpendEntry, SpendFile } from "./spend-file.js";

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
    const { name } = calendarMonthAt(options.now());
    const sums = await options.file.read(name);
    const counters = new SavedCounters(options);
    if (counters.#spend.monthAt(options.now()).name === name)
      for (const [principal, sum] of sums) counters.#spend.learn(principal, sum);
    // Journals of a process that is gone are saved at once.
    void counters.#save();
    return counters;
  }

  claim(claim: Claim): Tally {
    const tally = this.#memory.claim(claim);
    if (tally.refusedBy === null && claim.limits.nanoUsd !== null)
      this.#note({ ...claim, month: tally.month });
    return tally;
  }

  correct(correction: Correction): void {
    this.#memory.correct(correction);
    this.#note(correction);
  }

  used(principal: string): Used {
    return this.#memory.used(principal);
  }

  usedBy(principals: readonly string[]): readonly Used[] {
    return this.#memory.usedBy(principals);
  }

  refusals(principals: readonly string[]): readonly RefusalCount[] {
    return this.#memory.refusals(principals);
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

  #note({ month, principal, nanoUsd }: SpendEntry): void {
    const isCurrent = month === this.#spend.monthAt(this.#options.now()).name;
    if (isCurrent && nanoUsd !== 0) this.#options.file.append({ month, principal, nanoUsd });
  }

  async #saveOnce(): Promise<void> {
    const { name: month } = this.#spend.monthAt(this.#options.now());
    try {
      await this.#options.file.save(month, this.#spend.totals);
      this.#failing = false;
    } catch (fault) {
      if (!this.#failing) this.#options.log.warn({ fault: faultName(fault) }, "spending not saved");
      this.#failing = true;
    }
  }
}
