/**
 * `npm run proof -- soak`: memory, handles, files and latency of a server under steady mixed traffic, part of whose upstream
 * calls fail. Linux only.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describeEnvironment, environmentLine } from "../../bench/environment.js";
import { AUTHORIZATION, KEY, startServer } from "../../bench/http/server-process.js";
import { memoryOf } from "../../bench/memory.js";
import { renderMarkdown } from "../../bench/report/markdown.js";
import { showProgress } from "../../bench/report/progress.js";
import { type BenchmarkResult, RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { temporaryFolder } from "../../bench/temporary-folder.js";
import { seededRandom } from "../../src/foundation/random.js";
import { figuresOf, outcomeTable, type SoakRun, type TimedOutcome } from "./figures.js";
import { parseSoakOptions, SOAK_USAGE, type SoakOptions } from "./options.js";
import { type Reading, readServer, type Server } from "./reading.js";
import { isUnexpected, openTraffic } from "./traffic.js";
import { startUpstream } from "./upstream.js";

const FAULT_SHARE = 0.1;
/** What the upstream serves: known to the shipped profiles, so that there is something to decide. */
const MODELS = ["gpt-4o-mini", "gpt-5.6-luna", "claude-sonnet-4-6", "gemini-3.8-flash"] as const;
/** Requests that wait for a reply at most: a server that cannot follow is not sent more. */
const MOST_WAITING = 500;
const PACE_MS = 5;
/** Between two readings of memory, handles and files. */
const SAMPLE_SECONDS = 5;

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(SOAK_USAGE);
  const options = parseSoakOptions(args);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const run = await soak(options);
  const unexpected = run.outcomes.filter(isUnexpected).length;
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "soak", environment, datasets: [], seeds: [options.seed] },
    question: "Do memory, handles, files and latency stay level under steady mixed traffic?",
    command: ["npm run proof -- soak", ...args].join(" "),
    figures: figuresOf(run),
    notes: [
      `${run.outcomes.length} requests in ${options.minutes} minutes, ${100 * FAULT_SHARE} % of the upstream calls fail; default settings and profiles, traces kept.`,
      `Trends are those after the first third, on means per minute. ${unexpected} replies were unexpected.`,
    ],
  };
  console.log(`\n${outcomeTable(run.outcomes)}\n\n${renderMarkdown(result)}\n`);
  console.log(`written to ${await writeResult(result)}`);
}

async function soak(options: SoakOptions): Promise<SoakRun> {
  const random = seededRandom(options.seed);
  const dataFolder = await temporaryFolder("sextant-soak-");
  const upstream = await startUpstream({ faultShare: FAULT_SHARE, random });
  const config = join(dataFolder, "sextant.config.json");
  const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 4 };
  const models = MODELS.map((id) => ({ id, price }));
  const provider = { id: "upstream", type: "openai-compatible", base_url: upstream.url, models };
  await writeFile(config, JSON.stringify({ providers: [provider] }));
  const server = await startServer("sextant serve", {
    // As `npm start` does.
    args: ["--max-semi-space-size=8", "--v8-pool-size=1", join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_CONFIG: config,
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: dataFolder,
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "fatal",
      // An open circuit would spare the server the work that is to be measured.
      SEXTANT_CIRCUIT_FAILURES: "1000",
      ...options.store,
    },
  });
  try {
    const pid = server.child.pid ?? 0;
    const { address, cpuMs } = server;
    return await observe({ pid, address, cpuMs, headers: AUTHORIZATION, dataFolder }, options);
  } finally {
    await server.stop();
    await upstream.close();
    await rm(dataFolder, { recursive: true, force: true });
  }
}

/** Sends the traffic at its pace, and reads the server beside it. */
async function observe(server: Server, options: SoakOptions): Promise<SoakRun> {
  const { address, headers } = server;
  const random = seededRandom(options.seed + 1);
  const traffic = openTraffic({ address, headers, model: MODELS[0], random, only: options.only });
  const outcomes: TimedOutcome[] = [];
  const readings: Reading[] = [];
  const waiting = new Set<Promise<void>>();
  const cpuBeforeMs = await server.cpuMs();
  const started = performance.now();
  const minute = () => (performance.now() - started) / 60_000;
  const progress = showProgress("Minutes of traffic", options.minutes);
  let due = 0;
  let nextReading = 0;
  while (minute() < options.minutes) {
    const dueNow = Math.floor(minute() * 60 * options.perSecond);
    for (; due < dueNow; due++) {
      if (waiting.size >= MOST_WAITING) continue;
      const sent = traffic.send().then((outcome) => {
        outcomes.push({ ...outcome, minute: minute() });
        waiting.delete(sent);
      });
      waiting.add(sent);
    }
    if (minute() * 60 >= nextReading) {
      nextReading += SAMPLE_SECONDS;
      readings.push(await readServer(server, minute()));
      progress.update(Math.floor(minute()));
    }
    await wait(PACE_MS);
  }
  await Promise.all(waiting);
  progress.stop();
  await traffic.close();
  const cpuMs = (await server.cpuMs()) - cpuBeforeMs;
  return { readings, outcomes, cpuMs, peakMb: (await memoryOf(server.pid)).peakMb };
}

await main(process.argv.slice(2));
