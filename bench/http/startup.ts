/**
 * How long does the server take until it answers, and how much memory does it use? Compared with a bare Fastify + Zod server; each is
 * started alternately in a process of its own. The embedded router is opened in turn with them. Wall-clock times apply to this machine
 * and its load; processor time and ratios are comparable across machines. Linux only.
 */
import { join } from "node:path";
import { describeEnvironment, environmentLine } from "../environment.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median } from "../report/statistics.js";
import { embeddedFigures, openEmbedded } from "./embedded.js";
import type { StartOptions } from "./server-process.js";
import { type Start, startOnce } from "./start-once.js";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const MAIN = join("dist", "cli", "main.js");

interface Contestant extends StartOptions {
  readonly id: string;
  readonly label: string;
}

const REFERENCE = "bare";
const CONTESTANTS: readonly Contestant[] = [
  { id: REFERENCE, label: "bare Fastify + Zod server", args: [join(import.meta.dirname, "echo-server.js")] },
  {
    id: "serve",
    label: "sextant serve",
    args: [MAIN, "serve"],
    environment: { OPENAI_API_KEY: "sk-unused" },
  },
];

interface Kind {
  readonly id: string;
  readonly label: string;
  readonly unit: "ms" | "mb";
  readonly of: (start: Start) => number;
}

const KINDS: readonly Kind[] = [
  { id: "ready", label: "start to ready", unit: "ms", of: ({ readyMs }) => readyMs },
  { id: "cpu", label: "processor time of a start", unit: "ms", of: ({ cpuMs }) => cpuMs },
  { id: "resident", label: "resident memory", unit: "mb", of: ({ residentMb }) => residentMb },
];

interface Measured {
  readonly starts: ReadonlyMap<string, readonly Start[]>;
  readonly openings: Parameters<typeof embeddedFigures>[0];
}

async function measure(): Promise<Measured> {
  const openings: Awaited<ReturnType<typeof openEmbedded>>[] = [];
  const starts = new Map<string, Start[]>(CONTESTANTS.map(({ id }) => [id, []]));
  // The first round brings the files into the system's cache, and is thrown away.
  const bar = showProgress("Starting servers in turn", ROUNDS + 1);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { id, ...server } of CONTESTANTS) {
      const start = await startOnce(id, server);
      if (round > 0) starts.get(id)?.push(start);
    }
    const opening = await openEmbedded();
    if (round > 0) openings.push(opening);
    bar.update(round + 1);
  }
  bar.stop();
  return { starts, openings };
}

function figuresOf({ starts, openings }: Measured): Figure[] {
  return [...serverFigures(starts), ...embeddedFigures(openings)];
}

function serverFigures(starts: Measured["starts"]): Figure[] {
  const reference = starts.get(REFERENCE) ?? [];
  return CONTESTANTS.flatMap(({ id, label }) =>
    KINDS.flatMap((kind) => {
      const path = `http/startup/${id}/${kind.id}`;
      const own = starts.get(id) ?? [];
      const samples = own.map(kind.of);
      const figure: Figure = {
        ...{ id: path, label: `${label}: ${kind.label}`, unit: kind.unit, better: "lower" },
        ...{ value: median(samples), samples },
      };
      if (id === REFERENCE) return [figure];
      const ratios = samples.map((value, round) => value / kind.of(reference[round] as Start));
      const ratio: Figure = {
        ...{
          id: `${path}_over_bare`,
          label: `${label} ÷ bare: ${kind.label}`,
          unit: "ratio",
          better: "lower",
        },
        ...{ value: median(ratios), samples: ratios, against: `http/startup/${REFERENCE}/${kind.id}` },
      };
      return [figure, ratio];
    }),
  );
}

const USAGE = `npm run bench -- startup

Starts the built server and a bare one in turn, opens the embedded router, and measures each start. It has no options; BENCH_ROUNDS=9 sets how many
starts of each count.`;

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(USAGE);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "startup", environment, datasets: [], seeds: [] },
    question: "How long does the server take until it answers, and how much memory does it take?",
    command: "npm run bench -- startup",
    figures: figuresOf(await measure()),
    notes: [
      `${ROUNDS} starts of each, in turn, with the shipped embedder and profiles, in an empty data folder.`,
      "Ready is the line that says so; the store of traces may still be opening then, as GET /readyz tells.",
    ],
  };
  console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
}

await main(process.argv.slice(2));
