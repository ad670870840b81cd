import { Ledger, requestNumber, type TracedRequest } from "../ledger/balance.js";
import { nanoUsd } from "../ledger/faults.js";
import type { CallLog } from "./call-log.js";
import { keyOf } from "./keys.js";
import type { Outcome, Outcomes } from "./outcomes.js";

/** A trace that a kill can cost was recorded shorter before it than this. */
const LOSS_WINDOW_MS = 1000;
/** A reply that was sent before a kill is read by its client shorter after it than this. */
const LATE_MS = 1000;
const MOST_SHOWN = 20;

/** Requests that a limit refuses leave none. */
const LEAVES_A_TRACE: ReadonlySet<Outcome> = new Set(["answered", "failed with an error of the API"]);

export interface AuditOptions {
  readonly calls: CallLog;
  readonly outcomes: Outcomes;
  /** Milliseconds since the start of the traffic, in order. */
  readonly killsMs: readonly number[];
}

/** What traces, replies and the upstream's bill say together. Amounts in nano-dollars. */
export interface Findings {
  readonly ledger: Ledger;
  readonly traces: number;
  /** More than one trace of a request, or one of a request that was not sent. */
  readonly surplusTraces: number;
  /** Traces of requests whose reply a kill cut off. */
  readonly tracesOfCutOff: number;
  /** Requests with a reply and without a trace: a kill followed at once. */
  readonly tracesLostToKills: number;
  /** How long before the kill the oldest of them was answered; null when there is none. */
  readonly oldestLostMs: number | null;
  /** Requests with a reply and without a trace: no kill explains it. */
  readonly tracesMissing: number;
  /** How long before the next kill the first of them were answered; infinite when none followed. */
  readonly missingMs: readonly number[];
  /** Billed for requests without a trace. */
  readonly billedUntraced: number;
  /** In the traces of the key with the small budget. */
  readonly chargedToSmallBudget: number;
}

/** Reads all traces once, one at a time. */
export async function audit(
  traces: AsyncIterable<string>,
  { calls, outcomes, killsMs }: AuditOptions,
): Promise<Findings> {
  const ledger = new Ledger();
  const isTraced = new Uint8Array(outcomes.most);
  const counts = { traces: 0, surplusTraces: 0, tracesOfCutOff: 0, chargedToSmallBudget: 0 };
  for await (const line of traces) {
    const trace = JSON.parse(line) as TracedRequest;
    const request = requestNumber(trace.input_text);
    counts.traces += 1;
    if (isTraced[request] !== 0) {
      counts.surplusTraces += 1;
      continue;
    }
    isTraced[request] = 1;
    ledger.add(trace, calls.callsOf(request));
    if (outcomes.of(request) === "cut off by a kill") counts.tracesOfCutOff += 1;
    if (keyOf(request) === "dollars") counts.chargedToSmallBudget += nanoUsd(trace.cost_usd);
  }
  return { ledger, ...counts, ...untraced(isTraced, { calls, outcomes, killsMs }) };
}

function untraced(isTraced: Uint8Array, { calls, outcomes, killsMs }: AuditOptions) {
  const found = { tracesLostToKills: 0, tracesMissing: 0, billedUntraced: 0 };
  const missingMs: number[] = [];
  let oldestLostMs: number | null = null;
  for (const [request, traced] of isTraced.entries()) {
    if (traced === 1) continue;
    for (const { billed } of calls.callsOf(request)) found.billedUntraced += billed;
    if (!LEAVES_A_TRACE.has(outcomes.of(request))) continue;
    const endedMs = outcomes.endedMs(request);
    const killMs = killsMs.find((atMs) => atMs >= endedMs - LATE_MS) ?? Number.POSITIVE_INFINITY;
    const beforeKillMs = Math.max(0, killMs - endedMs);
    if (beforeKillMs <= LOSS_WINDOW_MS) {
      found.tracesLostToKills += 1;
      oldestLostMs = Math.max(oldestLostMs ?? 0, beforeKillMs);
      continue;
    }
    found.tracesMissing += 1;
    if (missingMs.length < MOST_SHOWN) missingMs.push(beforeKillMs);
  }
  return { ...found, missingMs, oldestLostMs };
}
