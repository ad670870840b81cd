import type { Log } from "../../../foundation/log.js";
import type { Cancel, Timers } from "../../../foundation/timers.js";
import type { SqliteStore } from "../../storage/sqlite-store.js";
import {
  type Claim,
  type Correction,
  type RefusalCount,
  type RefusedRequest,
  sumOf,
  type Tally,
  usdOf,
} from "./counters.js";
import { MemoryCounters } from "./memory-counters.js";
import { PeriodSpend, type SpendEntry } from "./period-spend.js";
import { minuteOf, RefusalHistory } from "./refusal-history.js";

/** Between two tries to write what could not be written. */
const RETRY_MS = 5_000;
/** Begins the period of sums that are refused requests; its minute follows. */
const REFUSED = "refused ";
/** Between two looks for periods that are over. */
const FORGET_MS = 3_600_000;

export interface SavedCountersOptions {
  readonly store: Pick<SqliteStore, "add" | "sums" | "forget">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: Timers;
  readonly log: Log;
}

/**
 * Counters in memory whose budgets survive a restart and a crash: every change of spending is in the store before it is
 * answered. What requests had reserved that were in flight when a process was killed stays counted. Minutes are not saved; how many
 * requests were refused is.
 *
 * What cannot be written is kept in memory and tried again every five seconds.
 */
export class SavedCounters extends MemoryCounters {
  readonly #options: SavedCountersOptions;
  readonly #spend: PeriodSpend;
  readonly #stops: readonly Cancel[];
  /** What could not be written, by period and principal. */
  readonly #unwritten = new Map<string, SpendEntry>();
  #isFailing = false;

  private constructor(options: SavedCountersOptions, spend: PeriodSpend, refusals: RefusalHistory) {
    super({ now: options.now, spend, refusals });
    this.#options = options;
    this.#spend = spend;
    this.#stops = [
      options.timers.every(RETRY_MS, () => this.#retry()),
      options.timers.every(FORGET_MS, () => void this.#forget()),
    ];
  }

  /** @throws StorageError when the store cannot be read */
  static open(options: SavedCountersOptions): SavedCounters {
    const nowMs = options.now();
    const spend = new PeriodSpend();
    const refused: RefusalCount[] = [];
    for (const { name, period, amount } of options.store.sums()) {
      if (!period.startsWith(REFUSED)) spend.learn({ principal: name, period, nanoUsd: amount }, nowMs);
      else {
        const minuteMs = Number(period.slice(REFUSED.length));
        refused.push({ ...(JSON.parse(name) as RefusedRequest), minuteMs, requests: amount });
      }
    }
    const refusals = new RefusalHistory();
    refusals.learn(refused);
    return new SavedCounters(options, spend, refusals);
  }

  override noteRefusal(refused: RefusedRequest): void {
    super.noteRefusal(refused);
    this.#write({ ...refusedEntry({ ...refused, minuteMs: minuteOf(this.#options.now()) }), nanoUsd: 1 });
  }

  override claim(claim: Claim): Tally {
    const tally = super.claim(claim);
    if (tally.refusedBy === null && claim.limits.nanoUsd !== null)
      this.#save({ ...claim, period: tally.period });
    return tally;
  }

  override correct(correction: Correction): void {
    super.correct(correction);
    this.#save(correction);
  }

  override async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#retry();
    if (this.#unwritten.size === 0) return;
    const lost = [...this.#unwritten.values()].reduce((sum, { nanoUsd }) => sum + nanoUsd, 0);
    this.#options.log.warn({ usd: usdOf(lost) }, "spending could not be written and is lost");
  }

  #save({ period, principal, nanoUsd }: SpendEntry): void {
    if (nanoUsd === 0) return;
    const entry = { period, principal, nanoUsd };
    if (this.#unwritten.size === 0 && this.#write(entry)) return;
    const key = entryKey(entry);
    const before = this.#unwritten.get(key)?.nanoUsd ?? 0;
    this.#unwritten.set(key, { ...entry, nanoUsd: sumOf(before, nanoUsd) });
  }

  #retry(): void {
    for (const [key, entry] of this.#unwritten) {
      if (!this.#write(entry)) return;
      this.#unwritten.delete(key);
    }
    this.#isFailing = false;
  }

  /** Whether the store has it now. */
  #write({ period, principal: name, nanoUsd: amount }: SpendEntry): boolean {
    const { store, log } = this.#options;
    try {
      store.add({ period, name, amount });
      return true;
    } catch (fault) {
      if (!this.#isFailing)
        log.warn({ fault: String(fault) }, "spending cannot be written: a crash would lose it");
      this.#isFailing = true;
      return false;
    }
  }

  /** Periods that neither run nor count on, and refusals that memory does not keep. */
  async #forget(): Promise<void> {
    const { store, now, log } = this.#options;
    try {
      const kept = [...this.#spend.entries(now()), ...this.refusals().map(refusedEntry)];
      const counted = new Set(kept.map(entryKey));
      const over = store
        .sums()
        .filter(({ period, name }) => !counted.has(entryKey({ period, principal: name })));
      await store.forget(over);
    } catch (fault) {
      log.warn({ fault: String(fault) }, "spending of earlier periods cannot be removed");
    }
  }
}

const entryKey = ({ period, principal }: Omit<SpendEntry, "nanoUsd">): string => `${period} ${principal}`;

const refusedEntry = ({ minuteMs, principal, refusedBy, budget }: Omit<RefusalCount, "requests">) => ({
  period: `${REFUSED}${minuteMs}`,
  principal: JSON.stringify({ principal, refusedBy, budget }),
});
