import { faultName, type Log } from "../../../foundation/log.js";
import { RepeatedWarning } from "../../../foundation/repeated-warning.js";
import type { Cancel, Timers } from "../../../foundation/timers.js";
import {
  type Claim,
  type Correction,
  type Counters,
  type CountersHealth,
  type RefusalCount,
  type RefusedRequest,
  type Tally,
  type Used,
  usdOf,
} from "./counters.js";
import { MemoryCounters } from "./memory-counters.js";
import { PeriodSpend } from "./period-spend.js";
import type { RedisCounters } from "./redis-counters.js";
import { SharedCountersError } from "./shared-counters-error.js";

/** Longest wait of a request for Redis: far above what a healthy Redis takes, and too short for a user to notice. */
const CLAIM_WAIT_MS = 100;
const START_WAIT_MS = 2_000;
const CLOSE_WAIT_MS = 1_000;
const PROBE_MS = 1_000;
/** Longest wait of an operator's question, which no request waits for. */
const READ_WAIT_MS = 2_000;

/**
 * What Redis says of a key of another type or value than is written there, by its version. It may also be about the server: one that knows
 * no scripts says `ERR` as well.
 */
const KEY_FAULTS: ReadonlySet<string> = new Set(["WRONGTYPE", "ERR"]);

/** Counters outside the process, which several instances share and which may be unavailable. */
export type SharedCounters = Pick<
  RedisCounters,
  "ready" | "claim" | "correct" | "used" | "accounts" | "noteRefusal" | "refusals" | "probe" | "close"
>;

export interface FallbackCountersOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: Timers;
  readonly log: Log;
  /** Longest wait of a request for the shared counters; default 100 ms. */
  readonly claimWaitMs?: number;
}

/**
 * Shared counters, and counters in memory for as long as the shared ones cannot be asked.
 *
 * The memory follows every reply of the shared counters. When one fails or takes longer than 100 ms, this instance counts
 * on in memory from where it knows each principal stands: limits then hold per instance, and no request is refused or
 * kept waiting because of the outage. Every second it looks whether the shared counters can be asked again, reports to
 * them what was spent meanwhile, and goes back to them. What was counted by the minute during an outage is not reported: the minute would
 * be over before it mattered. A fault of one principal's key is no outage: that principal is counted in memory, and the others are shared.
 *
 * Where it is unknown whether a lost command was counted, it is taken as counted against the principal, so that an outage
 * never opens a budget; the error is at most the requests that were in flight when it began.
 */
export class FallbackCounters implements Counters {
  readonly #shared: SharedCounters;
  readonly #options: FallbackCountersOptions;
  readonly #spend = new PeriodSpend();
  readonly #memory: MemoryCounters;
  readonly #underWay = new Set<Promise<void>>();
  readonly #keyWarning: RepeatedWarning;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #stopProbing: Cancel | undefined;
  #isProbing = false;
  #isClosed = false;

  private constructor(shared: SharedCounters, options: FallbackCountersOptions) {
    this.#shared = shared;
    this.#options = options;
    this.#memory = new MemoryCounters({ now: options.now, spend: this.#spend });
    this.#keyWarning = new RepeatedWarning(
      "a key in Redis has an unexpected type or value: its principal is counted in memory. Remove the keys that " +
        "start with sextant: and have the principal in braces",
      { warn: (details, message) => options.log.warn(details, message), clock: options.now },
    );
  }

  /** Waits two seconds at most for the shared counters; without them it begins in memory. */
  static async open(shared: SharedCounters, options: FallbackCountersOptions): Promise<FallbackCounters> {
    const counters = new FallbackCounters(shared, options);
    try {
      const asked = shared.ready().then(() => shared.probe());
      await counters.#within(START_WAIT_MS, asked);
    } catch (fault) {
      counters.#leave(fault);
    }
    return counters;
  }

  claim(claim: Claim): Tally | Promise<Tally> {
    return this.#isAway ? this.#memory.claim(claim) : this.#claimShared(claim);
  }

  correct(correction: Correction): void {
    if (this.#isAway) {
      this.#memory.correct(correction);
    } else {
      this.#memory.learnCorrection(correction);
      this.#report([correction]);
    }
  }

  used(principal: string): Used {
    return this.#memory.used(principal);
  }

  /** While the shared counters cannot be asked, as far as this process has learnt. */
  async usedBy(principals: readonly string[]): Promise<readonly Used[]> {
    if (this.#isAway) return this.#memory.usedBy(principals);
    return Promise.all(
      principals.map((principal) =>
        this.#within(READ_WAIT_MS, this.#shared.used(principal)).catch(() => this.#memory.used(principal)),
      ),
    );
  }

  /** While the shared counters cannot be asked, as far as this process has learnt. */
  async accounts(prefix: string): Promise<readonly string[]> {
    if (this.#isAway) return this.#memory.accounts(prefix);
    const asked = this.#within(READ_WAIT_MS, this.#shared.accounts(prefix));
    return asked.catch(() => this.#memory.accounts(prefix));
  }

  noteRefusal(refused: RefusedRequest): void {
    const noted = this.#isAway
      ? Promise.reject(new SharedCountersError("AWAY"))
      : this.#shared.noteRefusal(refused);
    noted.catch(() => this.#memory.noteRefusal(refused));
  }

  /** With those of this process while the shared counters could not be asked. */
  async refusals(principal?: string): Promise<readonly RefusalCount[]> {
    const own = this.#memory.refusals(principal);
    if (this.#isAway) return own;
    const shared = await this.#within(READ_WAIT_MS, this.#shared.refusals(principal)).catch(() => []);
    return [...shared, ...own].sort((left, right) => left.minuteMs - right.minuteMs);
  }

  health(): CountersHealth {
    // Limits are enforced either way: an outage of Redis is no reason to take every instance out of service.
    return { ok: true, store: "redis", shared: !this.#isAway };
  }

  /** Waits at most a second for reports that have not arrived yet. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopProbing?.();
    this.#reportSpending();
    await this.#within(CLOSE_WAIT_MS, Promise.all(this.#underWay)).catch(() => {});
    if (this.#spend.hasUnreported) {
      const usd = usdOf(this.#spend.takeUnreported().reduce((sum, { nanoUsd }) => sum + nanoUsd, 0));
      this.#options.log.warn({ usd }, "spending was not reported to Redis and is lost");
    }
    await this.#within(CLOSE_WAIT_MS, this.#shared.close()).catch(() => {});
  }

  get #isAway(): boolean {
    return this.#stopProbing !== undefined;
  }

  async #claimShared(claim: Claim): Promise<Tally> {
    const asked = this.#shared.claim(claim);
    try {
      const tally = await this.#within(this.#options.claimWaitMs ?? CLAIM_WAIT_MS, asked);
      this.#memory.learn(claim.principal, tally);
      return tally;
    } catch (fault) {
      this.#failed(fault, claim.principal);
      asked.then((late) => this.#undo(claim, late)).catch(() => {});
      return this.#memory.claim(claim);
    }
  }

  /** A claim that was counted here because the reply was late must not be counted there as well. */
  #undo({ principal, tokens, limits, nanoUsd }: Claim, { refusedBy, minute, period }: Tally): void {
    if (refusedBy !== null) return;
    const spent = limits.nanoUsd === null ? 0 : nanoUsd;
    this.#report([{ principal, minute, requests: -1, tokens: -tokens, period, nanoUsd: -spent }]);
  }

  /** A claim or a correction of a principal failed. */
  #failed(fault: unknown, principal: string): void {
    if (!(fault instanceof SharedCountersError) || !KEY_FAULTS.has(fault.code)) {
      this.#leave(fault);
      return;
    }
    this.#keyWarning.failed(`${fault.code} for ${principal}`);
    const nowMs = this.#options.now();
    if (nowMs - this.#checkedMs < PROBE_MS) return;
    this.#checkedMs = nowMs;
    // A claim that belongs to no principal shows whether it is that key alone.
    this.#within(READ_WAIT_MS, this.#shared.probe()).catch((serverFault) => this.#leave(serverFault));
  }

  #leave(fault: unknown): void {
    if (this.#isAway || this.#isClosed) return;
    this.#stopProbing = this.#options.timers.every(PROBE_MS, () => void this.#probe());
    this.#options.log.warn(
      { fault: faultName(fault) },
      "Redis cannot be reached: limits are counted in memory",
    );
  }

  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    try {
      await this.#shared.probe();
      this.#return();
    } catch {
      // Still away: the next probe tries again.
    } finally {
      this.#isProbing = false;
    }
  }

  #return(): void {
    this.#stopProbing?.();
    this.#stopProbing = undefined;
    this.#options.log.info({}, "Redis can be reached again: limits are shared");
    this.#reportSpending();
  }

  /** Commands keep their order, so that every later claim finds this spending counted. */
  #reportSpending(): void {
    this.#report(
      this.#spend.takeUnreported().map((entry) => ({ ...entry, minute: 0, requests: 0, tokens: 0 })),
    );
  }

  /** Each by itself: that one of them fails says nothing of the others. */
  #report(corrections: readonly Correction[]): void {
    for (const correction of corrections) {
      const report = this.#shared
        .correct(correction)
        .catch((fault) => {
          // A charge, never a refund: it is unknown whether it was counted.
          if (correction.nanoUsd > 0) this.#spend.putBack(correction, this.#options.now());
          this.#failed(fault, correction.principal);
        })
        .finally(() => this.#underWay.delete(report));
      this.#underWay.add(report);
    }
  }

  /** @throws SharedCountersError `TIMEOUT`, and whatever `work` throws */
  #within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
    const { timers } = this.#options;
    return new Promise((resolve, reject) => {
      const timeOut = () => reject(new SharedCountersError("TIMEOUT"));
      // After a stall of this process, a reply may lie unread: it gets one more turn of the event loop.
      let cancel = timers.after(ms, () => {
        cancel = timers.after(0, timeOut);
      });
      work.then(resolve, reject).finally(() => cancel());
    });
  }
}
