import type { NanoUsd } from "./counters.js";
import type { LimitRefusal } from "./limit-replies.js";
import { periodAt } from "./spend-period.js";

const DAY_MS = 86_400_000;
const MOST_REQUESTS = 1000;

/** What this process refused lately: the least that each budget did, and why each of the last thousand requests was. */
export class LastRefusals {
  readonly #least = new Map<string, { readonly nanoUsd: NanoUsd; readonly atMs: number }>();
  readonly #messages = new Map<string, string>();

  note(
    { message, why }: LimitRefusal,
    { requestId, nowMs }: { readonly requestId: string | undefined; readonly nowMs: number },
  ): void {
    if (requestId !== undefined) this.#messages.set(requestId, message);
    const [oldest = ""] = this.#messages.keys();
    if (this.#messages.size > MOST_REQUESTS) this.#messages.delete(oldest);
    const { account, tally } = why.by;
    const { nanoUsd } = why.taken;
    // What is more than the whole budget says nothing of what is left of it.
    if (tally.refusedBy !== "budget" || nanoUsd > (account.limits.nanoUsd ?? 0)) return;
    const least = Math.min(nanoUsd, this.leastOf(account.id, nowMs) ?? nanoUsd);
    this.#least.set(account.id, { nanoUsd: least, atMs: nowMs });
  }

  /** The least that a request asked for which this refused in its running period; undefined after a day without any. */
  leastOf(account: string, nowMs: number): NanoUsd | undefined {
    const { nanoUsd, atMs = Number.NEGATIVE_INFINITY } = this.#least.get(account) ?? {};
    const isLate = nowMs - atMs >= DAY_MS;
    return isLate || periodAt(account, atMs).name !== periodAt(account, nowMs).name ? undefined : nanoUsd;
  }

  /** Undefined when it was not refused, or too long ago. */
  messageOf(requestId: string): string | undefined {
    return this.#messages.get(requestId);
  }
}
