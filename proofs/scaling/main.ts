/**
 * `npm run proof -- scaling`: one, two and four gateways on one Redis and one ClickHouse, behind a balancer. On a machine with
 * fewer cores than processes the requests a second do not scale: what does is the processor time of a request in each part.
 * Linux only.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { describeEnvironment, environmentLine } from "../../bench/environment.js";
import { type LoadResult, sendLoad } from "../../bench/gateway/load.js";
import { AUTHORIZATION, KEY, type ServerProcess, startServer } from "../../bench/http/server-process.js";
import { renderMarkdown } from "../../bench/report/markdown.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { quantile } from "../../bench/report/statistics.js";
import { temporaryFolder } from "../../bench/temporary-folder.js";
import { countTraces } from "../chaos/gateway-process.js";
import { copyState } from "../copy-state.js";
import { startBalancer } from "./balancer.js";

const CONNECTIONS = 32;
const ALLOWED = 50;
const TRACES_WITHIN_MS = 60_000;

const USAGE = `npm run proof -- scaling --redis <url> --redis-pid <n> --clickhouse <url> --clickhouse-pid <n> [options]

  --redis, --clickhouse <url>      servers that are empty, on this machine; ClickHouse's with a database
  --redis-pid, --clickhouse-pid    their processes, whose processor time is read
  --gateways <list>                how many, one after the other (default 1,2,4)
  --requests <n>                   chat completions for each (default 8000)
  --small                          --requests 1000`;

interface Options {
  readonly redis: string;
  readonly clickhouse: string;
  readonly pids: Readonly<Record<"redis" | "clickhouse", number>>;
  readonly requests: number;
}

interface Run {
  readonly gateways: number;
  readonly load: LoadResult;
  /** Microseconds of processor time for a request. */
  readonly cpuUs: Readonly<Record<"gateways" | "redis" | "clickhouse", number>>;
  /** Of requests sent at once with a key for `ALLOWED` a minute. */
  readonly passedLimit: number;
  readonly lostTraces: number;
}

/** Milliseconds on a processor of all threads that the process has had. */
async function processMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  // Clock ticks of a hundredth of a second.
  return 10 * ((user ?? 0) + (system ?? 0));
}

const startGateway = (
  folder: string,
  upstream: string,
  { redis, clickhouse }: Options,
): Promise<ServerProcess> =>
  startServer("sextant serve", {
    args: ["--max-semi-space-size=8", "--v8-pool-size=1", join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: folder,
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "error",
      SEXTANT_REDIS_URL: redis,
      SEXTANT_TRACE_STORE: "clickhouse",
      SEXTANT_CLICKHOUSE_URL: clickhouse,
      SEXTANT_REQUESTS_PER_MINUTE: "1000000000",
      SEXTANT_TOKENS_PER_MINUTE: "1000000000",
      SEXTANT_USD_PER_MONTH: "1000000",
      SEXTANT_MAX_QUEUE_MS: "600000",
      OPENAI_API_KEY: "sk-upstream",
      OPENAI_BASE_URL: `${upstream}/v1`,
    },
  });

/** Gateways with the same keys, the last of which is limited. */
async function startGateways(count: number, folders: string[], options: Options & { upstream: string }) {
  const gateways: ServerProcess[] = [];
  let limited = "";
  for (let index = 0; index < count; index++) {
    const folder = await temporaryFolder("sextant-scaling-");
    folders.push(folder);
    if (index > 0) await copyState(folders[0] ?? "", folder);
    const gateway = await startGateway(folder, options.upstream, options);
    gateways.push(gateway);
    if (index === 0) {
      const reply = await fetch(`${gateway.address}/admin/keys`, {
        method: "POST",
        headers: { ...AUTHORIZATION, "content-type": "application/json" },
        body: JSON.stringify({
          name: "limited",
          scopes: ["inference"],
          limits: { requests_per_minute: ALLOWED },
        }),
      });
      limited = ((await reply.json()) as { key: string }).key;
    }
  }
  return { gateways, limited };
}

async function measure(count: number, upstream: string, options: Options): Promise<Run> {
  const folders: string[] = [];
  const { gateways, limited } = await startGateways(count, folders, { ...options, upstream });
  const balancer = await startBalancer(gateways.map(({ address }) => address));
  const target = { name: "balancer", address: balancer.address, headers: AUTHORIZATION };
  const first = gateways[0]?.address ?? "";
  const storedBefore = await countTraces(first);
  // As many for each, so that their code is compiled to the same degree.
  const warmUp = count * Math.ceil(options.requests / 4);
  try {
    await sendLoad(target, { shape: "json", connections: CONNECTIONS, requests: warmUp });
    const cpuMs = async () => ({
      gateways: (await Promise.all(gateways.map((gateway) => gateway.cpuMs()))).reduce(
        (sum, ms) => sum + ms,
        0,
      ),
      redis: await processMs(options.pids.redis),
      clickhouse: await processMs(options.pids.clickhouse),
    });
    const before = await cpuMs();
    const load = await sendLoad(target, {
      shape: "json",
      connections: CONNECTIONS,
      requests: options.requests,
    });
    // What is done for the requests after they are answered counts too.
    await wait(2000);
    const after = await cpuMs();
    const us = (part: keyof typeof before) => (1000 * (after[part] - before[part])) / options.requests;
    const passedLimit = await passed(balancer.address, limited);
    const sent = options.requests + warmUp + passedLimit;
    return {
      ...{ gateways: count, load, passedLimit },
      cpuUs: { gateways: us("gateways"), redis: us("redis"), clickhouse: us("clickhouse") },
      lostTraces: await missing(first, storedBefore + sent),
    };
  } finally {
    balancer.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

/** How many of the traces that are expected do not come. */
async function missing(address: string, expected: number): Promise<number> {
  const until = performance.now() + TRACES_WITHIN_MS;
  for (;;) {
    const stored = await countTraces(address);
    if (stored >= expected || performance.now() > until) return expected - stored;
    await wait(500);
  }
}

/** How many of twice as many requests as a minute allows, sent at once at its beginning, are answered. */
async function passed(address: string, key: string): Promise<number> {
  await wait(60_000 - (Date.now() % 60_000) + 500);
  const statuses = await Promise.all(
    Array.from({ length: 2 * ALLOWED }, async () => {
      const reply = await fetch(`${address}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] }),
      });
      await reply.text();
      return reply.status;
    }),
  );
  return statuses.filter((status) => status === 200).length;
}

const figuresOf = ({ gateways, load, cpuUs, passedLimit, lostTraces }: Run): Figure[] => {
  const figure = (
    id: string,
    label: string,
    rest: Pick<Figure, "value" | "unit" | "better"> & Partial<Figure>,
  ) => ({
    id: `scaling/${gateways}/${id}`,
    label: `${gateways} gateways: ${label}`,
    ...rest,
  });
  const lower = { better: "lower" } as const;
  return [
    figure("rate", "requests a second", { value: load.requestsPerSecond, unit: "per_s", better: "higher" }),
    figure("p50", "p50", { value: quantile(load.latencies, 0.5), unit: "ms", ...lower }),
    figure("p99", "p99", { value: quantile(load.latencies, 0.99), unit: "ms", ...lower }),
    ...(["gateways", "redis", "clickhouse"] as const).map((part) =>
      figure(`cpu/${part}`, `processor time of a request, ${part}`, {
        value: cpuUs[part],
        unit: "us",
        ...lower,
      }),
    ),
    figure("limit", `answered of ${2 * ALLOWED} with a limit of ${ALLOWED} a minute`, {
      ...{ value: passedLimit, unit: "count", ...lower },
    }),
    figure("lost", "traces lost", { value: lostTraces, unit: "count", ...lower }),
  ];
};

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(USAGE);
  const { values } = parseArgs({
    args: [...args],
    options: {
      redis: { type: "string" },
      clickhouse: { type: "string" },
      "redis-pid": { type: "string" },
      "clickhouse-pid": { type: "string" },
      gateways: { type: "string", default: "1,2,4" },
      requests: { type: "string", default: "8000" },
    },
  });
  if (values.redis === undefined || values.clickhouse === undefined) throw new Error(USAGE);
  const options: Options = {
    redis: values.redis,
    clickhouse: values.clickhouse,
    pids: { redis: Number(values["redis-pid"]), clickhouse: Number(values["clickhouse-pid"]) },
    requests: Number(values.requests),
  };
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const upstream = await startServer("upstream", {
    args: ["--import", "tsx", join("bench", "gateway", "upstream.ts")],
  });
  const runs: Run[] = [];
  try {
    for (const count of values.gateways.split(",").map(Number)) {
      runs.push(await measure(count, upstream.address, options));
      console.log(JSON.stringify({ ...runs.at(-1), load: runs.at(-1)?.load.requestsPerSecond }));
    }
  } finally {
    await upstream.stop();
  }
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "scaling", environment, datasets: [], seeds: [] },
    question: "What does each part of a fleet spend on a request, and do limits and traces hold?",
    command: ["npm run proof -- scaling", ...args].join(" "),
    figures: runs.flatMap(figuresOf),
    notes: [
      `${options.requests} chat completions for each number of gateways, over ${CONNECTIONS} connections, by a balancer in this process; the upstream answers at once.`,
    ],
  };
  console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
}

await main(process.argv.slice(2));
