/**
 * How much does the gateway add to a call? Wall-clock and processor time per request relative to a direct call to the
 * same upstream on this machine, for JSON and for streams, one request at a time and on 32 connections, compared with a
 * bare undici proxy (the floor), Portkey's gateway, @musistudio/llms and, if asked, another commit of ours (a checkout with
 * `npm ci && npm run build` done), interleaved within every round. Ours runs with authentication, limits, cost and traces.
 *
 * The others are installed from their own lockfiles at the first run. Linux only. A failed request ends the run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeEnvironment, environmentLine } from "../environment.js";
import { startServer } from "../http/server-process.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median } from "../report/statistics.js";
import { type Contestant, startContestants } from "./contestants.js";
import { chartsOf, figuresOf, type MeasuredCase, type Round } from "./figures.js";
import { type Load, sendLoad } from "./load.js";

const USAGE = `npm run bench -- gateway [--rounds 7] [--without-peers] [--earlier DIR]`;

interface Case extends Load {
  readonly id: string;
  readonly name: string;
}

const CASES: readonly Case[] = [
  { id: "json-1", name: "JSON, 1 at a time", shape: "json", connections: 1, requests: 600 },
  { id: "json-32", name: "JSON, 32 connections", shape: "json", connections: 32, requests: 2400 },
  {
    id: "burst-1",
    name: "stream in one burst, 1 at a time",
    shape: "stream-burst",
    connections: 1,
    requests: 150,
  },
  {
    id: "paced-1",
    name: "stream chunk by chunk, 1 at a time",
    shape: "stream-paced",
    connections: 1,
    requests: 60,
  },
  {
    id: "paced-32",
    name: "stream chunk by chunk, 32 connections",
    shape: "stream-paced",
    connections: 32,
    requests: 192,
  },
];

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(USAGE);
  const { rounds, peers, earlier } = optionsFrom(args);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const dataDir = await mkdtemp(join(tmpdir(), "sextant-bench-gateway-"));
  const upstream = await startServer("upstream", { args: [join(import.meta.dirname, "upstream.js")] });
  const contestants: Contestant[] = [];
  try {
    await startContestants({
      ...{ upstream: upstream.address, dataDir, peers, earlier },
      onStarted: (contestant) => contestants.push(contestant),
    });
    const cases = await measureAll(contestants, rounds);
    const result: BenchmarkResult = {
      ...{ version: RESULT_VERSION, suite: "gateway", environment, datasets: [], seeds: [] },
      question: "What does the gateway add to a call, against a bare proxy and other gateways?",
      command: ["npm run bench -- gateway", ...args].join(" "),
      figures: cases.flatMap(figuresOf),
      charts: chartsOf(cases),
      notes: [
        ...CASES.map(({ name, requests }) => `${name}: ${requests} requests × ${rounds} rounds.`),
        "On 32 connections the processes share the machine's cores: compare requests a second with the floor's, not times.",
      ],
    };
    console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
  } finally {
    await Promise.all([...contestants.map(({ server }) => server?.stop()), upstream.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
}

function optionsFrom(args: readonly string[]): {
  readonly rounds: number;
  readonly peers: boolean;
  readonly earlier: string | undefined;
} {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "7" },
      "without-peers": { type: "boolean", default: false },
      earlier: { type: "string" },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds ${values.rounds} makes no sense.\n\n${USAGE}`);
  return { rounds, peers: !values["without-peers"], earlier: values.earlier };
}

async function measureAll(contestants: readonly Contestant[], rounds: number): Promise<MeasuredCase[]> {
  const bar = showProgress("Sending requests in turn", 1 + CASES.length * rounds);
  try {
    await warmUp(contestants);
    let done = 1;
    bar.update(done);
    const cases: MeasuredCase[] = [];
    for (const load of CASES) {
      const onRound = () => bar.update(++done);
      cases.push({ ...load, rounds: await measure(contestants, load, { rounds, onRound }) });
    }
    return cases;
  } finally {
    bar.stop();
  }
}

/** Warms up the compiler, since a service runs for days. */
async function warmUp(contestants: readonly Contestant[]): Promise<void> {
  for (const contestant of contestants) {
    await sendLoad(contestant, { shape: "json", connections: 32, requests: 12_000 });
    await sendLoad(contestant, { shape: "stream-paced", connections: 32, requests: 256 });
  }
}

/** Rounds by contestant; the order rotates from round to round. */
async function measure(
  contestants: readonly Contestant[],
  load: Load,
  options: { readonly rounds: number; readonly onRound: () => void },
): Promise<Map<string, Round[]>> {
  const rounds = new Map(contestants.map(({ name }) => [name, [] as Round[]]));
  for (const contestant of contestants)
    await sendLoad(contestant, { ...load, requests: Math.ceil(load.requests / 4) });
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const contestant = contestants[(round + turn) % contestants.length] as Contestant;
      rounds.get(contestant.name)?.push(await measureOnce(contestant, load));
    }
    options.onRound();
  }
  return rounds;
}

async function measureOnce(contestant: Contestant, load: Load): Promise<Round> {
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

await main(process.argv.slice(2));
