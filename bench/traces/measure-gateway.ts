import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { showProgress } from "../report/progress.js";
import { quantile } from "../report/statistics.js";
import type { BenchStore } from "./bench-store.js";
import { type Gateway, keepSearching, startGateway } from "./gateway.js";
import { routingBodies, sendPaced } from "./paced-load.js";

/** Light load, so that the measured effect is that of the searches. */
export const QUIET_PER_SECOND = 300;
export const BUSY_PER_SECOND = 2000;
const SECONDS = 6;
const WARM_UP_SECONDS = 2;
const ROUNDS = 5;

/** One figure for each round. */
export interface GatewayResult {
  readonly quietP99: readonly number[];
  readonly searchingP99: readonly number[];
  /** Searches that were answered meanwhile, over all rounds. */
  readonly searches: number;
  readonly lagP99: readonly number[];
  /** The same without traces. */
  readonly plainLagP99: readonly number[];
  readonly lagMost: number;
  /** Answers a second of the busy rounds. */
  readonly reached: readonly number[];
  readonly spilled: number;
  readonly dropped: number;
  readonly peakMb: number;
  readonly plainPeakMb: number;
}

/** The effect of storing and searching traces on a gateway's other requests, with a full store. */
export async function measureGateway(store: BenchStore): Promise<GatewayResult> {
  const plainDir = join(store.dataDir, "plain");
  await mkdir(plainDir, { recursive: true });
  const gateway = await startGateway(store.environment);
  const plain = await startGateway({ SEXTANT_DATA_DIR: plainDir, SEXTANT_CH_ENABLED: "false" });
  const progress = showProgress("routing beside searches", 2 * ROUNDS);
  let done = 0;
  const onRound = () => progress.update(++done);
  try {
    const bodies = routingBodies(5);
    for (const { address } of [gateway, plain]) {
      await sendPaced({ address, bodies, perSecond: QUIET_PER_SECOND, seconds: WARM_UP_SECONDS });
      await sendPaced({ address, bodies, perSecond: BUSY_PER_SECOND, seconds: WARM_UP_SECONDS });
    }
    const besideSearches = await measureBesideSearches(gateway, { bodies, onRound });
    const lags = await measureLags(gateway, plain, { bodies, onRound });
    const counts = await gateway.traceCounts();
    return {
      ...besideSearches,
      ...lags,
      spilled: counts.get("spilled") ?? Number.NaN,
      dropped: counts.get("dropped") ?? Number.NaN,
      peakMb: (await gateway.memory()).peakMb,
      plainPeakMb: (await plain.memory()).peakMb,
    };
  } finally {
    progress.stop();
    await Promise.all([gateway.stop(), plain.stop()]);
  }
}

interface RoundOptions {
  readonly bodies: readonly string[];
  readonly onRound: () => void;
}

async function measureBesideSearches(gateway: Gateway, { bodies, onRound }: RoundOptions) {
  const quietP99: number[] = [];
  const searchingP99: number[] = [];
  let searches = 0;
  const { address } = gateway;
  const p99 = async () => {
    const { latencies } = await sendPaced({ address, bodies, perSecond: QUIET_PER_SECOND, seconds: SECONDS });
    return quantile(latencies, 0.99);
  };
  const quiet = async () => void quietP99.push(await p99());
  const searching = async (round: number) => {
    const stop = new AbortController();
    const query = (number: number) => `q=${encodeURIComponent(`not anywhere ${round} ${number}`)}`;
    const [routed, answers] = await Promise.all([
      p99().finally(() => stop.abort()),
      keepSearching(gateway, { query, signal: stop.signal }),
    ]);
    searchingP99.push(routed);
    searches += answers;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const turns = [quiet, searching];
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn(round);
    onRound();
  }
  return { quietP99, searchingP99, searches };
}

async function measureLags(gateway: Gateway, plain: Gateway, { bodies, onRound }: RoundOptions) {
  const [lagP99, plainLagP99, reached, most]: number[][] = [[], [], [], []];
  const measure = async (measured: Gateway, p99s: number[] | undefined) => {
    await measured.lag();
    const { address } = measured;
    const { perSecond } = await sendPaced({ address, bodies, perSecond: BUSY_PER_SECOND, seconds: SECONDS });
    const lag = await measured.lag();
    p99s?.push(lag.p99Ms);
    return { perSecond, mostMs: lag.mostMs };
  };
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 2 === 0) await measure(plain, plainLagP99);
    const { perSecond, mostMs } = await measure(gateway, lagP99);
    if (round % 2 === 1) await measure(plain, plainLagP99);
    reached?.push(perSecond);
    most?.push(mostMs);
    onRound();
  }
  return {
    lagP99: lagP99 ?? [],
    plainLagP99: plainLagP99 ?? [],
    reached: reached ?? [],
    lagMost: Math.max(...(most ?? [])),
  };
}
