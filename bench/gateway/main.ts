/**
 * What does the gateway add to a call? Time and processor time per request over a direct call to the same upstream on this
 * machine, for JSON and for streams, one request at a time and on 32 connections, beside a bare undici proxy (the floor)
 * and Portkey's gateway. All take turns within every round. Ours runs with authentication, limits, cost and traces.
 *
 * Portkey is installed from its own lockfile at the first run. Linux only. Worthless when a request failed, which ends
 * the run.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeEnvironment, environmentLine } from "../environment.js";
import { type ServerProcess, startServer } from "../http/server-process.js";
import { markdownTable, median, writeReport } from "../report.js";
import { CHUNKS, type Load, type Shape, sendLoad, type Target } from "./load.js";

const KEY = "pk_live_benchmarkbenchmarkbenchmarkbenchmark";
const PORTKEY = join("bench", "gateway", "portkey");
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);

const CASES: readonly (Load & { readonly name: string })[] = [
  { name: "JSON, 1 at a time", shape: "json", connections: 1, requests: 600 },
  { name: "JSON, 32 connections", shape: "json", connections: 32, requests: 2400 },
  { name: "stream in one burst, 1 at a time", shape: "stream-burst", connections: 1, requests: 150 },
  { name: "stream chunk by chunk, 1 at a time", shape: "stream-paced", connections: 1, requests: 60 },
  { name: "stream chunk by chunk, 32 connections", shape: "stream-paced", connections: 32, requests: 192 },
];

interface Contestant extends Target {
  /** Null for the direct call, which has no gateway. */
  readonly server: ServerProcess | null;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function startPortkey(upstream: string): Promise<Contestant> {
  if (!existsSync(join(PORTKEY, "node_modules"))) {
    console.log("installing Portkey's gateway from its lockfile …");
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: PORTKEY,
      stdio: "ignore",
    });
  }
  const port = await freePort();
  const script = join(PORTKEY, "node_modules", "@portkey-ai", "gateway", "build", "start-server.js");
  const server = await startServer("Portkey", {
    args: [script, `--port=${port}`, "--headless"],
    environment: { NODE_ENV: "production" },
    ready: /Ready for (connections)/,
  });
  return {
    name: "Portkey",
    server,
    address: `http://127.0.0.1:${port}`,
    headers: {
      authorization: "Bearer sk-upstream",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `${upstream}/v1`,
    },
  };
}

async function startSextant(upstream: string, dataDir: string): Promise<Contestant> {
  const server = await startServer("sextant serve", {
    args: [join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: dataDir,
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "warn",
      SEXTANT_REQUESTS_PER_MINUTE: "1000000000",
      SEXTANT_TOKENS_PER_MINUTE: "1000000000",
      SEXTANT_USD_PER_MONTH: "1000000",
      OPENAI_API_KEY: "sk-upstream",
      OPENAI_BASE_URL: `${upstream}/v1`,
    },
  });
  return { name: "Sextant", server, address: server.address, headers: { authorization: `Bearer ${KEY}` } };
}

async function startFloor(upstream: string): Promise<Contestant> {
  const server = await startServer("floor", {
    args: [join(import.meta.dirname, "floor.js")],
    environment: { FLOOR_UPSTREAM: upstream },
  });
  return { name: "floor", server, address: server.address, headers: {} };
}

interface Figures {
  readonly p50Ms: number;
  readonly firstContentMs: number;
  readonly requestsPerSecond: number;
  /** Of the gateway's process; 0 for the direct call. */
  readonly cpuUs: number;
}

async function measureOnce(contestant: Contestant, load: Load): Promise<Figures> {
  const before = (await contestant.server?.cpuMs()) ?? 0;
  const result = await sendLoad(contestant, load);
  const after = (await contestant.server?.cpuMs()) ?? 0;
  return {
    p50Ms: median(result.latencies),
    firstContentMs: median(result.firstContents),
    requestsPerSecond: result.requestsPerSecond,
    cpuUs: ((after - before) * 1000) / load.requests,
  };
}

/** Until the compiler has seen enough of every gateway: a service runs for days, not for the first thousand requests. */
async function warmUp(contestants: readonly Contestant[]): Promise<void> {
  for (const each of contestants) {
    await sendLoad(each, { shape: "json", connections: 32, requests: 12_000 });
    await sendLoad(each, { shape: "stream-paced", connections: 32, requests: 256 });
  }
}

/** Figures by contestant, one per round; the order within a round moves on by one each time. */
async function measure(contestants: readonly Contestant[], load: Load): Promise<Map<string, Figures[]>> {
  const figures = new Map(contestants.map(({ name }) => [name, [] as Figures[]]));
  for (const each of contestants) await sendLoad(each, { ...load, requests: Math.ceil(load.requests / 4) });
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const each = contestants[(round + turn) % contestants.length] as Contestant;
      figures.get(each.name)?.push(await measureOnce(each, load));
    }
  }
  return figures;
}

/** Median over rounds of what is taken from the figures of one round: `at(name)` are a contestant's. */
function overRounds(
  figures: ReadonlyMap<string, readonly Figures[]>,
  take: (at: (name: string) => Figures) => number,
): number {
  const values = Array.from({ length: ROUNDS }, (_, round) =>
    take((name) => figures.get(name)?.[round] as Figures),
  );
  return median(values);
}

function rowsOf(
  figures: ReadonlyMap<string, readonly Figures[]>,
  { name, shape }: { name: string; shape: Shape },
) {
  return [...figures.keys()].map((contestant) => {
    const median = (take: (figures: Figures) => number) => overRounds(figures, (at) => take(at(contestant)));
    return {
      case: name,
      gateway: contestant,
      p50_ms: median((each) => each.p50Ms),
      added_us: overRounds(figures, (at) => (at(contestant).p50Ms - at("direct").p50Ms) * 1000),
      first_content_added_us: overRounds(
        figures,
        (at) => (at(contestant).firstContentMs - at("direct").firstContentMs) * 1000,
      ),
      requests_per_second: median((each) => each.requestsPerSecond),
      share_of_floor: overRounds(
        figures,
        (at) => at(contestant).requestsPerSecond / at("floor").requestsPerSecond,
      ),
      cpu_us: median((each) => each.cpuUs),
      cpu_us_per_chunk: shape === "json" ? null : median((each) => each.cpuUs / CHUNKS),
    };
  });
}

type Row = ReturnType<typeof rowsOf>[number];

function printed(rows: readonly Row[]): string {
  const header = [
    "",
    "p50 ms",
    "added µs",
    "first content, added µs",
    "requests/s",
    "÷ floor",
    "CPU µs",
    "CPU µs a chunk",
  ];
  const cells = rows.map((row) => [
    row.gateway,
    row.p50_ms.toFixed(3),
    row.added_us.toFixed(0),
    row.cpu_us_per_chunk === null ? "" : row.first_content_added_us.toFixed(0),
    row.requests_per_second.toFixed(0),
    row.share_of_floor.toFixed(2),
    row.gateway === "direct" ? "" : row.cpu_us.toFixed(0),
    row.cpu_us_per_chunk === null || row.gateway === "direct" ? "" : row.cpu_us_per_chunk.toFixed(1),
  ]);
  return markdownTable(header, cells);
}

function verdicts(rows: readonly Row[]): string[] {
  const at = (name: string, gateway: string) =>
    rows.find((row) => row.case === name && row.gateway === gateway) as Row;
  const [sequential, parallel, burst] = CASES.map(({ name }) => name) as [string, string, string];
  const ours = at(sequential, "Sextant");
  const portkey = at(sequential, "Portkey");
  const verdict = (goal: string, figure: number, reached: boolean) =>
    `${reached ? "reached" : "MISSED"}: ${goal}: ${figure.toFixed(2)}`;
  const share = at(parallel, "Sextant").share_of_floor;
  const chunk = at(burst, "Sextant").cpu_us_per_chunk ?? Number.NaN;
  return [
    verdict("JSON adds at most 150 µs at the median", ours.added_us, ours.added_us <= 150),
    verdict(
      "JSON adds at most a fifth of what Portkey adds",
      ours.added_us / portkey.added_us,
      ours.added_us / portkey.added_us <= 0.2,
    ),
    verdict("at least .6 of the floor's requests/s on 32 connections", share, share >= 0.6),
    verdict("at most 8 µs of processor time a chunk", chunk, chunk <= 8),
  ];
}

const environment = describeEnvironment(new Date());
console.log(environmentLine(environment));
const dataDir = await mkdtemp(join(tmpdir(), "sextant-bench-gateway-"));
const upstream = await startServer("upstream", { args: [join(import.meta.dirname, "upstream.js")] });
const contestants: Contestant[] = [
  { name: "direct", server: null, address: upstream.address, headers: {} },
  await startFloor(upstream.address),
  await startSextant(upstream.address, dataDir),
  await startPortkey(upstream.address),
];
try {
  await warmUp(contestants);
  const rows: Row[] = [];
  for (const each of CASES) {
    const measured = rowsOf(await measure(contestants, each), each);
    rows.push(...measured);
    console.log(`\n### ${each.name}, ${each.requests} requests × ${ROUNDS} rounds\n\n${printed(measured)}`);
  }
  console.log(`\n${verdicts(rows).join("\n")}`);
  const question = "What does the gateway add to a call, against a bare proxy and against Portkey's gateway?";
  console.log(`written to ${await writeReport({ name: "gateway", question, environment, rows })}`);
} finally {
  await Promise.all([...contestants.map(({ server }) => server?.stop()), upstream.stop()]);
  await rm(dataDir, { recursive: true, force: true });
}
