/**
 * `npm run proof -- chaos`: whether every request ends with a reply and a trace, every dollar is counted and every limit
 * holds while upstream calls fail and gateways are killed. Linux only.
 */
import { setTimeout as wait } from "node:timers/promises";
import { describeEnvironment, environmentLine } from "../../bench/environment.js";
import { memoryOf } from "../../bench/memory.js";
import { renderMarkdown } from "../../bench/report/markdown.js";
import { showProgress } from "../../bench/report/progress.js";
import { type BenchmarkResult, RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { seededRandom } from "../../src/foundation/random.js";
import { FAULTS, nanoUsdFor, UNBILLED_FAULTS } from "../ledger/faults.js";
import { balanceTable } from "../ledger/table.js";
import { startUpstream } from "../ledger/upstream.js";
import { audit } from "./audit.js";
import { CallLog } from "./call-log.js";
import { type ChaosRun, figuresOf } from "./figures.js";
import { type Gateways, openGateways } from "./gateways.js";
import { keyOf } from "./keys.js";
import { CHAOS_USAGE, type ChaosOptions, parseChaosOptions } from "./options.js";
import { Outcomes } from "./outcomes.js";
import { Traffic, UPSTREAM_TOKENS } from "./traffic.js";

/** Tokens that a gateway counts for a prompt at most, and those of the longest answer. */
const MOST_RESERVED = nanoUsdFor(150, UPSTREAM_TOKENS.mostCompletion);
/** Each sends its next request when the one before has ended. */
const CLIENTS = 32;
/** Of the upstream's calls. */
const FAULT_SHARE = 0.3;
const LOOK_MS = 200;
/** Without a further trace for that long, there are no more to come. */
const SETTLED_MS = 10_000;

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(CHAOS_USAGE);
  const options = parseChaosOptions(args);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const run = await runChaos(options);
  const { traffic, findings, seconds } = run;
  const { peakMb } = await memoryOf("self");
  const result: BenchmarkResult = {
    ...{
      version: RESULT_VERSION,
      suite: "chaos",
      environment,
      datasets: [],
      seeds: [options.seed],
    },
    question:
      "Does every request get its reply and its trace, every dollar its place, while calls fail and processes die?",
    command: ["npm run proof -- chaos", ...args].join(" "),
    figures: figuresOf(run),
    notes: [
      `${traffic.started} requests in ${Math.round(seconds)} s by ${CLIENTS} clients to ${options.fleet.count} gateways; ${100 * FAULT_SHARE} % of the upstream calls fail; half of the requests streamed.`,
      `Kills, in seconds (requests in flight on the killed process, requests cut off): ${traffic.kills.map(({ atMs, inFlight, cutOff }) => `${Math.round(atMs / 1000)} (${inFlight}, ${cutOff})`).join(", ") || "none"}.`,
      `Peak memory of the sender with its upstream: ${Math.round(peakMb)} MB.`,
    ],
  };
  console.log(`\n${balanceTable(findings.ledger)}\n\n${renderMarkdown(result)}\n`);
  console.log(`written to ${await writeResult(result)}`);
}

async function runChaos(options: ChaosOptions): Promise<ChaosRun> {
  const { requests, fleet, seed } = options;
  const calls = new CallLog(requests);
  const upstream = await startUpstream({
    faultShare: FAULT_SHARE,
    random: seededRandom(seed),
    bill: (call) => calls.record(call),
    tokens: UPSTREAM_TOKENS,
    // Failed calls that cost something are counted beyond what was reserved: limits would only hold about.
    faultsOf: (request) => (keyOf(request) === "main" ? FAULTS : [...UNBILLED_FAULTS]),
  });
  const random = seededRandom(seed + 1);
  const target = await openGateways(fleet, { upstreamUrl: upstream.url, requests, random });
  try {
    const outcomes = new Outcomes(requests);
    const traffic = new Traffic(target, outcomes, CLIENTS);
    const running = { target, traffic, options };
    const [, , aloneSeconds] = await Promise.all([
      traffic.run(),
      killFromTimeToTime(running),
      secondsAlone(running),
    ]);
    const seconds = traffic.nowMs() / 1000;
    for (const surprise of traffic.surprises) console.log(surprise);
    await tracesSettled(target);
    const killsMs = traffic.kills.map(({ atMs }) => atMs);
    const findings = await audit(target.traces(), { calls, outcomes, killsMs });
    await target.stop();
    return {
      outcomes,
      traffic,
      seconds,
      findings,
      spent: await spentBy(target),
      mostReserved: MOST_RESERVED,
      aloneSeconds,
    };
  } finally {
    await target.stop();
    await target.remove();
    await upstream.close();
  }
}

interface Running {
  readonly target: Gateways;
  readonly traffic: Traffic;
  readonly options: ChaosOptions;
}

/** Until the traffic ends. A gateway is killed only while all others run. */
async function killFromTimeToTime({ target, traffic, options }: Running): Promise<void> {
  const { requests, killEveryS } = options;
  const progress = showProgress("Requests", requests);
  let nextMs = killEveryS === 0 ? Number.POSITIVE_INFINITY : 1000 * killEveryS;
  while (!traffic.isOver) {
    progress.update(traffic.started);
    await wait(LOOK_MS);
    if (traffic.nowMs() < nextMs || !target.isWhole()) continue;
    nextMs += 1000 * killEveryS;
    await traffic.kill();
  }
  progress.stop();
}

/** How often, looking every second, limits were not shared. */
async function secondsAlone({ target, traffic }: Running): Promise<number> {
  let alone = 0;
  while (!traffic.isOver) {
    if (!(await target.sharesLimits())) alone += 1;
    await wait(1000);
  }
  return alone;
}

/** Traces are written a moment after their replies, or later from disk. */
async function tracesSettled(target: Gateways): Promise<void> {
  let known = -1;
  let sinceMs = performance.now();
  while (performance.now() - sinceMs < SETTLED_MS) {
    const count = await target.traceCount();
    if (count !== known) [known, sinceMs] = [count, performance.now()];
    await wait(LOOK_MS);
  }
}

async function spentBy({ keys, spent }: Gateways): Promise<ChaosRun["spent"]> {
  const amounts = await Promise.all(Object.values(keys).map(({ id }) => spent(id)));
  return { all: amounts.reduce((sum, amount) => sum + amount, 0), dollars: await spent(keys.dollars.id) };
}

await main(process.argv.slice(2));
