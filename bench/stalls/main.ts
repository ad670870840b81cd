/**
 * How long does large work keep the event loop from everything else? The gateway runs as people run it, with keys and
 * traces on and the shipped profiles, before an upstream in this process. Processor time of the main thread between two
 * turns of its loop counts, so that neighbours on the machine do not. Linux only.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describeEnvironment, environmentLine } from "../environment.js";
import { type ServerProcess, startServer } from "../http/server-process.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median } from "../report/statistics.js";
import { CASES, clickHouseReply, type Gateway, STREAM_EVENTS, upstreamReply } from "./cases.js";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const KEY = "pk_live_benchmarkbenchmarkbenchmarkbenchmark";
const PROBE = join(import.meta.dirname, "probe.js");
const GOAL_MS = 20;
/** Traces that exports and replays read, and what is left of a start or of the case before. */
const TRACES = 2_000;
const SETTLE_MS = 300;
const UNREAD_MS = 1_000;

async function startUpstream(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const [url = "", text] = [request.url, Buffer.concat(pieces).toString("utf8")];
    if (url.startsWith("/?")) return void response.end(clickHouseReply(text));
    const body = JSON.parse(text);
    const reply = upstreamReply(url, body);
    const status = reply === undefined ? 404 : "error" in reply ? 400 : 200;
    const json = JSON.stringify(reply ?? {});
    response.writeHead(status, { "content-type": body.stream ? "text/event-stream" : "application/json" });
    response.end(body.stream ? `${`data: ${json}\n\n`.repeat(STREAM_EVENTS)}data: [DONE]\n\n` : json);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const addressOf = (upstream: Server): string =>
  `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

const startGateway = (folder: string, upstream: Server, store: keyof Servers): Promise<ServerProcess> =>
  startServer("sextant serve", {
    args: [join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: folder,
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "error",
      SEXTANT_MAX_QUEUE_MS: "60000",
      SEXTANT_REQUESTS_PER_MINUTE: "1000000",
      SEXTANT_TOKENS_PER_MINUTE: "1000000000",
      OPENAI_API_KEY: "sk-upstream",
      OPENAI_BASE_URL: `${addressOf(upstream)}/v1`,
      SEXTANT_TRACE_STORE: store,
      SEXTANT_CLICKHOUSE_URL: addressOf(upstream),
    },
    loopDelay: { probe: PROBE, file: join(folder, "loop-delay.json") },
  });

function gatewayAt(address: string): Gateway {
  const ask = (path: string, body: unknown) =>
    fetch(address + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    });
  return {
    async call(path, { body, status = 200 }) {
      const response = await ask(path, body);
      const text = await response.text();
      if (response.status !== status) throw new Error(`${path}: ${response.status} ${text.slice(0, 600)}`);
    },
    async leaveUnread(path, { body }) {
      const response = await ask(path, body);
      await wait(UNREAD_MS);
      await response.body?.cancel();
    },
  };
}

type Servers = Readonly<Record<"duckdb" | "clickhouse", ServerProcess>>;

/** The longest delay of each round, by case. */
async function measure(servers: Servers): Promise<ReadonlyMap<string, readonly number[]>> {
  const small = CASES[0]?.run ?? (() => Promise.resolve());
  for (let done = 0; done < TRACES; done += 2) await small(gatewayAt(servers.duckdb.address));
  const bar = showProgress("Large work, case by case", CASES.length * ROUNDS);
  const delays = new Map<string, number[]>(CASES.map(({ id }) => [id, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { id, run, store = "duckdb" }] of CASES.entries()) {
      await wait(SETTLE_MS);
      const { max } = await servers[store].loopDelayDuring(async () => {
        await run(gatewayAt(servers[store].address));
        // The turn that ends the work is measured by the timer after it.
        await wait(20);
      });
      delays.get(id)?.push(max);
      bar.update(round * CASES.length + index + 1);
    }
  }
  bar.stop();
  return delays;
}

const figuresOf = (delays: ReadonlyMap<string, readonly number[]>): Figure[] =>
  CASES.map(({ id, label }) => {
    const samples = delays.get(id) ?? [];
    return {
      ...{ id: `stalls/${id}`, label, unit: "ms", better: "lower", goal: GOAL_MS },
      ...{ value: median(samples), samples: [...samples] },
    };
  });

const USAGE = `npm run bench -- stalls

Starts the built gateway and measures how long each kind of large work holds up its event loop. It has no options;
BENCH_ROUNDS=7 sets how often each is repeated.`;

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(USAGE);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-stalls-"));
  const upstream = await startUpstream();
  const servers: Servers = {
    duckdb: await startGateway(folder, upstream, "duckdb"),
    clickhouse: await startGateway(join(folder, "clickhouse"), upstream, "clickhouse"),
  };
  try {
    const result: BenchmarkResult = {
      ...{ version: RESULT_VERSION, suite: "stalls", environment, datasets: [], seeds: [], charts: [] },
      question: "How long does large work hold up the event loop?",
      command: "npm run bench -- stalls",
      figures: figuresOf(await measure(servers)),
      notes: [
        `The longest processor time of the main thread between two turns of its event loop; the median of ${ROUNDS} rounds.`,
        `One process, some ${TRACES} traces.`,
      ],
    };
    console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    upstream.closeAllConnections();
    upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
}

await main(process.argv.slice(2));
