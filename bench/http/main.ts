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
import { figuresOf, type Measured, ratiosOf } from "./figures.js";
import { measure } from "./measure.js";
import { HTTP_USAGE, parseHttpOptions } from "./options.js";

const LABELS: Readonly<Record<string, string>> = {
  decision: "decision",
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
    contestants.push(await startSextant(await mkdtemp(join(folder, "decision-"))));
    contestants.push(await startEcho(await mkdtemp(join(folder, "echo-"))));
    const bar = showProgress("Sending requests in turn", options.rounds);
    const rounds = await measure(contestants, { ...options, onRound: (done) => bar.update(done) });
    bar.stop();
    const measured = [...rounds].map(([id, ofServer]) => ({ id, label: LABELS[id] ?? id, rounds: ofServer }));
    const result: BenchmarkResult = {
      ...{ version: RESULT_VERSION, suite: "http", environment, datasets: [], seeds: [] },
      question: "What does the HTTP server add to a decision, against a bare Fastify + Zod echo?",
      command: ["npm run bench -- http", ...args].join(" "),
      figures: allFigures(measured),
      notes: [
        `${options.requests} requests × ${options.rounds} rounds on 8 connections; 5,000 anchors × 10 models, some 50 tokens.`,
      ],
    };
    console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

function allFigures(measured: readonly Measured[]): Figure[] {
  const [decision, echo] = ["decision", "echo"].map((id) => measured.find((server) => server.id === id));
  return [...measured.flatMap(figuresOf), ...(decision && echo ? ratiosOf(decision, echo) : [])];
}

await main(process.argv.slice(2));
