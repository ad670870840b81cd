/**
 * What is lost in a crash? A gateway is killed (SIGKILL) at a random moment under routing requests, repeatedly on the
 * same data; after each kill the next one reports which answered requests have a trace. A trace that was visible once
 * must never be lost, and the file never damaged.
 *
 * `npm run bench -- crash --times 20`
 */
import { parseArgs } from "node:util";
import { seededRandom } from "../../src/foundation/random.js";
import { describeEnvironment, environmentLine } from "../environment.js";
import { markdownTable } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median } from "../report/statistics.js";
import { type Aftermath, lookAfter, startUsable } from "./aftermath.js";
import { makeBenchStore } from "./bench-store.js";
import { liveAndDie } from "./crash-life.js";
import { wholeNumber } from "./options.js";
import { routingBodies } from "./paced-load.js";
import { temporaryFolder } from "./temporary-folder.js";

/** From the first request to the kill. */
const SHORTEST_MS = 1000;
const LONGEST_MS = 6000;

async function measureCrashes(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(USAGE);
  const { times, perSecond, seed, clickhouseUrl } = parseCrashOptions(args);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const dataDir = await temporaryFolder("sextant-bench-crash-");
  const store = await makeBenchStore({ dataDir, ...(clickhouseUrl !== undefined && { clickhouseUrl }) });
  const random = seededRandom(seed);
  const bodies = routingBodies(seed);
  const aftermaths: Aftermath[] = [];
  const progress = showProgress(`killing gateways, ${times} of them`, times);
  let next = await startUsable(store.environment);
  try {
    let before = 0;
    for (let crash = 0; crash < times; crash++) {
      const ms = SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * random();
      const life = await liveAndDie(next.gateway, { bodies, perSecond, ms });
      next = await startUsable(store.environment);
      const { aftermath, total } = await lookAfter(life, next, { dataDir, before });
      aftermaths.push(aftermath);
      before = total;
      progress.update(crash + 1);
    }
  } finally {
    progress.stop();
    await next.gateway.kill();
    await store.remove();
  }
  console.log(`\n${printed(aftermaths)}`);
  const result: BenchmarkResult = {
    version: RESULT_VERSION,
    suite: "crash",
    question: "What does a crash of the gateway cost in traces?",
    command: `npm run bench -- crash --times ${times} --per-second ${perSecond} --seed ${seed}`,
    environment,
    datasets: [],
    seeds: [seed],
    figures: figuresOf(aftermaths),
    charts: [],
    notes: [
      `Store: ${store.name}. Killed after ${SHORTEST_MS} to ${LONGEST_MS} ms of ${perSecond} routing requests/s each.`,
    ],
  };
  console.log(`\nwritten to ${await writeResult(result)}`);
}

const USAGE = `npm run bench -- crash [options]

  --times <n>              kills (default 20)
  --per-second <n>         routing requests a second (default 1000)
  --seed <n>               of the made-up traces and the moments of the kills (default 1)
  --clickhouse-url <url>   a ClickHouse store instead of the DuckDB file
  --small                  --times 3`;

function parseCrashOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      times: { type: "string", default: "20" },
      "per-second": { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
      "clickhouse-url": { type: "string" },
    },
  });
  return {
    times: wholeNumber(values.times, { flag: "--times", least: 1 }),
    perSecond: wholeNumber(values["per-second"], { flag: "--per-second", least: 1 }),
    seed: wholeNumber(values.seed, { flag: "--seed", least: 0 }),
    clickhouseUrl: values["clickhouse-url"],
  };
}

function printed(aftermaths: readonly Aftermath[]): string {
  const rows = aftermaths.map((aftermath, index) => [
    String(index + 1),
    String(aftermath.answered),
    String(aftermath.kept),
    String(aftermath.lost),
    aftermath.oldestLostMs === null ? "–" : aftermath.oldestLostMs.toFixed(0),
    String(aftermath.gone),
    String(aftermath.twice),
    aftermath.damaged ? "YES" : "no",
    aftermath.usableMs.toFixed(0),
  ]);
  const header = [
    "kill",
    "answered",
    "kept",
    "lost",
    "oldest lost, ms before",
    "seen and gone",
    "twice",
    "damaged",
    "usable after ms",
  ];
  return markdownTable(header, rows);
}

function figuresOf(aftermaths: readonly Aftermath[]): Figure[] {
  const sum = (take: (aftermath: Aftermath) => number) =>
    aftermaths.reduce((total, aftermath) => total + take(aftermath), 0);
  const oldest = aftermaths.map(({ oldestLostMs }) => oldestLostMs ?? 0);
  const lower = { unit: "count", better: "lower" } as const;
  const answered = sum((aftermath) => aftermath.answered);
  return [
    { id: "crash/kills", label: "kills", value: aftermaths.length, unit: "count", better: "neither" },
    {
      id: "crash/answered",
      label: "requests answered",
      value: answered,
      unit: "count",
      better: "neither",
    },
    {
      id: "crash/lost",
      label: "of them without a trace",
      value: sum((aftermath) => aftermath.lost),
      ...lower,
    },
    {
      id: "crash/oldest-lost",
      label: "before the kill, the oldest lost was answered, most",
      value: Math.max(...oldest),
      unit: "ms",
      better: "lower",
      samples: oldest,
    },
    {
      id: "crash/gone",
      label: "traces that had been seen and are gone",
      value: sum((aftermath) => aftermath.gone),
      ...lower,
      goal: 0,
    },
    {
      id: "crash/twice",
      label: "traces that are there twice",
      value: sum((aftermath) => aftermath.twice),
      ...lower,
      goal: 0,
    },
    {
      id: "crash/damaged",
      label: "kills after which a file was damaged",
      value: sum((aftermath) => Number(aftermath.damaged)),
      ...lower,
      goal: 0,
    },
    {
      id: "crash/usable",
      label: "from the next start to the first answered search, p50",
      value: median(aftermaths.map(({ usableMs }) => usableMs)),
      unit: "ms",
      better: "lower",
    },
  ];
}

await measureCrashes(process.argv.slice(2));
