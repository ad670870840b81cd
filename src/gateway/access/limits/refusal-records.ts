import { z } from "zod";
import type { Store } from "../../storage/store.js";
import { type NanoUsd, REFUSALS } from "./counters.js";
import type { LimitRefusal } from "./limit-replies.js";
import { periodAt } from "./spend-period.js";

const DAY_MS = 86_400_000;
const MOST_REQUESTS = 10_000;
/** Written a second, so that a client that tries again and again does not keep the disk busy; further ones are only counted. */
const MOST_A_SECOND = 20;
const LEAST_ENTRY = { kind: "refused_budgets", key: "all" };
/** How often it is written again that a budget refuses the same. */
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

const leastSchema = z.record(z.string(), z.object({ nanoUsd: z.number(), atMs: z.number() }));
type Least = z.infer<typeof leastSchema>;

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
  #least: Least = {};
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
    const known = inForce(this.#least[account.id], account.id, nowMs);
    if (known !== undefined && known.nanoUsd <= nanoUsd && nowMs - known.atMs < REPEAT_MS) return;
    const next = { nanoUsd: Math.min(nanoUsd, known?.nanoUsd ?? nanoUsd), atMs: nowMs };
    this.#least[account.id] = next;
    const change = (text: string | undefined) => {
      const kept = Object.entries(leastIn(text)).filter(([id, one]) => inForce(one, id, nowMs));
      return JSON.stringify({ ...Object.fromEntries(kept), [account.id]: next });
    };
    this.#store?.update(LEAST_ENTRY, change).catch(() => {});
  }

  /** Undefined when it was not refused, or too long ago. Never rejects. */
  async find(requestId: string): Promise<RefusalRecord | undefined> {
    const text = await this.#store?.get({ kind: "refusal", key: requestId }).catch(() => undefined);
    return text === undefined ? undefined : recordSchema.safeParse(JSON.parse(text)).data;
  }

  /**
   * By account, the least that a request asked for which it refused in its running period; none for a day without any. Never
   * rejects: while the store cannot be read, of this process.
   */
  async least(nowMs: number): Promise<(account: string) => NanoUsd | undefined> {
    const shared = leastIn(await this.#store?.get(LEAST_ENTRY).catch(() => undefined));
    return (account) =>
      [shared[account], this.#least[account]]
        .flatMap((one) => inForce(one, account, nowMs)?.nanoUsd ?? [])
        .sort((left, right) => left - right)[0];
  }

  #mayWrite(nowMs: number): boolean {
    const at = Math.floor(nowMs / 1000);
    this.#second = { at, written: this.#second.at === at ? this.#second.written + 1 : 1 };
    return this.#second.written <= MOST_A_SECOND;
  }
}

function leastIn(text: string | undefined): Least {
  return text === undefined ? {} : (leastSchema.safeParse(JSON.parse(text)).data ?? {});
}

function inForce(one: Least[string] | undefined, account: string, nowMs: number): Least[string] | undefined {
  if (one === undefined || nowMs - one.atMs >= DAY_MS) return undefined;
  return periodAt(account, one.atMs).name === periodAt(account, nowMs).name ? one : undefined;
}
