/**
 * Trains the model of answer lengths that ships beside the embedder and the table of hidden tokens, and prints how far off they are,
 * source by source.
 *
 *   npx tsx datasets/answer-lengths.ts [DATA]
 *
 * Reads DATA (../shared/data by default), `answer-length-guesses.json` and the shipped embedder; writes `answer-length.json` into the
 * embedder's folder, and `catalog/hidden-tokens.json`. Same input, same bytes. A minute.
 *
 * Measured lengths are medians over the models that answered a prompt. They are of exams, of a harness or of hard prompts more than of
 * everyday ones, whose lengths cannot be had under a licence that lets weights be built from them; those are guesses of ours, and
 * medians by kind of instruction (docs/decisions/answer-lengths.md).
 */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { openEmbedder } from "../src/engine/embedding/open-embedder.js";
import {
  type AnswerLengthFeatures,
  answerLengthFeatures,
  withAskedLength,
} from "../src/engine/estimation/answer-length-model.js";
import { solve } from "../src/workbench/fitting/linear-solve.js";
import { readParquetRows } from "../src/workbench/outcomes/parquet.js";
import { fitHiddenTokens, type HiddenCount, readMeans } from "./hidden-tokens.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const DATA = process.argv[2] ?? join(HERE, "../../shared/data");
const EMBEDDER = join(HERE, "../models/sextant-static-v1");

/** Weight of a source, times the root of its prompts. Harnesses that ask for a form count little. */
const WEIGHTS: Readonly<Record<string, number>> = {
  guesses: 9,
  own: 14,
  kinds: 5,
  arena_hard: 3,
  arena_creative: 2,
  arena_v0: 1.5,
  ctala: 1,
  trick: 0.7,
  bullshit: 1,
  misguided: 1,
  lrm: 1,
  pm: 0.3,
  sql: 0.25,
  svelte: 0.2,
  zoonk: 0.05,
  gsm: 0.2,
  "math-l5": 0.4,
};
/** Ridge penalties of a weight, for columns of unit variance and vectors of length `sqrt(dimensions)`. */
const FEATURE_PENALTY = 0.01;
const VECTOR_PENALTY = 1;
const CLIP = 4;
/** Scoring steps of a fit, and the largest change of a weight in one of them. */
const STEPS = 15;
const LARGEST_CHANGE = 0.5;
/** The models of Arena-Hard v0.1 answer at this share of the length of the other models of 2024 on its board (`arena_hard/model.csv`). */
const LENGTH_OF_V0 = 0.62;
/** Prompts of one source at most. */
const MOST_PROMPTS = 200;

interface Prompt {
  readonly source: string;
  readonly text: string;
  /** Log of the median visible tokens. */
  readonly log: number;
}

interface Guesses {
  readonly prompts: readonly { readonly prompt: string; readonly tokens: number }[];
  readonly by_row: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly stems: Readonly<Record<string, readonly string[]>>;
}

type Row = Readonly<Record<string, unknown>>;

const jsonl = async (file: string): Promise<Row[]> =>
  gunzipSync(await readFile(join(DATA, file)))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

async function parquet(file: string, columns: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { values } of readParquetRows(join(DATA, file), { columns })) rows.push(values as Row);
  return rows;
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
};

/** One entry per prompt with an answer: the median of the logarithms. */
function byPrompt(
  source: string,
  texts: ReadonlyMap<string, string>,
  answers: readonly { readonly id: string; readonly tokens: unknown }[],
): Prompt[] {
  const logs = new Map<string, number[]>();
  for (const { id, tokens } of answers) {
    // 64-bit integers of Parquet files are BigInt.
    const count = Number(tokens ?? 0);
    if (!(count > 0) || !texts.has(id)) continue;
    logs.set(id, [...(logs.get(id) ?? []), Math.log(Math.max(count, 1))]);
  }
  const found = [...logs].sort(([a], [b]) => (a < b ? -1 : 1));
  const step = Math.max(1, found.length / MOST_PROMPTS);
  return Array.from({ length: Math.min(found.length, MOST_PROMPTS) }, (_, at) => {
    const [id, values] = found[Math.floor(at * step)] as [string, number[]];
    return { source, text: texts.get(id) as string, log: median(values) };
  });
}

const textsOf = (rows: readonly Row[], idOf: (id: string) => string = (id) => id): Map<string, string> =>
  new Map(rows.map(({ id, prompt }) => [idOf(String(id)), String(prompt)]));
const lastPart = (id: string): string => id.slice(id.lastIndexOf("/") + 1);

/** Sets of outcomes with visible lengths, by a column and a factor to tokens. */
async function ofSet(source: string, folder: string, column: string, factor = 1): Promise<Prompt[]> {
  const texts = textsOf(await jsonl(`${folder}/prompts.jsonl.gz`));
  const rows = await parquet(`${folder}/outcomes.parquet`, ["id", column, "capped"]);
  const answers = rows
    .filter(({ capped }) => Number(capped ?? 0) === 0)
    .map((row) => ({ id: String(row.id), tokens: factor * Number(row[column] ?? 0) }));
  return byPrompt(source, texts, answers);
}

/** Lengths whose prompts are in a set of outcomes, under the last part of their ids. */
async function ofLengths(
  source: string,
  files: { readonly lengths: string; readonly prompts: string },
  column: string,
  factor = 1,
): Promise<Prompt[]> {
  const texts = textsOf(await jsonl(files.prompts), lastPart);
  const rows = await parquet(files.lengths, ["prompt_id", column]);
  const answers = rows.map((row) => ({
    id: String(row.prompt_id),
    tokens: factor * Number(row[column] ?? 0),
  }));
  return byPrompt(source, texts, answers);
}

/** Arena-Hard names its prompts by hashes that the texts lack: they are joined where category and length are unique. */
async function ofArena(): Promise<Prompt[]> {
  const key = (category: unknown, length: unknown): string => `${category}|${length}`;
  const texts = new Map<string, string | undefined>();
  for (const { label, prompt } of await jsonl("difficulty/arena_hard.jsonl.gz")) {
    const at = key(String(label).replace("v2.0 ", ""), Array.from(String(prompt)).length);
    texts.set(at, texts.has(at) ? undefined : String(prompt));
  }
  const rows = await parquet("lengths/arena_hard/responses.parquet", [
    ...["prompt_id", "category", "prompt_chars", "tokens_visible"],
  ]);
  const idsOf = new Map<string, Set<unknown>>();
  for (const { prompt_id, category, prompt_chars } of rows) {
    const at = key(category, Number(prompt_chars));
    idsOf.set(at, (idsOf.get(at) ?? new Set()).add(prompt_id));
  }
  const names = {
    hard_prompt: "arena_hard",
    creative_writing: "arena_creative",
    "arena-hard-v0.1": "arena_v0",
  };
  return Object.entries(names).flatMap(([category, source]) => {
    const answers = rows
      .filter((row) => row.category === category)
      .map((row) => ({ id: key(category, Number(row.prompt_chars)), tokens: row.tokens_visible }))
      .filter(({ id }) => idsOf.get(id)?.size === 1);
    const known = new Map(
      [...texts].flatMap(([at, text]) => (text === undefined ? [] : [[at, text] as const])),
    );
    const factor = source === "arena_v0" ? 1 / LENGTH_OF_V0 : 1;
    return byPrompt(source, known, answers).map((prompt) => ({
      ...prompt,
      log: prompt.log + Math.log(factor),
    }));
  });
}

/**
 * Medians by kind of instruction, over 805 everyday ones and eleven models (summary figures of 2026-11-23): given to prompts of each
 * kind that have no lengths of their own. Fact and other are lowered, since half of these prompts want a line (guess). The
 * figures of `tiny`, `datum` and `build` are guesses.
 */
const KINDS: readonly (readonly [readonly string[], number])[] = [
  [["edit", "classify", "summary"], 109],
  [["tiny", "datum"], 60],
  [["build"], 900],
  [["code"], 422],
  [["prose", "document", "message"], 423],
  [["list", "plan"], 430],
  [["explain"], 503],
  [["fact"], 250],
];
const OTHER_KIND = 280;
const TIERS = ["trivial", "easy", "medium", "hard", "expert"];

async function ofKinds(features: AnswerLengthFeatures, taken: ReadonlySet<string>): Promise<Prompt[]> {
  const counts = {
    selfinstruct_unlabelled: 427,
    jurijz: 90,
    nadirclaw: 60,
    cascadeflow: 60,
    interviews30s: 50,
    sysadmin_skills: 50,
    followbench: 60,
  };
  const found: Prompt[] = [];
  for (const [name, count] of Object.entries(counts)) {
    const rows = (await jsonl(`difficulty/${name}.jsonl.gz`)).filter(
      ({ prompt }) => !taken.has(String(prompt)),
    );
    const step = Math.max(1, rows.length / count);
    for (let at = 0; at < Math.min(rows.length, count); at++) {
      const { prompt, tier } = rows[Math.floor(at * step)] as Row;
      const text = String(prompt);
      const values = features.of(text, 0);
      const asks = (kind: string): boolean => values[features.names.indexOf(`asks_${kind}`)] === 1;
      const level = TIERS.indexOf(String(tier));
      const [, tokens = OTHER_KIND] = KINDS.find(([kinds]) => kinds.some(asks)) ?? [];
      const log =
        Math.log(tokens) +
        0.3 * (level - 1.2) -
        (level === 0 ? 1.2 : 0) -
        (asks("short") || asks("closed") ? 0.5 : 0) +
        (asks("deep") || asks("plan") ? 0.35 : 0);
      found.push({ source: "kinds", text, log });
    }
  }
  return found;
}

/** The guesses were written down before the medians by kind were known: brought to them. Small talk is left as it is. */
const SMALL_TALK = ["clinc150", "hwu64", "chatterbot_smalltalk", "ms_personality_chat"];

async function ofGuesses({ prompts, by_row }: Guesses): Promise<Prompt[]> {
  const found = prompts.map(({ prompt, tokens }) => ({ source: "own", text: prompt, log: Math.log(tokens) }));
  for (const [name, tokensOf] of Object.entries(by_row)) {
    const rows = await jsonl(`difficulty/${name}.jsonl.gz`);
    for (const [row, tokens] of Object.entries(tokensOf)) {
      const log = SMALL_TALK.includes(name)
        ? Math.log(1.2 * tokens)
        : Math.log(430) + 0.7 * (Math.log(tokens) - Math.log(350));
      found.push({ source: "guesses", text: String(rows[Number(row)]?.prompt), log });
    }
  }
  return found;
}

async function gather(guesses: Guesses, features: AnswerLengthFeatures): Promise<Prompt[]> {
  const current = (name: string) => `routing-current/${name}`;
  const guessed = await ofGuesses(guesses);
  const older = await jsonl("routing/zeroeval/prompts.jsonl.gz");
  const chains = await parquet("routing/zeroeval/outcomes.parquet", ["id", "tokens_out"]);
  const ofChain = (benchmark: string): Prompt[] =>
    byPrompt(
      benchmark,
      textsOf(older.filter((row) => row.benchmark === benchmark)),
      chains.map(({ id, tokens_out }) => ({ id: String(id), tokens: tokens_out })),
    );
  const lengths = (name: string) => `lengths/${name}/responses.parquet`;
  const prompts = (name: string) => `${current(name)}/prompts.jsonl.gz`;
  const reasoning = await parquet(lengths("lrm_token_economy"), ["prompt_id", "tokens_visible"]);
  return [
    ...guessed,
    ...(await ofKinds(features, new Set(guessed.map(({ text }) => text)))),
    ...(await ofArena()),
    // A Spanish answer takes 1.1 tokens for four characters.
    ...(await ofSet("ctala", current("ctala_business_es"), "tokens_visible", 1.1)),
    ...(await ofSet("pm", current("pm_hallucination"), "tokens_out")),
    ...(await ofSet("sql", current("sql_llm_bench"), "tokens_visible")),
    ...(await ofSet("misguided", "routing/misguided_attention", "tokens_out")),
    ...(await ofLengths(
      "trick",
      { lengths: lengths("trick_question_bench"), prompts: prompts("trick_questions") },
      "tokens_visible",
    )),
    ...(await ofLengths(
      "zoonk",
      { lengths: lengths("zoonk"), prompts: prompts("zoonk_evals") },
      "chars_visible",
      0.25,
    )),
    ...(await ofLengths(
      "svelte",
      { lengths: lengths("svelte_bench"), prompts: prompts("svelte_bench") },
      "tokens_visible",
    )),
    ...(await ofLengths(
      "bullshit",
      { lengths: "lengths/bullshit_benchmark/responses_v1.parquet", prompts: prompts("bullshit_v1") },
      "chars_visible",
      0.25,
    )),
    ...byPrompt(
      "lrm",
      textsOf(await jsonl("lengths/lrm_token_economy/prompts.jsonl.gz")),
      reasoning.map(({ prompt_id, tokens_visible }) => ({ id: String(prompt_id), tokens: tokens_visible })),
    ),
    ...ofChain("gsm"),
    ...ofChain("math-l5"),
  ];
}

interface Rows {
  readonly prompts: readonly Prompt[];
  readonly features: readonly Float64Array[];
  readonly vectors: readonly Float32Array[];
}

interface Fit {
  readonly bias: number;
  readonly means: Float64Array;
  readonly deviations: Float64Array;
  readonly weights: Float64Array;
  readonly vectorWeights: Float64Array;
}

/**
 * Ridge regression of the mean length with weighted sources: a gamma model with a logarithmic link, because dollars add up and a mean of
 * logarithms is short of them. @param isIn which rows are fitted to
 */
function fitRows({ prompts, features, vectors }: Rows, isIn: (row: number) => boolean): Fit {
  const counts = new Map<string, number>();
  const rows = prompts.flatMap((_, row) => (isIn(row) ? [row] : []));
  for (const row of rows) {
    const { source } = prompts[row] as Prompt;
    counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  const raw = rows.map((row) => {
    const { source } = prompts[row] as Prompt;
    return (WEIGHTS[source] ?? 1) / Math.sqrt(counts.get(source) as number);
  });
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  const weights = raw.map((weight) => weight / total);
  const width = (features[0] as Float64Array).length;
  const dimensions = (vectors[0] as Float32Array).length;
  const means = new Float64Array(width);
  const deviations = new Float64Array(width);
  rows.forEach((row, at) => {
    features[row]?.forEach((value, f) => {
      means[f] = (means[f] as number) + (weights[at] as number) * value;
    });
  });
  rows.forEach((row, at) => {
    features[row]?.forEach((value, f) => {
      deviations[f] =
        (deviations[f] as number) + (weights[at] as number) * (value - (means[f] as number)) ** 2;
    });
  });
  deviations.forEach((variance, f) => {
    deviations[f] = Math.max(1e-3, Math.sqrt(variance));
  });
  const scale = Math.sqrt(dimensions);
  const size = 1 + width + dimensions;
  const lines = rows.map((row) => {
    const line = new Float64Array(size);
    line[0] = 1;
    features[row]?.forEach((value, f) => {
      const standard = (value - (means[f] as number)) / (deviations[f] as number);
      line[1 + f] = Math.min(CLIP, Math.max(-CLIP, standard));
    });
    vectors[row]?.forEach((value, d) => {
      line[1 + width + d] = scale * value;
    });
    return line;
  });
  const penaltyOf = (at: number): number => (at === 0 ? 0 : at <= width ? FEATURE_PENALTY : VECTOR_PENALTY);
  const matrix = new Float64Array(size * size);
  lines.forEach((line, at) => {
    for (let a = 0; a < size; a++)
      for (let b = 0; b < size; b++)
        matrix[a * size + b] =
          (matrix[a * size + b] as number) +
          (weights[at] as number) * (line[a] as number) * (line[b] as number);
  });
  for (let a = 0; a < size; a++) matrix[a * size + a] = (matrix[a * size + a] as number) + penaltyOf(a);
  const found = new Float64Array(size);
  found[0] = rows.reduce((sum, row, at) => sum + (weights[at] as number) * (prompts[row] as Prompt).log, 0);
  for (let step = 0; step < STEPS; step++) {
    const right = found.map((value, a) => -penaltyOf(a) * value);
    lines.forEach((line, at) => {
      const log = line.reduce((sum, value, a) => sum + value * (found[a] as number), 0);
      const excess = Math.exp((prompts[rows[at] as number] as Prompt).log - log) - 1;
      for (let a = 0; a < size; a++)
        right[a] = (right[a] as number) + (weights[at] as number) * excess * (line[a] as number);
    });
    solve(Float64Array.from(matrix), right).forEach((change, a) => {
      found[a] = (found[a] as number) + Math.min(LARGEST_CHANGE, Math.max(-LARGEST_CHANGE, change));
    });
  }
  return {
    bias: found[0] as number,
    means,
    deviations,
    weights: found.slice(1, 1 + width),
    vectorWeights: found.slice(1 + width).map((value) => value * scale),
  };
}

function estimate({ bias, means, deviations, weights, vectorWeights }: Fit, rows: Rows, row: number): number {
  let log = bias;
  rows.features[row]?.forEach((value, f) => {
    const standard = (value - (means[f] as number)) / (deviations[f] as number);
    log += (weights[f] as number) * Math.min(CLIP, Math.max(-CLIP, standard));
  });
  rows.vectors[row]?.forEach((value, d) => {
    log += value * (vectorWeights[d] as number);
  });
  return withAskedLength(log, rows.prompts[row]?.text ?? "");
}

/** Rows of a table: how far off the estimates of some prompts are. */
function report(name: string, pairs: readonly (readonly [number, number])[]): void {
  const mean = (of: (pair: readonly [number, number]) => number): number =>
    pairs.reduce((sum, pair) => sum + of(pair), 0) / pairs.length;
  const middle = median(pairs.map(([real]) => real));
  const sums = mean(([, guess]) => Math.exp(guess)) / mean(([real]) => Math.exp(real));
  const typical = Math.exp(mean(([real, guess]) => Math.abs(real - guess)));
  const constant = Math.exp(mean(([real]) => Math.abs(real - middle)));
  const cells = [
    pairs.length,
    sums.toFixed(2),
    typical.toFixed(2),
    constant.toFixed(2),
    rankCorrelation(pairs).toFixed(2),
  ];
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}

function rankCorrelation(pairs: readonly (readonly [number, number])[]): number {
  const ranks = (of: 0 | 1): number[] => {
    const order = pairs.map((_, at) => at).sort((a, b) => (pairs[a]?.[of] ?? 0) - (pairs[b]?.[of] ?? 0));
    const found = new Array<number>(pairs.length);
    order.forEach((at, rank) => {
      found[at] = rank;
    });
    return found;
  };
  const [a, b] = [ranks(0), ranks(1)];
  const middle = (pairs.length - 1) / 2;
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, at) => sum + (value - middle) * ((y[at] as number) - middle), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

const FOLDS = 5;

function measure(rows: Rows): void {
  console.log(
    "| source | prompts | ratio of sums | typical factor | of a constant | rank correlation |\n|---|--:|--:|--:|--:|--:|",
  );
  for (const source of Object.keys(WEIGHTS)) {
    const own = rows.prompts.flatMap((prompt, row) => (prompt.source === source ? [row] : []));
    const without = fitRows(rows, (row) => rows.prompts[row]?.source !== source);
    report(
      `${source}, left out whole`,
      own.map((row) => [rows.prompts[row]?.log ?? 0, estimate(without, rows, row)]),
    );
    if (source !== "own" && source !== "guesses") continue;
    const folds = Array.from({ length: FOLDS }, (_, fold) => {
      const held = new Set(own.filter((_, at) => at % FOLDS === fold));
      const others = fitRows(rows, (row) => !held.has(row));
      return [...held].map((row) => [rows.prompts[row]?.log ?? 0, estimate(others, rows, row)] as const);
    });
    report(`${source}, five folds`, folds.flat());
  }
}

/** Answers of the sources that are counted in means, and the difficulty of their prompts: nonsense questions as read, a chat as guessed. */
const MEAN_ANSWERS = 50;
const CHAT_DIFFICULTY = 1.5;

/** Answers whose hidden tokens were counted, or are what is left of all tokens without the visible ones. */
async function gatherHidden(
  difficultyOf: (texts: readonly string[]) => Promise<Float64Array>,
): Promise<HiddenCount[]> {
  const responses = (name: string): Promise<Row[]> =>
    parquet(`lengths/${name}/responses.parquet`, [
      ...["prompt_id", "model", "effort", "name", "tokens_out", "tokens_reasoning"],
      ...["tokens_visible", "chars_visible", "chars_reasoning"],
    ]);
  const counts: HiddenCount[] = [];
  const add = async (
    source: string,
    { rows, texts, visible }: { rows: readonly Row[]; texts: Map<string, string>; visible: string },
    factor = 1,
  ): Promise<void> => {
    const ids = [...texts.keys()];
    const tiers = await difficultyOf([...texts.values()]);
    const tierOf = new Map(ids.map((id, at) => [id, tiers[at] as number]));
    for (const row of rows) {
      const difficulty = tierOf.get(String(row.prompt_id ?? row.id));
      const { tokens_out: all, tokens_reasoning: counted, chars_reasoning: signs } = row;
      const rest =
        all === null ? Number(signs ?? Number.NaN) / 4 : Number(all) - factor * Number(row[visible]);
      const hidden = counted === null || counted === undefined ? Math.max(0, rest) : Number(counted);
      if (difficulty === undefined || Number.isNaN(hidden)) continue;
      const name = String(row.name ?? row.model_source ?? "");
      const effort = String(row.effort ?? "");
      counts.push({ source, model: String(row.model), effort, name, hidden, difficulty, answers: 1 });
    }
  };
  const textsOfSet = async (name: string): Promise<Map<string, string>> =>
    textsOf(await jsonl(`routing-current/${name}/prompts.jsonl.gz`), lastPart);
  const lrm = textsOf(await jsonl("lengths/lrm_token_economy/prompts.jsonl.gz"));
  await add("lrm", { rows: await responses("lrm_token_economy"), texts: lrm, visible: "tokens_visible" });
  const trick = { rows: await responses("trick_question_bench"), visible: "tokens_visible" };
  await add("trick", { ...trick, texts: await textsOfSet("trick_questions") });
  const zoonk = { rows: await responses("zoonk"), visible: "chars_visible" };
  await add("zoonk", { ...zoonk, texts: await textsOfSet("zoonk_evals") }, 0.25);
  const ctala = "routing-current/ctala_business_es";
  const answers = await parquet(`${ctala}/outcomes.parquet`, [
    ...["id", "model", "effort", "model_source", "tokens_out", "tokens_reasoning", "tokens_visible"],
    ...["capped", "route"],
  ]);
  const full = answers.filter(
    ({ capped, route, tokens_out: all }) => Number(capped) === 0 && route === "api" && all !== null,
  );
  const business = textsOf(await jsonl(`${ctala}/prompts.jsonl.gz`));
  await add("ctala", { rows: full, texts: business, visible: "tokens_visible" }, 1.1);
  const nonsense = await difficultyOf([...(await textsOfSet("bullshit_v1")).values()]);
  const difficulty = nonsense.reduce((sum, tier) => sum + tier, 0) / nonsense.length;
  const means = { column: "tokens_reasoning", answers: MEAN_ANSWERS, difficulty };
  const file = (name: string): string => join(DATA, "lengths", name);
  return [
    ...counts,
    ...(await readMeans(file("bullshit_benchmark/model_effort.csv"), "bullshit", means)),
    ...(await readMeans(file("aa_effort/hidden_tokens_chat.csv"), "chat", {
      column: "hidden_tokens",
      answers: MEAN_ANSWERS,
      difficulty: CHAT_DIFFICULTY,
    })),
  ];
}

const rounded = (value: number): number => Number(value.toPrecision(5));

const guesses = JSON.parse(await readFile(join(HERE, "answer-length-guesses.json"), "utf8")) as Guesses;
const features = answerLengthFeatures(guesses.stems);
const prompts = await gather(guesses, features);
// A model of other features would not open.
await rm(join(EMBEDDER, "answer-length.json"), { force: true });
const embedder = await openEmbedder(EMBEDDER, { cacheDir: "" });
const vectors = await embedder.embed(prompts.map(({ text }) => text));
const rows: Rows = {
  prompts,
  vectors,
  features: prompts.map(({ text }, row) =>
    features.of(text, embedder.difficulty?.estimate(text, vectors[row] as Float32Array) ?? Number.NaN),
  ),
};
const hiddenCounts = await gatherHidden(async (texts) => {
  const read = await embedder.embed(texts);
  return Float64Array.from(
    texts,
    (text, at) => embedder.difficulty?.estimate(text, read[at] as Float32Array) ?? Number.NaN,
  );
});
await embedder.close();
measure(rows);
const hidden = fitHiddenTokens(hiddenCounts);
await writeFile(join(HERE, "../catalog/hidden-tokens.json"), `${JSON.stringify(hidden, null, 2)}\n`);
const final = fitRows(rows, () => true);
const file = {
  version: 1,
  dimensions: final.vectorWeights.length,
  bias: rounded(final.bias),
  clip: CLIP,
  features: features.names.map((name, f) => ({
    name,
    mean: rounded(final.means[f] as number),
    deviation: rounded(final.deviations[f] as number),
    weight: rounded(final.weights[f] as number),
  })),
  vector_weights: [...final.vectorWeights].map(rounded),
  stems: guesses.stems,
};
await writeFile(join(EMBEDDER, "answer-length.json"), `${JSON.stringify(file)}\n`);
