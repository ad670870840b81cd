import type {
  Claim,
  Correction,
  RefusalCount,
  RefusedRequest,
  Tally,
  Used,
} from "../../src/gateway/access/limits/counters.js";
import type { SharedCounters } from "../../src/gateway/access/limits/fallback-counters.js";
import { MemoryCounters } from "../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../src/gateway/access/limits/period-spend.js";
import { SharedCountersError } from "../../src/gateway/access/limits/shared-counters-error.js";

/** Counters that several instances share, and that fail or fall silent when a test says so. */
export class FakeSharedCounters implements SharedCounters {
  /** `silent` counts and keeps the reply until `speak`; `deaf` neither counts nor replies. */
  mode: "up" | "down" | "silent" | "deaf" = "up";
  readonly #counters: MemoryCounters;
  readonly #unsaid: (() => void)[] = [];
  closed = false;
  /** Principals whose keys have the type of something else. */
  readonly broken = new Set<string>();

  constructor(now: () => number) {
    this.#counters = new MemoryCounters({ now, spend: new PeriodSpend() });
  }

  ready(): Promise<void> {
    return this.#reply(() => {});
  }

  claim(claim: Claim): Promise<Tally> {
    return this.#reply(() => this.#counters.claim(claim), claim.principal);
  }

  correct(correction: Correction): Promise<void> {
    return this.#reply(() => this.#counters.correct(correction), correction.principal);
  }

  used(principal: string): Promise<Used> {
    return this.#reply(() => this.#counters.used(principal), principal);
  }

  accounts(prefix: string): Promise<readonly string[]> {
    return this.#reply(() => this.#counters.accounts(prefix));
  }

  noteRefusal(refused: RefusedRequest): Promise<void> {
    return this.#reply(() => this.#counters.noteRefusal(refused), refused.principal);
  }

  refusals(principal?: string): Promise<readonly RefusalCount[]> {
    return this.#reply(() => this.#counters.refusals(principal), principal);
  }

  probe(): Promise<void> {
    return this.#reply(() => {});
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  /** Says everything that was kept back. */
  speak(): void {
    this.mode = "up";
    for (const say of this.#unsaid.splice(0)) say();
  }

  /** How a principal stands, without counting anything. */
  spent(principal: string): number {
    const limits = { requests: null, tokens: null, nanoUsd: Number.MAX_SAFE_INTEGER };
    return this.#counters.claim({ principal, limits, tokens: 0, nanoUsd: 0 }).nanoUsd;
  }

  async #reply<Reply>(count: () => Reply, principal = ""): Promise<Reply> {
    if (this.mode === "down") throw new SharedCountersError("ECONNREFUSED");
    if (this.broken.has(principal)) throw new SharedCountersError("WRONGTYPE");
    if (this.mode === "deaf") return new Promise(() => {});
    const reply = count();
    if (this.mode === "up") return reply;
    return new Promise((resolve) => this.#unsaid.push(() => resolve(reply)));
  }
}
