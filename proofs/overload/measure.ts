import { quantile } from "../../bench/report/statistics.js";
import { type OpenLoopResult, sendOpenLoop, type Traffic } from "./open-loop.js";
import type { Servers } from "./servers.js";

export interface OverloadPlan {
  /** Requests a second at which the search for the capacity begins. */
  readonly firstRate: number;
  /** Seconds of each step of the search, and of the overload. */
  readonly stepSeconds: number;
  readonly overloadSeconds: number;
  readonly rounds: number;
  readonly connections: number;
}

/** One round: the peak, and twice that rate. */
export interface OverloadRound {
  /** Highest rate of accepted requests of any step, a second. */
  readonly peak: number;
  /** Rate of accepted requests at twice the peak. */
  readonly goodput: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Share of all requests that were refused, and of the refusals those with `overloaded` and `Retry-After`. */
  readonly refused: number;
  readonly refusedWell: number;
  readonly refusalP50Ms: number;
  /** Requests with another status, or without an answer, as a share. */
  readonly failed: number;
  readonly memoryMb: number;
  /** How late the p99 of the requests was sent: above some 50 ms, the sender lacked processor time itself. */
  readonly sentLateP99Ms: number;
}

const GROWTH = 1.3;
const MOST_STEPS = 14;
/** A gateway that has just started answers a third of what it answers after some thousand requests. */
const WARM_UP_STEPS = 3;
/** A step below this share of the peak ends the search. */
const ENOUGH = 0.75;
const DRAIN_MS = 30_000;

export async function measureOverload(
  servers: Servers,
  traffic: Traffic,
  {
    firstRate,
    stepSeconds,
    overloadSeconds,
    rounds,
    connections,
    onStep,
  }: OverloadPlan & { readonly onStep: (what: string) => void },
): Promise<OverloadRound[]> {
  const found: OverloadRound[] = [];
  let rate = firstRate;
  await sendOpenLoop(traffic, {
    ...{ perSecond: firstRate, seconds: WARM_UP_STEPS * stepSeconds, drainMs: DRAIN_MS, connections },
  });
  for (let round = 0; round < rounds; round++) {
    const peak = await findPeak(traffic, { from: rate, seconds: stepSeconds, connections, onStep });
    const result = await sendOpenLoop(traffic, {
      ...{ perSecond: 2 * peak, seconds: overloadSeconds, drainMs: DRAIN_MS, connections },
    });
    found.push({ ...roundOf(result, peak), memoryMb: await servers.memoryMb() });
    onStep(
      `round ${round + 1}: peak ${peak.toFixed(0)}, goodput at twice that ${goodputOf(result).toFixed(0)}`,
    );
    rate = peak / GROWTH ** 2;
  }
  return found;
}

/** Accepted requests that were answered while the load lasted, a second. */
export function goodputOf({ acceptedInTime, seconds }: OpenLoopResult): number {
  return acceptedInTime / seconds;
}

interface PeakOptions {
  readonly from: number;
  readonly seconds: number;
  readonly connections: number;
  readonly onStep: (what: string) => void;
}

/** The highest goodput at rising rates, until the offered rate is well above it. */
async function findPeak(
  traffic: Traffic,
  { from, seconds, connections, onStep }: PeakOptions,
): Promise<number> {
  let peak = 0;
  let perSecond = from;
  for (let step = 0; step < MOST_STEPS; step++) {
    const goodput = goodputOf(
      await sendOpenLoop(traffic, { perSecond, seconds, drainMs: DRAIN_MS, connections }),
    );
    onStep(`offered ${perSecond.toFixed(0)}, accepted ${goodput.toFixed(0)} a second`);
    peak = Math.max(peak, goodput);
    if (goodput < ENOUGH * perSecond) break;
    perSecond *= GROWTH;
  }
  return peak;
}

function roundOf(result: OpenLoopResult, peak: number): Omit<OverloadRound, "memoryMb"> {
  const { accepted, refused, refusedWell, sent, unanswered, others } = result;
  const failures = Object.values(others).reduce((sum, count) => sum + count, unanswered);
  return {
    peak,
    goodput: goodputOf(result),
    p50Ms: quantile(accepted, 0.5),
    p99Ms: quantile(accepted, 0.99),
    refused: refused.length / sent,
    refusedWell: refused.length === 0 ? Number.NaN : refusedWell / refused.length,
    refusalP50Ms: quantile(refused, 0.5),
    failed: failures / sent,
    sentLateP99Ms: quantile(result.sentLate, 0.99),
  };
}

/** Decisions while a provider answers, and while it hangs with every request that it gets. */
export interface HangResult {
  readonly answering: HangPhase;
  readonly hanging: HangPhase;
}

interface HangPhase {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Share of the decisions that were not answered with 200. */
  readonly failed: number;
  /** Chat completions that were accepted by the time the phase ended, refused, and left without an answer. */
  readonly chat: { readonly accepted: number; readonly refused: number; readonly unanswered: number };
}

export interface HangPlan {
  readonly decisionsPerSecond: number;
  readonly chatPerSecond: number;
  readonly seconds: number;
}

export async function measureHang(servers: Servers, plan: HangPlan): Promise<HangResult> {
  await servers.setUpstream("answer");
  const answering = await hangPhase(servers, plan);
  await servers.setUpstream("hang");
  return { answering, hanging: await hangPhase(servers, plan) };
}

const DECISION_CONNECTIONS = 128;
const CHAT_CONNECTIONS = 1024;

async function hangPhase(
  { decisions, chat }: Servers,
  { decisionsPerSecond, chatPerSecond, seconds }: HangPlan,
): Promise<HangPhase> {
  const [decided, chatted] = await Promise.all([
    sendOpenLoop(decisions, {
      ...{ perSecond: decisionsPerSecond, seconds, drainMs: DRAIN_MS, connections: DECISION_CONNECTIONS },
    }),
    sendOpenLoop(chat, { perSecond: chatPerSecond, seconds, drainMs: 0, connections: CHAT_CONNECTIONS }),
  ]);
  return {
    p50Ms: quantile(decided.accepted, 0.5),
    p99Ms: quantile(decided.accepted, 0.99),
    failed: 1 - decided.accepted.length / decided.sent,
    chat: {
      accepted: chatted.accepted.length,
      refused: chatted.refused.length,
      unanswered: chatted.unanswered,
    },
  };
}
