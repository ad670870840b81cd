import type { Log } from "../../../foundation/log.js";
import type { Cancel, Timers } from "../../../foundation/timers.js";
import type { SqliteStore } from "../../storage/sqlite-store.js";
import { type Claim, type Correction, type RefusedRequest, sumOf, type Tally, usdOf } from "./counters.js";
import { MemoryCounters } from "./memory-counters.js";
import { PeriodSpend, type SpendEntry } from "./period-spend.js";
import { minuteOf, REFUSALS_KEPT_MS, RefusalHistory } from "./refusal-history.js";

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
    const refusals = new RefusalHistory();
    for (const { name, period, amount } of options.store.sums()) {
      if (!period.startsWith(REFUSED)) spend.learn({ principal: name, period, nanoUsd: amount }, nowMs);
      else {
        const refused = JSON.parse(name) as RefusedRequest;
        refusals.learn({ ...refused, minuteMs: Number(period.slice(REFUSED.length)), requests: amount });
      }
    }
    return new SavedCounters(options, spend, refusals);
  }

  override noteRefusal({ principal, refusedBy, budget }: RefusedRequest): void {
    super.noteRefusal({ principal, refusedBy, budget });
    const name = JSON.stringify({ principal, refusedBy, budget });
    const period = `${REFUSED}${minuteOf(this.#options.now())}`;
    this.#write({ period, principal: name, nanoUsd: 1 });
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

  /** Periods that neither run nor count on. */
  async #forget(): Promise<void> {
    const { store, now, log } = this.#options;
    try {
      const counted = new Set(this.#spend.entries(now()).map(entryKey));
      const over = store
        .sums()
        .filter(({ period, name }) =>
          period.startsWith(REFUSED)
            ? Number(period.slice(REFUSED.length)) <= now() - REFUSALS_KEPT_MS
            : !counted.has(entryKey({ period, principal: name })),
        );
      await store.forget(over);
    } catch (fault) {
      log.warn({ fault: String(fault) }, "spending of earlier periods cannot be removed");
    }
  }
}

const entryKey = ({ period, principal }: Omit<SpendEntry, "nanoUsd">): string => `${period} ${principal}`;
