/**
 * What does the gateway cost, as ratios to bare servers in the same run? Processor time of a request (JSON, stream,
 * decision), time of a decision, start and memory. CI judges it.
 *
 * A life is one process of each server: started, warmed up, measured in turn with its reference, and stopped. Every
 * figure has one sample a life, since where code and data come to lie differs more between processes than between
 * rounds of one. Times are processor time where there is a choice, because other processes on the machine lengthen the
 * rest. Linux only. A failed request ends the run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeEnvironment, environmentLine } from "../environment.js";
import { type Contestant, startFloor, startSextant } from "../gateway/contestants.js";
import { type Load, sendLoad } from "../gateway/load.js";
import { startEcho } from "../http/contestants.js";
import { type ServerProcess, startServer } from "../http/server-process.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { quantile } from "../report/statistics.js";
import { type CaseId, figuresOf, type Life, type Measured } from "./figures.js";

const USAGE = `npm run bench -- overhead [--lives 10]`;

/** Of one life. Warm enough for the compiler to have done most of its work. */
const WARM_UP: Readonly<Record<CaseId, number>> = { json: 1_200, stream: 64, decision: 1_200 };
const ROUNDS = 3;
const CASES: Readonly<Record<CaseId, Load>> = {
  json: { shape: "json", connections: 8, requests: 400 },
  stream: { shape: "stream-paced", connections: 8, requests: 48 },
  decision: { shape: "decision", connections: 8, requests: 400 },
};
/** One after the other: how long each takes. Of those that other processes held up least. */
const TIMED: Load = { shape: "decision", connections: 1, requests: 200 };
const TIMED_QUANTILE = 0.1;
const CASE_IDS = ["json", "stream", "decision"] as const;

type Running = Contestant & { readonly server: ServerProcess };

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", default: false },
      lives: { type: "string", default: "10" },
    },
  });
  const count = Number(values.lives);
  if (values.help) return console.log(USAGE);
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`--lives ${values.lives} makes no sense.\n\n${USAGE}`);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const lives = await liveOften(count);
  const figures = figuresOf(lives);
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "overhead", environment, datasets: [], seeds: [] },
    question: "What does the gateway cost, as ratios to bare servers?",
    command: ["npm run bench -- overhead", ...args].join(" "),
    figures,
    notes: [
      `${count} processes of each server, one after the other, ${ROUNDS} rounds in each: a sample is a process.`,
      "References: of chat completions a bare undici proxy, of all else a bare Fastify + Zod echo.",
    ],
  };
  console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
}

async function liveOften(count: number): Promise<Life[]> {
  const upstream = await startServer("upstream", {
    args: [join(import.meta.dirname, "..", "gateway", "upstream.js")],
  });
  const bar = showProgress("Measuring processes in turn", count);
  try {
    const lives: Life[] = [];
    for (let life = 0; life < count; life++) {
      lives.push(await liveOnce(upstream.address, life));
      bar.update(life + 1);
    }
    return lives;
  } finally {
    bar.stop();
    await upstream.stop();
  }
}

async function liveOnce(upstream: string, life: number): Promise<Life> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-overhead-"));
  const running: Running[] = [];
  const start = async (starting: Promise<Contestant>) => {
    const contestant = (await starting) as Running;
    running.push(contestant);
    return { contestant, cpuMs: await contestant.server.cpuMs() };
  };
  try {
    const echo = await start(
      startEcho(folder).then((started) => ({ ...started, address: started.server.address })),
    );
    const ours = await start(startSextant(upstream, folder));
    const floor = await start(startFloor(upstream));
    const gateway = ours.contestant;
    const references = { json: floor.contestant, stream: floor.contestant, decision: echo.contestant };
    for (const id of CASE_IDS) {
      for (const contestant of [gateway, references[id]])
        await sendLoad(contestant, { ...CASES[id], requests: WARM_UP[id] });
    }
    const cpuUs = {} as Record<CaseId, Measured>;
    for (const id of CASE_IDS) cpuUs[id] = await measure([gateway, references[id]], CASES[id], life);
    const [decisionMs, echoMs] = [await timeOf(gateway), await timeOf(echo.contestant)];
    return {
      cpuUs,
      decisionMs: { ours: decisionMs, bare: echoMs },
      readyMs: { ours: gateway.server.readyMs, bare: echo.contestant.server.readyMs },
      startCpuMs: { ours: ours.cpuMs, bare: echo.cpuMs },
      residentMb: {
        ours: await gateway.server.residentMb(),
        bare: await echo.contestant.server.residentMb(),
      },
    };
  } finally {
    await Promise.all(running.map(({ server }) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Microseconds of processor time a request over all rounds; who is first alternates. */
async function measure(
  [ours, bare]: readonly [Running, Running],
  load: Load,
  life: number,
): Promise<Measured> {
  const sums = new Map<Running, number>([
    [ours, 0],
    [bare, 0],
  ]);
  for (let round = 0; round < ROUNDS; round++) {
    for (const contestant of (round + life) % 2 === 0 ? [ours, bare] : [bare, ours]) {
      const before = await contestant.server.cpuMs();
      await sendLoad(contestant, load);
      const spent = (await contestant.server.cpuMs()) - before;
      sums.set(contestant, (sums.get(contestant) ?? 0) + spent);
    }
  }
  const perRequest = (contestant: Running) =>
    ((sums.get(contestant) ?? 0) * 1_000) / (ROUNDS * load.requests);
  return { ours: perRequest(ours), bare: perRequest(bare) };
}

const timeOf = async (contestant: Running): Promise<number> =>
  quantile((await sendLoad(contestant, TIMED)).latencies, TIMED_QUANTILE);

await main(process.argv.slice(2));
