/**
 * Which index finds the nearest anchors fastest with a recall of at least .98, at each number of anchors? The basis of
 * `profile build --index auto`. Measured for in-distribution queries and for generated, out-of-distribution prompts.
 * Times are unreliable with more load than cores; the interleaved ratios to exact search are accurate to a tenth or
 * two.
 *
 * hnswlib-node is installed from its own lockfile at the first run, which requires a C++ compiler.
 *
 * `npm run bench -- neighbours [--sizes 1000,5000,25000]`
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStaticEmbedder } from "../../src/engine/embedding/static/static-embedder.js";
import type { AnchorIndex } from "../../src/engine/search/anchor-index.js";
import type { AnchorVectors } from "../../src/engine/search/anchor-vectors.js";
import { createExactIndex } from "../../src/engine/search/exact-index.js";
import { buildHnswGraph, createHnswIndex } from "../../src/engine/search/hnsw-index.js";
import type { HnswLibrary } from "../../src/engine/search/hnsw-library.js";
import { buildIvfLists } from "../../src/engine/search/ivf-build.js";
import { createIvfIndex } from "../../src/engine/search/ivf-index.js";
import { describeEnvironment, environmentLine } from "../environment.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median } from "../report/statistics.js";
import { realisticAnchors } from "./anchors.js";
import { installHnswLibrary } from "./hnsw-library.js";
import { type Timing, timeAt, timeInterleaved } from "./interleave.js";
import { makePrompt, seededRandom } from "./prompts.js";
import { queriesAmong, recallOf } from "./recall.js";

const MADE_UP = 100;
const WORDS = 35;
const NEIGHBOURS = [64, 128];
const ROUNDS = 9;
const MILLISECONDS = 60;

function madeUpPrompts(): string[] {
  const random = seededRandom(5);
  return Array.from({ length: MADE_UP }, (_, topic) => makePrompt(topic, WORDS, random));
}

interface BuiltIndex {
  readonly index: AnchorIndex;
  readonly seconds: number;
}

async function timeBuild(build: () => Promise<AnchorIndex>): Promise<BuiltIndex> {
  const started = performance.now();
  const index = await build();
  return { index, seconds: (performance.now() - started) / 1_000 };
}

const buildIvf = async (vectors: AnchorVectors): Promise<AnchorIndex> =>
  createIvfIndex(vectors, await buildIvfLists(vectors));

async function buildHnsw(vectors: AnchorVectors, library: HnswLibrary): Promise<AnchorIndex> {
  return createHnswIndex(vectors, await buildHnswGraph(vectors, { library }));
}

interface Comparison {
  readonly unlikeAny: readonly Float32Array[];
  readonly library: HnswLibrary;
}

async function compareIndexes(vectors: AnchorVectors, { unlikeAny, library }: Comparison): Promise<Figure[]> {
  const exact = createExactIndex(vectors);
  const built = [
    await timeBuild(() => buildIvf(vectors)),
    await timeBuild(() => buildHnsw(vectors, library)),
  ];
  const path = `neighbours/a${vectors.count}`;
  const name = `${vectors.count.toLocaleString("en-US")} anchors`;
  const figures = built.map(({ index: { kind }, seconds }): Figure => {
    const of = { id: `${path}/${kind}/build`, label: `building ${kind} of ${name}` };
    return { ...of, value: seconds, unit: "s", better: "lower" };
  });
  const indexes = built.map(({ index }) => index);
  const kinds = { among: queriesAmong(vectors, exact), unlike: unlikeAny };
  for (const [where, queries] of Object.entries(kinds)) {
    const at = (execution: number) => queries[execution % queries.length] as Float32Array;
    for (const k of NEIGHBOURS) {
      const of = `${path}/${where}/k${k}`;
      const label = `${k} of ${name}, ${where === "among" ? "among them" : "unlike any"}`;
      const cases = [exact, ...indexes].map((index) => ({
        ...{ id: `${of}/${index.kind}`, label: `${index.kind}, ${label}` },
        run: (execution: number) => index.search(at(execution), k),
      }));
      figures.push(
        ...figuresOf(await timeInterleaved(cases, { rounds: ROUNDS, milliseconds: MILLISECONDS })),
      );
      figures.push(
        ...indexes.map(
          (index): Figure => ({
            ...{ id: `${of}/${index.kind}/recall`, label: `${index.kind}, recall, ${label}`, unit: "share" },
            ...{ value: recallOf(index, exact, { queries, k }), better: "higher", goal: 0.98 },
          }),
        ),
      );
    }
  }
  return figures;
}

/** Times, and their ratios to the first. */
function figuresOf(timings: readonly Timing[]): Figure[] {
  const [reference] = timings;
  return timings.flatMap((timing): Figure[] => {
    const times = timing.rounds.map((round) => timeAt(round, 0.5));
    const time = {
      id: `${timing.id}/p50`,
      label: `${timing.label}, p50`,
      value: median(times),
      samples: times,
    };
    const figures: Figure[] = [{ ...time, unit: "us", better: "lower" }];
    if (reference === undefined || timing === reference) return figures;
    const ratios = timing.rounds.map(
      (round, index) => timeAt(round, 0.5) / timeAt(reference.rounds[index] ?? round, 0.5),
    );
    const ratio = {
      id: `${timing.id}/p50_ratio`,
      label: `${timing.label}, p50 ÷ exact`,
      value: median(ratios),
    };
    figures.push({
      ...{ ...ratio, samples: ratios, unit: "ratio", better: "lower", against: `${reference.id}/p50` },
    });
    return figures;
  });
}

function resultOf(figures: readonly Figure[], command: string): BenchmarkResult {
  const line = (kind: string) => ({
    ...{ name: kind, mark: "line" as const, ours: kind !== "hnsw" },
    points: figures.flatMap(({ id, value }) => {
      const size = new RegExp(`^neighbours/a(\\d+)/unlike/k64/${kind}/p50$`).exec(id)?.[1];
      return size === undefined || value === null ? [] : [{ x: Number(size), y: value }];
    }),
  });
  return {
    ...{ version: RESULT_VERSION, suite: "neighbours", command, datasets: [], seeds: [] },
    figures: [...figures],
    question: "Which index is fastest at a recall of .98?",
    environment: describeEnvironment(new Date()),
    charts: [
      {
        ...{ id: "neighbours/search", kind: "scaling", title: "Finding the 64 nearest" },
        caption: "Queries unlike any anchor, the most expensive ones.",
        ...{ x: { label: "anchors", scale: "log" }, y: { label: "µs, p50", scale: "log" } },
        series: ["exact", "ivf", "hnsw"].map(line),
      },
    ],
    notes: ["Anchors are the shipped set's; beyond their number, copies moved within their neighbourhoods."],
  };
}

const USAGE = `npm run bench -- neighbours [options]

  --sizes <n,…>    numbers of anchors (default 5000,10000,25000,100000)
  --small          --sizes 1000,5000`;

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(USAGE);
  const { values } = parseArgs({
    args: [...args],
    options: { sizes: { type: "string", default: "5000,10000,25000,100000" } },
  });
  const sizes = values.sizes.split(",").map(Number);
  console.log(environmentLine(describeEnvironment(new Date())));
  const library = installHnswLibrary();
  const embedder = await openStaticEmbedder(join("models", "sextant-static-v1"));
  const unlikeAny = await embedder.embed(madeUpPrompts());
  const figures: Figure[] = [];
  const progress = showProgress("Searching", sizes.length);
  for (const [done, size] of sizes.entries()) {
    figures.push(...(await compareIndexes(await realisticAnchors(size, embedder), { unlikeAny, library })));
    progress.update(done + 1);
  }
  progress.stop();
  const result = resultOf(figures, `npm run bench -- neighbours --sizes ${values.sizes}`);
  console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
  await embedder.close();
}

await main(process.argv.slice(2));
