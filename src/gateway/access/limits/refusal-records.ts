import { z } from "zod";
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

interface NotedOptions {
  readonly principal: string;
  readonly requestId: string | undefined;
  readonly nowMs: number;
}

/**
 * What was refused in the last day, wherever it was: why each request was, as long as they are few, and the least that each budget
 * refused. Writes are not waited for; what cannot be written is not kept.
 */
export class RefusalRecords {
  readonly #store: Pick<Store, "get" | "put" | "update"> | undefined;
  /** By account, in the order of the last refusal, with what was last written. */
  readonly #least = new Map<string, Least & { readonly written: Least }>();
  #second = { at: 0, written: 0 };

  constructor(store: Pick<Store, "get" | "put" | "update"> | undefined) {
    this.#store = store;
  }

  note({ message, why }: LimitRefusal, { principal, requestId, nowMs }: NotedOptions): void {
    const { account, tally } = why.by;
    const { refusedBy: limit } = tally;
    if (limit === null) return;
    const budget = account.budget?.name ?? null;
    if (requestId !== undefined && this.#mayWrite(nowMs)) {
      const record: RefusalRecord = { at: new Date(nowMs).toISOString(), principal, limit, budget, message };
      const entry = { kind: "refusal", key: requestId };
      this.#store?.put(entry, JSON.stringify(record), { ttlMs: DAY_MS, kept: MOST_REQUESTS }).catch(() => {});
    }
    const { nanoUsd } = why.taken;
    // What is more than the whole budget says nothing of what is left of it.
    if (limit !== "budget" || budget === null || nanoUsd > (account.limits.nanoUsd ?? 0)) return;
    this.#noteLeast(account.id, { nanoUsd, atMs: nowMs });
  }

  /** Undefined when it was not refused, or too long ago. Never rejects. */
  async find(requestId: string): Promise<RefusalRecord | undefined> {
    const text = await this.#store?.get({ kind: "refusal", key: requestId }).catch(() => undefined);
    return text === undefined ? undefined : recordSchema.safeParse(JSON.parse(text)).data;
  }

  /**
   * The least that a request asked for which the account refused in its running period; none for a day without any. Never
   * rejects: while the store cannot be read, of this process. What other processes refused is known some seconds later.
   */
  async least(account: string, nowMs: number): Promise<NanoUsd | undefined> {
    const shared = leastIn(await this.#store?.get(leastEntry(account)).catch(() => undefined));
    return lower(inForce(shared, account, nowMs), inForce(this.#least.get(account), account, nowMs))?.nanoUsd;
  }

  #noteLeast(account: string, refused: Least): void {
    const { atMs: nowMs } = refused;
    const known = inForce(this.#least.get(account), account, nowMs);
    const least = { nanoUsd: lower(refused, known).nanoUsd, atMs: nowMs };
    const waitMs = least.nanoUsd < (known?.written.nanoUsd ?? 0) ? LOWER_MS : REPEAT_MS;
    const isDue = known === undefined || nowMs - known.written.atMs >= waitMs;
    this.#least.delete(account);
    this.#least.set(account, { ...least, written: isDue ? least : known.written });
    for (const [oldest, { atMs }] of this.#least) {
      if (nowMs - atMs < DAY_MS) break;
      this.#least.delete(oldest);
    }
    if (!isDue) return;
    const change = (text: string | undefined) => {
      const { nanoUsd } = lower(least, inForce(leastIn(text), account, nowMs));
      return JSON.stringify({ nanoUsd, atMs: nowMs });
    };
    this.#store?.update(leastEntry(account), change, { ttlMs: DAY_MS }).catch(() => {});
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
