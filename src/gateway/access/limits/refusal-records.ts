import { z } from "zod";
import type { Timers } from "../../../foundation/timers.js";
import type { EntryName, Store } from "../../storage/store.js";
import { type NanoUsd, REFUSALS } from "./counters.js";
import type { LimitRefusal } from "./limit-replies.js";
import { periodAt } from "./spend-period.js";

const DAY_MS = 86_400_000;
const MOST_REQUESTS = 10_000;
/** Written a second, so that a client that tries again and again does not keep the disk busy; further ones are only counted. */
const MOST_A_SECOND = 20;
/** Between two writes of an account: that it refuses less, and that it refuses the same. */
const LOWER_MS = 5_000;
const REPEAT_MS = 600_000;

const recordSchema = z.object({
  /** ISO 8601, UTC. */
  at: z.string(),
  principal: z.string(),
  limit: z.enum(REFUSALS),
  budget: z.string().nullable(),
  message: z.string(),
});
/** Why a request was refused. */
export type RefusalRecord = Readonly<z.infer<typeof recordSchema>>;

const leastSchema = z.object({ nanoUsd: z.number(), atMs: z.number() });
/** The least that an account refused, and when it last refused anything. */
type Least = Readonly<z.infer<typeof leastSchema>>;

interface KeptLeast {
  least: Least;
  /** The least that is written; infinite before the first. */
  written: NanoUsd;
  /** When a write last began, in milliseconds since the epoch. */
  triedMs: number;
  /** Whether what is not written then is when a timer ends. */
  isTimed: boolean;
}

const NOT_WRITTEN = {
  written: Number.POSITIVE_INFINITY,
  triedMs: Number.NEGATIVE_INFINITY,
  isTimed: false,
};

export interface RefusalRecordsOptions {
  readonly store: Pick<Store, "get" | "put" | "update"> | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: Pick<Timers, "after">;
}

interface NotedOptions {
  readonly principal: string;
  readonly requestId: string | undefined;
  readonly nowMs: number;
}

/**
 * What was refused in the last day, wherever it was: why each request was, as long as they are few, and the least that each budget
 * refused. Writes are not waited for. Why a request was refused is lost where it cannot be written; the least is written later.
 */
export class RefusalRecords {
  readonly #options: RefusalRecordsOptions;
  /** By account, in the order of the last refusal. */
  readonly #least = new Map<string, KeptLeast>();
  #second = { at: 0, written: 0 };

  constructor(options: RefusalRecordsOptions) {
    this.#options = options;
  }

  note({ message, why }: LimitRefusal, { principal, requestId, nowMs }: NotedOptions): void {
    const { account, tally } = why.by;
    const { refusedBy: limit } = tally;
    if (limit === null) return;
    const budget = account.budget?.name ?? null;
    if (requestId !== undefined && this.#mayWrite(nowMs)) {
      const record: RefusalRecord = { at: new Date(nowMs).toISOString(), principal, limit, budget, message };
      const entry = { kind: "refusal", key: requestId };
      this.#options.store
        ?.put(entry, JSON.stringify(record), { ttlMs: DAY_MS, kept: MOST_REQUESTS })
        .catch(() => {});
    }
    const { nanoUsd } = why.taken;
    // What is more than the whole budget says nothing of what is left of it.
    if (limit !== "budget" || budget === null || nanoUsd > (account.limits.nanoUsd ?? 0)) return;
    this.#noteLeast(account.id, { nanoUsd, atMs: nowMs });
  }

  /** Undefined when it was not refused, or too long ago. Never rejects. */
  async find(requestId: string): Promise<RefusalRecord | undefined> {
    const text = await this.#options.store?.get({ kind: "refusal", key: requestId }).catch(() => undefined);
    return text === undefined ? undefined : recordSchema.safeParse(JSON.parse(text)).data;
  }

  /**
   * The least that a request asked for which the account refused in its running period; none for a day without any. Never
   * rejects: while the store cannot be read, of this process. What other processes refused is known some seconds later.
   */
  async least(account: string, nowMs: number): Promise<NanoUsd | undefined> {
    const shared = leastIn(await this.#options.store?.get(leastEntry(account)).catch(() => undefined));
    return lower(inForce(shared, account, nowMs), inForce(this.#least.get(account)?.least, account, nowMs))
      ?.nanoUsd;
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    await Promise.all([...this.#least].map(([account, kept]) => this.#writeLower(account, kept)));
    this.#least.clear();
  }

  #noteLeast(account: string, refused: Least): void {
    const { atMs: nowMs } = refused;
    const known = this.#least.get(account);
    const running = inForce(known?.least, account, nowMs);
    const kept = known && running ? known : { ...NOT_WRITTEN, least: refused };
    kept.least = { nanoUsd: lower(refused, running).nanoUsd, atMs: nowMs };
    this.#least.delete(account);
    this.#least.set(account, kept);
    for (const [oldest, { least }] of this.#least) {
      if (nowMs - least.atMs < DAY_MS) break;
      this.#least.delete(oldest);
    }
    const isLower = kept.least.nanoUsd < kept.written;
    const leftMs = kept.triedMs + (isLower ? LOWER_MS : REPEAT_MS) - nowMs;
    if (leftMs <= 0) void this.#write(account, kept);
    else if (isLower) this.#writeAfter(leftMs, account, kept);
  }

  #writeAfter(ms: number, account: string, kept: KeptLeast): void {
    if (kept.isTimed) return;
    kept.isTimed = true;
    this.#options.timers.after(ms, () => {
      kept.isTimed = false;
      if (this.#least.get(account) === kept) void this.#writeLower(account, kept);
    });
  }

  async #writeLower(account: string, kept: KeptLeast): Promise<void> {
    const running = inForce(kept.least, account, this.#options.now());
    if (running !== undefined && running.nanoUsd < kept.written) await this.#write(account, kept);
  }

  async #write(account: string, kept: KeptLeast): Promise<void> {
    const { store, now } = this.#options;
    const { least } = kept;
    const nowMs = now();
    kept.triedMs = nowMs;
    const change = (text: string | undefined) => {
      const shared = inForce(leastIn(text), account, nowMs);
      const atMs = Math.max(least.atMs, shared?.atMs ?? 0);
      return JSON.stringify({ nanoUsd: lower(least, shared).nanoUsd, atMs });
    };
    try {
      await store?.update(leastEntry(account), change, { ttlMs: DAY_MS });
      kept.written = Math.min(kept.written, least.nanoUsd);
    } catch {
      this.#writeAfter(LOWER_MS, account, kept);
    }
  }

  #mayWrite(nowMs: number): boolean {
    const at = Math.floor(nowMs / 1000);
    this.#second = { at, written: this.#second.at === at ? this.#second.written + 1 : 1 };
    return this.#second.written <= MOST_A_SECOND;
  }
}

const leastEntry = (account: string): EntryName => ({ kind: "least_refused", key: account });

const leastIn = (text: string | undefined): Least | undefined =>
  text === undefined ? undefined : leastSchema.safeParse(JSON.parse(text)).data;

function lower<One extends Least | undefined>(one: One, other: Least | undefined): One | Least {
  return other === undefined || (one !== undefined && one.nanoUsd <= other.nanoUsd) ? one : other;
}

function inForce<One extends Least>(one: One | undefined, account: string, nowMs: number): One | undefined {
  if (one === undefined || nowMs - one.atMs >= DAY_MS) return undefined;
  return periodAt(account, one.atMs).name === periodAt(account, nowMs).name ? one : undefined;
}
