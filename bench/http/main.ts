/**
 * What does the HTTP server add to a decision, and how many requests does a core serve? Processor time of the server per request,
 * compared with a bare Fastify + Zod echo server under the same requests, each server in its own process, in interleaved rounds.
 * Processor time is used because wall-clock time includes waiting on a shared machine. Linux only. A failed request ends the run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeEnvironment, environmentLine } from "../environment.js";
import { startSextant } from "../gateway/contestants.js";
import { sendLoad, type Target } from "../gateway/load.js";
import { wholeNumber } from "../options.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median } from "../report/statistics.js";
import { type ServerProcess, startServer } from "./server-process.js";

const USAGE = "npm run bench -- http [--rounds 9] [--requests 4000]";
const CONNECTIONS = 8;
/** Nothing listens there: decisions call no provider. */
const NO_UPSTREAM = "http://127.0.0.1:9";

interface Contestant extends Target {
  readonly server: ServerProcess;
}

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "9" },
      requests: { type: "string", default: "4000" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const rounds = wholeNumber("--rounds", { text: values.rounds, least: 1 });
  const requests = wholeNumber("--requests", { text: values.requests, least: 1 });
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-http-"));
  const contestants: Contestant[] = [];
  try {
    const { server: decision, ...target } = await startSextant(NO_UPSTREAM, folder);
    if (decision !== null) contestants.push({ ...target, server: decision });
    const echo = await startServer("echo", { args: [join(import.meta.dirname, "echo-server.js")] });
    contestants.push({ name: "echo", server: echo, address: echo.address, headers: {} });
    for (const contestant of contestants) await cpuUsOf(contestant, requests);
    const found = new Map(contestants.map(({ name }) => [name, [] as number[]]));
    const bar = showProgress("Sending requests in turn", rounds);
    for (let round = 0; round < rounds; round++) {
      for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed())
        found.get(contestant.name)?.push(await cpuUsOf(contestant, requests));
      bar.update(round + 1);
    }
    bar.stop();
    const result: BenchmarkResult = {
      ...{ version: RESULT_VERSION, suite: "http", environment, datasets: [], seeds: [] },
      question: "What does the HTTP server add to a decision, against a bare Fastify + Zod echo?",
      command: ["npm run bench -- http", ...args].join(" "),
      figures: figuresOf(found.get("Sextant") ?? [], found.get("echo") ?? []),
      notes: [
        `${requests} requests × ${rounds} rounds on ${CONNECTIONS} connections; the shipped set, some 50 tokens, with keys, limits and traces.`,
      ],
    };
    console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Microseconds of the server's processor time per request. */
async function cpuUsOf(contestant: Contestant, requests: number): Promise<number> {
  const before = await contestant.server.cpuMs();
  await sendLoad(contestant, { shape: "decision", connections: CONNECTIONS, requests });
  return (1000 * ((await contestant.server.cpuMs()) - before)) / requests;
}

function figuresOf(decision: readonly number[], echo: readonly number[]): Figure[] {
  const perCore = decision.map((us) => 1e6 / us);
  const ratios = decision.map((us, round) => us / (echo[round] ?? Number.NaN));
  const figure = (id: string, label: string, samples: readonly number[]) => ({
    ...{ id: `http/${id}`, label, value: median(samples), samples: [...samples] },
  });
  return [
    { ...figure("decision/cpu", "decision: processor time", decision), unit: "us", better: "lower" },
    {
      ...figure("decision/per_core", "decision: requests a second and core", perCore),
      unit: "per_s",
      better: "higher",
    },
    { ...figure("echo/cpu", "bare Fastify + Zod echo: processor time", echo), unit: "us", better: "lower" },
    {
      ...figure("decision/over_echo", "decision ÷ echo", ratios),
      unit: "ratio",
      better: "lower",
      against: "http/echo/cpu",
    },
  ];
}

await main(process.argv.slice(2));
