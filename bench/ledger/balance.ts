import type { BilledCall } from "./faults.js";

/** The fields of a trace that the balance reads. */
export interface TracedRequest {
  readonly input_text: string;
  readonly cost_usd: number | null;
  readonly attempts: readonly {
    readonly code: string;
    readonly usage?: { readonly total_cost_usd: number | null; readonly estimated?: true };
  }[];
}

export interface Account {
  calls: number;
  billedUsd: number;
  reportedUsd: number;
  chargedUsd: number;
  /** Part of `chargedUsd`. */
  estimatedUsd: number;
}

export interface Balance {
  readonly byFault: ReadonlyMap<BilledCall["fault"], Account>;
  readonly total: Account;
  /** Dollars that a reply reported and that its attempt was not charged. */
  readonly reportedMissingUsd: number;
  /** Calls without an attempt, and attempts without a call. */
  readonly unmatched: number;
}

const emptyAccount = (): Account => ({
  calls: 0,
  billedUsd: 0,
  reportedUsd: 0,
  chargedUsd: 0,
  estimatedUsd: 0,
});

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

/** Compares the traces with the upstream's bill, call by call; both have a request's calls in order. */
export function balance(traces: readonly TracedRequest[], bill: readonly BilledCall[]): Balance {
  const byRequest = new Map<number, BilledCall[]>();
  for (const call of bill) byRequest.set(call.request, [...(byRequest.get(call.request) ?? []), call]);
  const byFault = new Map<BilledCall["fault"], Account>();
  const total = emptyAccount();
  let reportedMissingUsd = 0;
  let unmatched = 0;
  for (const { input_text: input, attempts, cost_usd: cost } of traces) {
    const calls = byRequest.get(Number(/\d+/.exec(input)?.[0])) ?? [];
    const made = received(attempts, calls);
    unmatched += Math.abs(calls.length - made.length);
    total.chargedUsd += cost ?? 0;
    calls.forEach((call, at) => {
      const usage = made[at]?.usage;
      const charged = usage?.total_cost_usd ?? 0;
      const account = byFault.get(call.fault) ?? emptyAccount();
      byFault.set(call.fault, account);
      for (const sum of [account, total]) {
        sum.calls += 1;
        sum.billedUsd += call.billedUsd;
        sum.reportedUsd += call.reportedUsd;
        if (usage?.estimated === true) sum.estimatedUsd += charged;
      }
      account.chargedUsd += charged;
      reportedMissingUsd += Math.max(0, call.reportedUsd - charged);
    });
  }
  return { byFault, total, reportedMissingUsd, unmatched };
}
