/**
 * What does the HTTP server add to a decision? Processor time of the server per request, against that of a bare Fastify +
 * Zod echo under the same requests, each server in its own process, batches in turn. Processor time, not the clock: on a
 * shared machine a wait is nobody's cost. Linux only. Worthless when a request failed, which ends the run; a core shared
 * with others raises both sides by its cold caches, the ratio less.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import autocannon from "autocannon";
import { openStaticEmbedder } from "../../src/embedding/static/static-embedder.js";
import { describeEnvironment, environmentLine } from "../environment.js";
import { makePrompt, seededRandom } from "../latency/prompts.js";
import { openSyntheticSet, syntheticModelName, syntheticSetFolder } from "../latency/synthetic-set.js";
import { markdownTable, median, writeReport } from "../report.js";
import { type ServerProcess, startServer } from "./server-process.js";

const GOAL = 8;
const SIZE = { anchors: 5_000, models: 10 };
const WORDS = 45;
const BODIES = 64;
const CONNECTIONS = 8;
const WARM_UP_REQUESTS = 4_000;
const REQUESTS = 4_000;
const ROUNDS = 9;

function requestBodies(): string[] {
  const random = seededRandom(3);
  return Array.from({ length: BODIES }, (_, topic) => {
    const content = makePrompt(topic, WORDS, random);
    return JSON.stringify({ messages: [{ role: "user", content }], cost_weight: 0.3, execute: false });
  });
}

/** The server as it is run, with keys, on a synthetic set whose models have prices. */
async function startSextant(dataDir: string): Promise<{ server: ServerProcess; key: string }> {
  const embedder = await openStaticEmbedder(join("models", "sextant-static-v1"));
  await openSyntheticSet(SIZE, embedder);
  const profiles = syntheticSetFolder(SIZE, embedder);
  await embedder.close();
  const prices = Object.fromEntries(
    Array.from({ length: SIZE.models }, (_, model) => {
      const price = 0.05 * 2 ** model;
      return [syntheticModelName(model), { input_usd_per_mtok: price, output_usd_per_mtok: 4 * price }];
    }),
  );
  const config = join(dataDir, "sextant.config.json");
  await writeFile(config, JSON.stringify({ prices }));
  const server = await startServer("sextant serve", {
    args: [join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_CONFIG: config,
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: dataDir,
      SEXTANT_PROFILES: resolve(profiles),
      SEXTANT_LOG_LEVEL: "warn",
    },
  });
  const key = /pk_live_\S+/.exec(server.greeting)?.[0];
  if (key === undefined) throw new Error("the server showed no first API key");
  return { server, key };
}

/** Microseconds of the server's processor time per request. @throws Error when a request failed */
async function costOf(server: ServerProcess, load: { readonly amount: number; readonly key?: string }) {
  const before = await server.cpuMs();
  const sleep = stayAwake();
  const result = await autocannon({
    url: `${server.address}/v1/router`,
    connections: CONNECTIONS,
    amount: load.amount,
    method: "POST",
    headers: { "content-type": "application/json", ...(load.key ? { "x-api-key": load.key } : {}) },
    requests: requestBodies().map((body) => ({ body })),
  });
  sleep();
  const after = await server.cpuMs();
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`${failed} of ${load.amount} requests to ${server.address} failed`);
  return ((after - before) * 1_000) / load.amount;
}

/**
 * Keeps this process from waiting until the function it returns is called. A server that answers a sleeping client pays
 * for waking it (70 µs a reply on a virtual machine), so that the slower server would be charged more for the same write.
 */
function stayAwake(): () => void {
  let awake = true;
  const turn = (): void => {
    if (awake) setImmediate(turn);
  };
  turn();
  return () => {
    awake = false;
  };
}

async function measure(sextant: { server: ServerProcess; key: string }, echo: ServerProcess) {
  await costOf(sextant.server, { amount: WARM_UP_REQUESTS, key: sextant.key });
  await costOf(echo, { amount: WARM_UP_REQUESTS });
  const rounds: { decision: number; echo: number; ratio: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const decision = await costOf(sextant.server, { amount: REQUESTS, key: sextant.key });
    const bare = await costOf(echo, { amount: REQUESTS });
    rounds.push({ decision, echo: bare, ratio: decision / bare });
  }
  return rounds;
}

const environment = describeEnvironment(new Date());
console.log(environmentLine(environment));
const dataDir = await mkdtemp(join(tmpdir(), "sextant-bench-http-"));
const sextant = await startSextant(dataDir);
const echo = await startServer("echo", { args: [join(import.meta.dirname, "echo-server.js")] });
try {
  const rounds = await measure(sextant, echo);
  const ratios = rounds.map(({ ratio }) => ratio);
  const ratio = median(ratios);
  const line = (name: string, values: readonly number[], digits: number) => [
    name,
    ...[median(values), Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits)),
  ];
  const header = [`${REQUESTS} requests × ${ROUNDS} rounds`, "median", "least", "most"];
  const table = markdownTable(header, [
    line(
      "decision, µs of processor time",
      rounds.map(({ decision }) => decision),
      1,
    ),
    line(
      "echo, µs of processor time",
      rounds.map(({ echo: bare }) => bare),
      1,
    ),
    line("decision ÷ echo", ratios, 2),
  ]);
  console.log(`\n${table}\n`);
  console.log(
    `${ratio <= GOAL ? "reached" : "MISSED"}: decision ÷ echo ${ratio.toFixed(2)} (goal ≤ ${GOAL})`,
  );
  const question = "What does the HTTP server add to a decision, against a bare Fastify + Zod echo?";
  console.log(`written to ${await writeReport({ name: "http", question, environment, rows: rounds })}`);
} finally {
  await Promise.all([sextant.server.stop(), echo.stop()]);
  await rm(dataDir, { recursive: true, force: true });
}
