/**
 * How long does a start take, and how much memory? The server, the embedded router and two commands are started in turn, each in a
 * process of its own. Linux only.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { describeEnvironment, environmentLine } from "../environment.js";
import { wholeNumber } from "../options.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median } from "../report/statistics.js";
import { startServer } from "./server-process.js";

const USAGE = "npm run bench -- startup [--rounds 9]";
const MAIN = join("dist", "cli", "main.js");
/** After this, work that was deferred at the start is done. */
const SETTLE_MS = 1500;

const run = promisify(execFile);

/** What `embed-once.ts` prints: since the start of the process, when each step was done. */
type Opening = Readonly<Record<"node" | "imported" | "opened", { readonly ms: number; readonly mb: number }>>;

/** One start of everything. */
type Start = Readonly<Record<keyof typeof FIGURES, number>>;

const FIGURES = {
  ready: { label: "sextant serve: start to ready", unit: "ms" },
  serverMb: { label: "sextant serve: resident memory", unit: "mb" },
  importMs: { label: "embedded router: import", unit: "ms" },
  openMs: { label: "embedded router: open", unit: "ms" },
  routerMb: { label: "embedded router: resident memory when open", unit: "mb" },
  nodeMb: { label: "bare Node: resident memory", unit: "mb" },
  route: { label: "sextant route", unit: "ms" },
  version: { label: "sextant --version", unit: "ms" },
} as const;

async function startAll(): Promise<Start> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-start-"));
  const environment = { SEXTANT_DATA_DIR: folder, OPENAI_API_KEY: "sk-unused" };
  try {
    const server = await startServer("sextant serve", {
      args: [MAIN, "serve"],
      environment: { ...environment, SEXTANT_PORT: "0", SEXTANT_LOG_LEVEL: "silent" },
    });
    await wait(SETTLE_MS);
    const serverMb = await server.residentMb();
    await server.stop();
    const program = [join(import.meta.dirname, "embed-once.js"), join("src", "engine", "dist", "index.js")];
    const { stdout } = await run(process.execPath, program);
    const { node, imported, opened } = JSON.parse(stdout) as Opening;
    return {
      ...{ ready: server.readyMs, serverMb },
      ...{ importMs: imported.ms - node.ms, openMs: opened.ms - imported.ms },
      ...{ routerMb: opened.mb, nodeMb: node.mb },
      route: await msOf(["route", "What is 2 + 2?"], environment),
      version: await msOf(["--version"], environment),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function msOf(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<number> {
  const started = performance.now();
  await run(process.execPath, [MAIN, ...args], { env: { ...process.env, ...environment } });
  return performance.now() - started;
}

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: "string", default: "9" }, help: { type: "boolean", default: false } },
  });
  if (values.help) return console.log(USAGE);
  const rounds = wholeNumber("--rounds", { text: values.rounds, least: 1 });
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const bar = showProgress("Starting in turn", rounds + 1);
  const starts: Start[] = [];
  // The first round brings the files into the system's cache, and is thrown away.
  for (let round = 0; round <= rounds; round++) {
    const start = await startAll();
    if (round > 0) starts.push(start);
    bar.update(round + 1);
  }
  bar.stop();
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "startup", environment, datasets: [], seeds: [] },
    question: "How long does a start take, and how much memory?",
    command: ["npm run bench -- startup", ...args].join(" "),
    figures: (Object.keys(FIGURES) as (keyof typeof FIGURES)[]).map((name) => {
      const samples = starts.map((start) => start[name]);
      const { label, unit } = FIGURES[name];
      return {
        ...{ id: `startup/${name.toLowerCase()}`, label, unit, better: "lower" },
        ...{ value: median(samples), samples },
      };
    }),
    notes: [
      `${rounds} starts of each, with the shipped embedder and profiles, in an empty data folder.`,
      "Ready is the line that says so; the store of traces may still be opening then, as GET /readyz tells.",
    ],
  };
  console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
}

await main(process.argv.slice(2));
