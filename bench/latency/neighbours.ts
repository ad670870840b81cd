/**
 * From how many anchors on is an IVF search faster than an exact one, at a recall of at least .98? And is an HNSW graph,
 * hnswlib's, faster still? Recall depends on the vectors: give real prompts
 * (`--prompts FILE…`, JSON lines with `prompt`), since made-up ones, used otherwise, flatter every index. Times are
 * worthless with more load than cores; the ratios, measured in turn, hold within a tenth or two.
 *
 * hnswlib is installed from its own lockfile at the first run, which takes a C++ compiler.
 *
 *   npm run bench -- neighbours [--sizes 1000,5000,25000] [--prompts FILE…]
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Embedder } from "../../src/embedding/embedder.js";
import { openStaticEmbedder } from "../../src/embedding/static/static-embedder.js";
import { readPrompts } from "../../src/profiles/outcomes/read-prompts.js";
import type { AnchorIndex } from "../../src/search/anchor-index.js";
import { type AnchorVectors, decodeRow, quantise } from "../../src/search/anchor-vectors.js";
import { createExactIndex } from "../../src/search/exact-index.js";
import { buildIvfLists } from "../../src/search/ivf-build.js";
import { encodeIvfLists } from "../../src/search/ivf-format.js";
import { createIvfIndex } from "../../src/search/ivf-index.js";
import { describeEnvironment, environmentLine } from "../environment.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median } from "../report/statistics.js";
import { type Timing, timeAt, timeInterleaved } from "./interleave.js";
import { makePrompt, seededRandom } from "./prompts.js";

const QUERIES = 300;
const NEIGHBOURS = [64, 400];
const ROUNDS = 9;
const MILLISECONDS = 60;
/** hnswlib's list of candidates: what 98 % of the nearest need. */
const LIBRARY_CANDIDATES = (k: number) => Math.max(160, 2 * k);

interface Corpus {
  /** f32 `[prompts × dimensions]`. */
  readonly rows: Float32Array;
  readonly queries: readonly Float32Array[];
}

/** Every n-th prompt is a query and no anchor. */
async function embedCorpus(prompts: readonly string[], embedder: Embedder): Promise<Corpus> {
  const stride = Math.floor(prompts.length / QUERIES);
  const isQuery = (at: number) => at % stride === 0 && at / stride < QUERIES;
  const queries = await embedder.embed(prompts.filter((_, at) => isQuery(at)));
  const anchors = prompts.filter((_, at) => !isQuery(at));
  const rows = new Float32Array(anchors.length * embedder.dimensions);
  for (let start = 0; start < anchors.length; start += 500) {
    const vectors = await embedder.embed(anchors.slice(start, start + 500));
    for (const [at, vector] of vectors.entries()) rows.set(vector, (start + at) * embedder.dimensions);
  }
  return { rows, queries };
}

async function promptsFrom(paths: readonly string[]): Promise<string[]> {
  const prompts: string[] = [];
  for (const path of paths) for await (const { text } of readPrompts(path)) prompts.push(text);
  return prompts;
}

function madeUpPrompts(count: number): string[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, topic) =>
    makePrompt(topic, 8 + Math.floor(64 * random()), random),
  );
}

/** An even sample, in order, so that what lay together still does. */
function sample({ rows }: Corpus, dimensions: number, size: number): AnchorVectors {
  const total = rows.length / dimensions;
  const chosen = new Float32Array(size * dimensions);
  for (let anchor = 0; anchor < size; anchor++) {
    const from = Math.floor((anchor * total) / size) * dimensions;
    chosen.set(rows.subarray(from, from + dimensions), anchor * dimensions);
  }
  return quantise(chosen, dimensions);
}

/** What is used of hnswlib-node. */
interface GraphLibrary {
  readonly HierarchicalNSW: new (
    space: "ip",
    dimensions: number,
  ) => {
    initIndex(size: number, links: number, buildCandidates: number, seed: number): void;
    addPoint(vector: readonly number[], label: number): void;
    setEf(candidates: number): void;
    searchKnn(query: readonly number[], k: number): { readonly neighbors: readonly number[] };
  };
}

const LIBRARY = resolve("bench", "latency", "hnswlib");

/** It is compared with and nothing else needs it, so it is installed, and compiled, from a lockfile of its own. */
function openGraphLibrary(): GraphLibrary {
  if (!existsSync(join(LIBRARY, "node_modules"))) {
    console.log("installing hnswlib from its lockfile, which takes a C++ compiler …");
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: LIBRARY, stdio: "inherit" });
  }
  return createRequire(join(LIBRARY, "package.json"))("hnswlib-node") as GraphLibrary;
}

/** hnswlib's graph, with the parameters that found 98 % of the nearest at the least time (docs/decisions/0002-nearest-neighbours.md). */
function buildGraph(vectors: AnchorVectors, library: GraphLibrary) {
  const started = performance.now();
  const graph = new library.HierarchicalNSW("ip", vectors.dimensions);
  graph.initIndex(vectors.count, 32, 200, 100);
  for (let anchor = 0; anchor < vectors.count; anchor++)
    graph.addPoint([...decodeRow(vectors, anchor)], anchor);
  return { graph, seconds: (performance.now() - started) / 1_000 };
}

async function timeIvfBuild(vectors: AnchorVectors) {
  const started = performance.now();
  const lists = await buildIvfLists(vectors);
  return { lists, seconds: (performance.now() - started) / 1_000 };
}

/** Share of the k nearest that were found; one of two equally near is as good as the other. */
function recallOf(
  found: AnchorIndex,
  exact: AnchorIndex,
  options: { queries: Corpus["queries"]; k: number },
): number {
  let hits = 0;
  for (const query of options.queries) {
    const threshold = exact.search(query, options.k).similarities.at(-1) ?? 1;
    hits += found
      .search(query, options.k)
      .similarities.filter((similarity) => similarity >= threshold).length;
  }
  return hits / (options.k * options.queries.length);
}

interface Comparison {
  readonly corpus: Corpus;
  readonly dimensions: number;
  readonly library: GraphLibrary;
}

async function compareAt(size: number, { corpus, dimensions, library }: Comparison): Promise<Figure[]> {
  const vectors = sample(corpus, dimensions, size);
  const exact = createExactIndex(vectors);
  const { lists, seconds } = await timeIvfBuild(vectors);
  const built = buildGraph(vectors, library);
  const index = createIvfIndex(vectors, lists);
  const { queries } = corpus;
  const at = (execution: number) => queries[execution % queries.length] ?? decodeRow(vectors, 0);
  const path = `neighbours/a${size}`;
  const name = `${size.toLocaleString("en-US")} anchors`;
  const figures: Figure[] = [
    {
      id: `${path}/build`,
      label: `building the IVF lists of ${name}`,
      value: seconds,
      unit: "s",
      better: "lower",
    },
    {
      ...{ id: `${path}/ivf`, label: `the IVF lists of ${name}`, value: encodeIvfLists(lists).length },
      ...{ unit: "bytes", better: "lower" },
    },
    {
      ...{ id: `${path}/build_hnswlib`, label: `building hnswlib's graph of ${name}`, value: built.seconds },
      ...{ unit: "s", better: "lower" },
    },
  ];
  for (const k of NEIGHBOURS.filter((each) => LIBRARY_CANDIDATES(each) < size)) {
    built.graph.setEf(LIBRARY_CANDIDATES(k));
    const of = `k${k}`;
    const timings = await timeInterleaved(
      [
        { id: `${path}/${of}/scan`, label: `scan, ${k} of ${name}`, run: (n) => exact.search(at(n), k) },
        { id: `${path}/${of}/ivf`, label: `IVF, ${k} of ${name}`, run: (n) => index.search(at(n), k) },
        {
          ...{ id: `${path}/${of}/hnswlib`, label: `hnswlib, ${k} of ${name}` },
          run: (n) => built.graph.searchKnn([...at(n)], k),
        },
      ],
      { rounds: ROUNDS, milliseconds: MILLISECONDS },
    );
    figures.push(...figuresOf(timings), {
      ...{ id: `${path}/${of}/recall`, label: `recall of the IVF index, ${k} of ${name}`, unit: "share" },
      ...{ value: recallOf(index, exact, { queries, k }), better: "higher", goal: 0.98 },
    });
  }
  return figures;
}

/** The first is what the others' ratios are taken to. */
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
      label: `${timing.label}, p50 ÷ scan`,
      value: median(ratios),
    };
    figures.push({
      ...{ ...ratio, samples: ratios, unit: "ratio", better: "lower", against: `${reference.id}/p50` },
    });
    return figures;
  });
}

function resultOf(figures: readonly Figure[], command: string, source: string): BenchmarkResult {
  const points = (end: string) =>
    figures.flatMap(({ id, value }) => {
      const size = new RegExp(`^neighbours/a(\\d+)/${end}$`).exec(id)?.[1];
      return size === undefined || value === null ? [] : [{ x: Number(size), y: value }];
    });
  const line = (name: string, kind: string, ours: boolean) => ({
    ...{ name, mark: "line" as const, ours, points: points(`k64/${kind}/p50`) },
  });
  return {
    ...{
      version: RESULT_VERSION,
      suite: "neighbours",
      command,
      datasets: [],
      seeds: [],
      figures: [...figures],
    },
    question: "From how many anchors on is an IVF search faster than an exact one?",
    environment: describeEnvironment(new Date()),
    charts: [
      {
        ...{ id: "neighbours/search", kind: "scaling", title: "Finding the 64 nearest" },
        caption:
          "An exact search grows with the number of anchors, an IVF search with about its square root.",
        ...{ x: { label: "anchors", scale: "log" }, y: { label: "µs, p50", scale: "log" } },
        series: [line("IVF", "ivf", true), line("scan", "scan", false), line("hnswlib", "hnswlib", false)],
      },
    ],
    notes: [source],
  };
}

const { values, positionals } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000,2000,5000,10000,25000" },
    prompts: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});
const sizes = values.sizes.split(",").map(Number);
const files = [...values.prompts, ...positionals];
console.log(environmentLine(describeEnvironment(new Date())));
const embedder = await openStaticEmbedder(join("models", "sextant-static-v1"));
const prompts = files.length > 0 ? await promptsFrom(files) : madeUpPrompts(Math.max(...sizes) + QUERIES);
const source = `${prompts.length} ${files.length > 0 ? "prompts read" : "made-up prompts: recall is flattered"}.`;
const corpus = await embedCorpus(prompts, embedder);
const library = openGraphLibrary();
const figures: Figure[] = [];
const bar = showProgress("Searching", sizes.length);
for (const [done, size] of sizes.entries()) {
  if (size > corpus.rows.length / embedder.dimensions) console.log(`${size}: there are not so many prompts`);
  else figures.push(...(await compareAt(size, { corpus, dimensions: embedder.dimensions, library })));
  bar.update(done + 1);
}
bar.stop();
const result = resultOf(figures, `npm run bench -- neighbours --sizes ${values.sizes}`, source);
console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
await embedder.close();
