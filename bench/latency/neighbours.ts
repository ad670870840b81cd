/**
 * From how many anchors on is walking an HNSW graph quicker than comparing all of them, at a recall of at least .98? And
 * does hnswlib's own search of the same graph do better? Recall depends on the vectors: give real prompts
 * (`--prompts FILE…`, JSON lines with `prompt`), since made-up ones, used otherwise, flatter every index. Times are
 * worthless with more load than cores; the ratios, measured in turn, hold within a tenth or two.
 *
 *   npm run bench:neighbours -- [--sizes 1000,5000,25000] [--prompts FILE…]
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import hnswlib from "hnswlib-node";
import type { Embedder } from "../../src/embedding/embedder.js";
import { openStaticEmbedder } from "../../src/embedding/static/static-embedder.js";
import type { AnchorIndex } from "../../src/profiles/anchor-index.js";
import { type AnchorVectors, decodeRow, quantise } from "../../src/profiles/anchor-vectors.js";
import { createExactIndex } from "../../src/profiles/index/exact.js";
import { serialiseGraph } from "../../src/profiles/index/graph-format.js";
import { buildGraph, createHnswIndex, type GraphBuilderAddon } from "../../src/profiles/index/hnsw.js";
import { readPrompts } from "../../src/profiles/outcomes/read-prompts.js";
import { describeEnvironment, environmentLine } from "../environment.js";
import { markdownTable, writeReport } from "../report.js";
import { timeInterleaved } from "./interleave.js";
import { makePrompt, seededRandom } from "./prompts.js";

const QUERIES = 300;
const NEIGHBOURS = [64, 400];
const ROUNDS = 9;
const MILLISECONDS = 60;
/** hnswlib's list of candidates, as createHnswIndex sets its own. */
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

/** Builds with an addon that hands over the native index, so that its own search can be timed on the same graph. */
async function buildBoth(vectors: AnchorVectors) {
  let native: InstanceType<typeof hnswlib.HierarchicalNSW> | undefined;
  const addon: GraphBuilderAddon = {
    HierarchicalNSW: class extends hnswlib.HierarchicalNSW {
      constructor(space: "ip", dimensions: number) {
        super(space, dimensions);
        native = this;
      }
    },
  };
  const started = performance.now();
  const built = await buildGraph(vectors, { scratchDir: tmpdir(), loadAddon: async () => addon });
  if (built.status !== "ready" || !native) throw new Error("the graph could not be built");
  return { graph: built.graph, native, seconds: (performance.now() - started) / 1_000 };
}

/** Share of the k nearest that were found; one of two equally near is as good as the other. */
function recallOf(
  found: AnchorIndex,
  exact: AnchorIndex,
  options: { queries: Corpus["queries"]; k: number },
): number {
  let hits = 0;
  for (const query of options.queries) {
    const bar = exact.search(query, options.k).similarities.at(-1) ?? 1;
    hits += found.search(query, options.k).similarities.filter((similarity) => similarity >= bar).length;
  }
  return hits / (options.k * options.queries.length);
}

async function compareAt(size: number, corpus: Corpus, dimensions: number) {
  const vectors = sample(corpus, dimensions, size);
  const exact = createExactIndex(vectors);
  const { graph, native, seconds } = await buildBoth(vectors);
  const hnsw = createHnswIndex(vectors, graph, { walk: "when possible" });
  const { queries } = corpus;
  const at = (execution: number) => queries[execution % queries.length] ?? decodeRow(vectors, 0);
  const rows = [];
  for (const k of NEIGHBOURS.filter((each) => LIBRARY_CANDIDATES(each) < size)) {
    native.setEf(LIBRARY_CANDIDATES(k));
    const timings = await timeInterleaved(
      [
        { name: "scan", run: (n) => exact.search(at(n), k) },
        { name: "walk", reference: "scan", run: (n) => hnsw.search(at(n), k) },
        { name: "library", reference: "scan", run: (n) => native.searchKnn([...at(n)], k) },
      ],
      { rounds: ROUNDS, milliseconds: MILLISECONDS },
    );
    const [scan, walk, library] = timings;
    rows.push({
      anchors: size,
      k,
      scanMicros: scan?.p50 ?? null,
      walkMicros: walk?.p50 ?? null,
      walkRatio: walk?.ratio ?? null,
      libraryRatio: library?.ratio ?? null,
      recall: recallOf(hnsw, exact, { queries, k }),
      buildSeconds: seconds,
      graphBytes: serialiseGraph(graph).length,
    });
  }
  return rows;
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
const environment = describeEnvironment(new Date());
console.log(environmentLine(environment));
const embedder = await openStaticEmbedder(join("models", "sextant-static-v1"));
const prompts = files.length > 0 ? await promptsFrom(files) : madeUpPrompts(Math.max(...sizes) + QUERIES);
console.log(
  `${prompts.length} ${files.length > 0 ? "prompts read" : "made-up prompts: recall is flattered"}`,
);
const corpus = await embedCorpus(prompts, embedder);
const rows = [];
for (const size of sizes) {
  if (size > corpus.rows.length / embedder.dimensions) console.log(`${size}: there are not so many prompts`);
  else rows.push(...(await compareAt(size, corpus, embedder.dimensions)));
}
const header = [
  "anchors",
  "k",
  "scan µs",
  "walk µs",
  "walk ÷ scan",
  "hnswlib ÷ scan",
  "recall",
  "build s",
  "graph kB",
];
const cells = rows.map((row) => [
  String(row.anchors),
  String(row.k),
  (row.scanMicros ?? 0).toFixed(1),
  (row.walkMicros ?? 0).toFixed(1),
  (row.walkRatio ?? 0).toFixed(2),
  (row.libraryRatio ?? 0).toFixed(2),
  row.recall.toFixed(4),
  row.buildSeconds.toFixed(1),
  (row.graphBytes / 1_000).toFixed(0),
]);
console.log(`\n${markdownTable(header, cells)}\n`);
const question = "From how many anchors on is walking a graph quicker than comparing all anchors?";
console.log(`written to ${await writeReport({ name: "neighbours", question, environment, rows })}`);
await embedder.close();
