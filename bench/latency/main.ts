/**
 * What does a decision cost, and which part of it costs what, at which length of the prompt, how many models and how many
 * anchors? Times come from one core that may be shared, so every case is timed in turn with a reference (the bare ONNX
 * run on a prompt of the same length, or the bare scan of the anchors) and the ratio is what to compare between machines
 * and commits. Microseconds from a machine with more load than cores are worthless; the ratios then still hold within a
 * few tenths.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Embedder } from "../../src/embedding/embedder.js";
import { type OnnxSession, openOnnxSession } from "../../src/embedding/static/onnx-session.js";
import { openStaticEmbedder } from "../../src/embedding/static/static-embedder.js";
import { parseTokenizerFile } from "../../src/embedding/static/tokenizer-file.js";
import { WordPieceTokenizer } from "../../src/embedding/static/wordpiece.js";
import { createExactIndex } from "../../src/profiles/index/exact.js";
import { openKernel } from "../../src/profiles/index/similarity.js";
import type { ModelFacts } from "../../src/router/candidate.js";
import { decide } from "../../src/router/decide.js";
import { createRouter } from "../../src/router/router.js";
import { screenCandidates } from "../../src/router/screening.js";
import { createSnapshot } from "../../src/router/snapshot.js";
import { describeEnvironment, environmentLine } from "../environment.js";
import { markdownTable, writeReport } from "../report.js";
import { type TimedCase, type Timing, timeInterleaved } from "./interleave.js";
import { makePrompt, seededRandom } from "./prompts.js";
import { embedAnchors, openSyntheticSet } from "./synthetic-set.js";

const MODEL_FOLDER = join("models", "sextant-static-v1");
const LENGTHS = [10, 50, 200, 1_000];
const MODELS = [10, 100];
const ANCHORS = [5_000, 25_000];
/** Prompts of each length, so that no branch is learnt by heart. */
const PROMPTS = 64;
const NEIGHBOURS = 64;
const ROUNDS = 15;
const MILLISECONDS = 40;

interface Parts {
  readonly embedder: Embedder;
  readonly tokenizer: WordPieceTokenizer;
  readonly session: OnnxSession;
  /** By length in tokens. */
  readonly prompts: ReadonlyMap<number, readonly string[]>;
}

async function openParts(): Promise<Parts> {
  const tokenizerPath = join(MODEL_FOLDER, "tokenizer.json");
  const tokenizer = new WordPieceTokenizer(
    parseTokenizerFile(await readFile(tokenizerPath, "utf8"), tokenizerPath),
  );
  const onnxPath = join(MODEL_FOLDER, "onnx", "model.onnx");
  return {
    embedder: await openStaticEmbedder(MODEL_FOLDER),
    tokenizer,
    session: await openOnnxSession(await readFile(onnxPath), onnxPath),
    prompts: new Map(LENGTHS.map((tokens) => [tokens, promptsOf(tokens, tokenizer)])),
  };
}

/** Prompts of exactly `tokens` tokens. */
function promptsOf(tokens: number, tokenizer: WordPieceTokenizer): string[] {
  const random = seededRandom(tokens);
  const ids = new Int32Array(tokens + 1);
  return Array.from({ length: PROMPTS }, (_, topic) => {
    for (;;) {
      const words = makePrompt(topic, tokens, random).split(" ");
      while (tokenizer.encode(words.join(" "), ids) > tokens) words.pop();
      if (tokenizer.encode(words.join(" "), ids) === tokens) return words.join(" ");
    }
  });
}

const at = <Item>(items: readonly Item[], execution: number): Item => items[execution % items.length] as Item;
const onnxName = (tokens: number): string => `bare ONNX run, ${tokens} tokens`;

function embeddingCases({ embedder, tokenizer, session, prompts }: Parts): TimedCase[] {
  return LENGTHS.flatMap((tokens) => {
    const texts = prompts.get(tokens) ?? [];
    const ids = texts.map((text) => {
      const encoded = new Int32Array(tokens);
      tokenizer.encode(text, encoded);
      return BigInt64Array.from(encoded, BigInt);
    });
    const scratch = new Int32Array(tokens);
    const reference = onnxName(tokens);
    return [
      { name: reference, run: (execution) => session.run(at(ids, execution), 1) },
      { name: `tokenise, ${tokens} tokens`, reference, run: (n) => tokenizer.encode(at(texts, n), scratch) },
      { name: `embed, ${tokens} tokens`, reference, run: (n) => embedder.embed([at(texts, n)]) },
    ] satisfies TimedCase[];
  });
}

async function searchCases({ embedder, prompts }: Parts): Promise<TimedCase[]> {
  const queries = await embedder.embed(prompts.get(50) ?? []);
  const cases: TimedCase[] = [];
  for (const anchors of ANCHORS) {
    const vectors = await embedAnchors(anchors, embedder);
    const kernel = openKernel(vectors);
    const index = createExactIndex(vectors);
    const reference = `bare scan, ${anchors} anchors`;
    const scan = (execution: number) => {
      kernel.load(at(queries, execution));
      return kernel.all();
    };
    cases.push({ name: reference, run: scan });
    for (const k of [NEIGHBOURS, 400]) {
      const run = (execution: number) => index.search(at(queries, execution), k);
      cases.push({ name: `search ${k} nearest, ${anchors} anchors`, reference, run });
    }
  }
  return cases;
}

/** Prices a thousandfold apart, so that the cost knob has work to do. */
function factsOf(model: string): ModelFacts {
  const price = 0.05 * 1_000 ** (Number(model.slice(-3)) / 100);
  return {
    provider: "synthetic",
    price: { inputUsdPerMtok: price, outputUsdPerMtok: 4 * price },
    contextTokens: null,
    capabilities: { images: null, tools: null },
  };
}

async function decisionCases({ embedder, prompts }: Parts): Promise<TimedCase[]> {
  const cases: TimedCase[] = [];
  const queries = await embedder.embed(prompts.get(50) ?? []);
  for (const anchors of ANCHORS) {
    for (const models of MODELS) {
      const set = await openSyntheticSet({ anchors, models }, embedder);
      const size = `${anchors} anchors, ${models} models`;
      const snapshot = createSnapshot([set], factsOf);
      const messages = (prompts.get(50) ?? []).map((content) => [{ role: "user" as const, content }]);
      const screening = screenCandidates({ messages: at(messages, 0) }, snapshot);
      const found = queries.map((query) => snapshot.search(query));
      const options = { knob: snapshot.knob.at(0.3), pairedCorrelation: snapshot.pairedCorrelation };
      const reference = onnxName(50);
      cases.push(
        { name: `search and evidence, ${size}`, reference, run: (n) => snapshot.search(at(queries, n)) },
        {
          name: `score and decide, ${size}`,
          reference,
          run: (n) => decide(snapshot.estimate(at(found, n), screening), options),
        },
      );
      const clock = () => performance.now();
      const router = createRouter({ embedder, sets: [set], lookup: factsOf, clock });
      for (const tokens of LENGTHS) cases.push(decisionCase({ router, prompts, tokens, size }));
    }
  }
  return cases;
}

interface DecisionCase {
  readonly router: ReturnType<typeof createRouter>;
  readonly prompts: Parts["prompts"];
  readonly tokens: number;
  readonly size: string;
}

function decisionCase({ router, prompts, tokens, size }: DecisionCase): TimedCase {
  const requests = (prompts.get(tokens) ?? []).map((content) => ({
    messages: [{ role: "user" as const, content }],
    costWeight: 0.3,
  }));
  return {
    name: `whole decision, ${tokens} tokens, ${size}`,
    reference: onnxName(tokens),
    run: (execution) => router.route(at(requests, execution)),
  };
}

interface Goal {
  readonly text: string;
  readonly value: number;
  readonly limit: number;
}

/** The goals of the design (ROUTING.md §6), as this run finds them. */
function goalsOf(timings: readonly Timing[]): Goal[] {
  const p50 = (models: number) =>
    timings.find(({ name }) => name === `whole decision, 50 tokens, 5000 anchors, ${models} models`)?.p50 ??
    Number.NaN;
  return [
    {
      text: "whole decision at 50 tokens, 5,000 anchors, 10 models: ms, p50",
      value: p50(10) / 1_000,
      limit: 0.12,
    },
    { text: "the same with 100 models: × 10 models", value: p50(100) / p50(10), limit: 1.2 },
  ];
}

function printReport(timings: readonly Timing[], goals: readonly Goal[]): void {
  const micros = (value: number) => value.toFixed(value < 10 ? 2 : 1);
  const rows = timings.map(({ name, reference, p50, p99, ratio }) => [
    name,
    micros(p50),
    micros(p99),
    ratio === null ? "reference" : `${ratio.toFixed(2)} × ${reference}`,
  ]);
  console.log(`\n${markdownTable(["case", "p50 µs", "p99 µs", "ratio"], rows)}\n`);
  for (const { text, value, limit } of goals) {
    console.log(`${value <= limit ? "reached" : "MISSED"}: ${text}: ${value.toFixed(3)} (goal ≤ ${limit})`);
  }
}

const environment = describeEnvironment(new Date());
console.log(environmentLine(environment));
const parts = await openParts();
const cases = [...embeddingCases(parts), ...(await searchCases(parts)), ...(await decisionCases(parts))];
const timings = await timeInterleaved(cases, {
  rounds: ROUNDS,
  milliseconds: MILLISECONDS,
  onRound: (done, total) => {
    if (process.stderr.isTTY) process.stderr.write(`\rround ${done} of ${total} `);
  },
});
const goals = goalsOf(timings);
printReport(timings, goals);
const rows = timings.map((timing) => ({ ...timing }));
const path = await writeReport({
  name: "latency",
  question: "What does a decision cost, and which part of it costs what?",
  environment,
  rows,
});
console.log(`\nwritten to ${path}`);
await parts.embedder.close();
