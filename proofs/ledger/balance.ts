import { type BilledCall, nanoUsd } from "./faults.js";

/** The fields of a trace that the balance reads. */
export interface TracedRequest {
  readonly input_text: string;
  readonly cost_usd: number | null;
  readonly attempts: readonly {
    readonly code: string;
    readonly usage?: { readonly total_cost_usd: number | null; readonly estimated?: true };
  }[];
}

/** Amounts in nano-dollars, as whole numbers: their sums are exact. */
export interface Account {
  calls: number;
  billed: number;
  reported: number;
  charged: number;
  /** Part of `charged`. */
  estimated: number;
}

export interface Balance {
  readonly byFault: ReadonlyMap<BilledCall["fault"], Account>;
  readonly total: Account;
  /** Nano-dollars that replies reported and that their attempts were not charged. */
  readonly reportedMissing: number;
  /** Nano-dollars that attempts were charged and that their replies did not report, estimates apart. */
  readonly chargedUnreported: number;
  /** Calls without an attempt, and attempts without a call. */
  readonly unmatched: number;
}

const emptyAccount = (): Account => ({ calls: 0, billed: 0, reported: 0, charged: 0, estimated: 0 });

/** Number of a request, from its prompt. */
export const requestNumber = (prompt: string): number => Number(/\d+/.exec(prompt)?.[0]);

/**
 * The attempts that reached the upstream. Others ended on a kept connection that the upstream had closed in the meantime.
 */
function received(
  attempts: TracedRequest["attempts"],
  calls: readonly BilledCall[],
): TracedRequest["attempts"] {
  let at = 0;
  return attempts.filter(({ code }) => {
    if (code === "circuit_open") return false;
    const closed = calls[at]?.fault === "connection closed before the reply";
    if (code === "connection_error" && !closed) return false;
    at += 1;
    return true;
  });
}

/** Compares traces with what the upstream billed, request by request and call by call. */
export class Ledger implements Balance {
  readonly byFault = new Map<BilledCall["fault"], Account>();
  readonly total = emptyAccount();
  reportedMissing = 0;
  chargedUnreported = 0;
  unmatched = 0;

  /** @param calls of that request, in order */
  add({ attempts, cost_usd: cost }: TracedRequest, calls: readonly BilledCall[]): void {
    const made = received(attempts, calls);
    this.unmatched += Math.abs(calls.length - made.length);
    this.total.charged += nanoUsd(cost);
    for (const [at, call] of calls.entries()) this.#addCall(call, made[at]?.usage);
  }

  #addCall(call: BilledCall, usage: TracedRequest["attempts"][number]["usage"]): void {
    const charged = nanoUsd(usage?.total_cost_usd);
    const isEstimated = usage?.estimated === true;
    const account = this.byFault.get(call.fault) ?? emptyAccount();
    this.byFault.set(call.fault, account);
    for (const sum of [account, this.total]) {
      sum.calls += 1;
      sum.billed += call.billed;
      sum.reported += call.reported;
      if (isEstimated) sum.estimated += charged;
    }
    account.charged += charged;
    this.reportedMissing += Math.max(0, call.reported - charged);
    if (!isEstimated) this.chargedUnreported += Math.max(0, charged - call.reported);
  }
}

/** Compares all traces with the upstream's bill; both have a request's calls in order. */
export function balance(traces: readonly TracedRequest[], bill: readonly BilledCall[]): Balance {
  const byRequest = new Map<number, BilledCall[]>();
  for (const call of bill) {
    const calls = byRequest.get(call.request) ?? [];
    byRequest.set(call.request, calls);
    calls.push(call);
  }
  const ledger = new Ledger();
  for (const trace of traces) ledger.add(trace, byRequest.get(requestNumber(trace.input_text)) ?? []);
  return ledger;
}
