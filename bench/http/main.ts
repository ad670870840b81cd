/**
 * How much does the HTTP server add to a decision, and how many requests does a core serve? Processor time of the
 * server per request, requests a second, and event loop delay, compared with a bare Fastify + Zod echo server under the
 * same requests, each server in its own process, in interleaved batches. Processor time is used because wall-clock time
 * includes waiting on a shared machine. Linux only. A failed request ends the run. A core shared with other processes
 * raises both sides by its cold caches, their ratio less.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeEnvironment, environmentLine } from "../environment.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { type Contestant, startEcho, startSextant } from "./contestants.js";
import { chartsOf, figuresOf, type Measured, missingFigures, ratiosOf } from "./figures.js";
import { measure } from "./measure.js";
import { HTTP_USAGE, parseHttpOptions } from "./options.js";

const LABELS: Readonly<Record<string, string>> = {
  decision: "decision",
  two_workers: "decision, two workers",
  echo: "bare Fastify + Zod echo",
};

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(HTTP_USAGE);
  const options = parseHttpOptions(args);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-http-"));
  const contestants: Contestant[] = [];
  try {
    const started = await startAll(folder, contestants);
    const bar = showProgress("Sending requests in turn", options.rounds);
    const rounds = await measure(contestants, { ...options, onRound: (done) => bar.update(done) });
    bar.stop();
    const measured = [...rounds].map(([id, ofServer]) => ({ id, label: LABELS[id] ?? id, rounds: ofServer }));
    const result: BenchmarkResult = {
      ...{ version: RESULT_VERSION, suite: "http", environment, datasets: [], seeds: [] },
      question: "What does the HTTP server add to a decision, against a bare Fastify + Zod echo?",
      command: ["npm run bench -- http", ...args].join(" "),
      figures: [...allFigures(measured), ...started.missing],
      charts: chartsOf(measured),
      notes: [
        `${options.requests} requests × ${options.rounds} rounds on 8 connections; 5,000 anchors × 10 models, some 50 tokens.`,
        "The process that sends the requests needs a core of its own: on two cores two workers cannot show all they have.",
      ],
    };
    console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts all that start into `contestants`, so that the caller can stop them whatever happens. */
async function startAll(folder: string, contestants: Contestant[]): Promise<{ readonly missing: Figure[] }> {
  const inFolder = async (name: string) => mkdtemp(join(folder, `${name}-`));
  contestants.push(await startSextant(await inFolder("decision"), { name: "decision", environment: {} }));
  contestants.push(await startEcho(await inFolder("echo")));
  const two = await startSextant(await inFolder("two"), {
    ...{ name: "two_workers", environment: { SEXTANT_WORKERS: "2" } },
  });
  if ((await two.server.workers()) > 0) {
    contestants.push(two);
    return { missing: [] };
  }
  await two.server.stop();
  return {
    missing: missingFigures("two_workers", LABELS.two_workers ?? "", "this version runs one worker only"),
  };
}

function allFigures(measured: readonly Measured[]): Figure[] {
  const [decision, echo, two] = ["decision", "echo", "two_workers"].map((id) =>
    measured.find((server) => server.id === id),
  );
  return [
    ...measured.flatMap(figuresOf),
    ...(decision && echo ? ratiosOf(decision, echo) : []),
    ...(two && echo ? ratiosOf(two, echo) : []),
    ...(two && decision ? ratiosOf(two, decision) : []),
  ];
}

await main(process.argv.slice(2));
