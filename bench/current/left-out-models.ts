import type { Embedder } from "../../src/engine/embedding/embedder.js";
import { readPromptTexts } from "../../src/engine/embedding/read-prompt-texts.js";
import {
  expectedScore,
  fitJointEvidence,
  type JointEvidence,
} from "../../src/workbench/fitting/joint-evidence.js";
import { isSameBenchmark } from "../evidence/evidence-data.js";
import type { SparseSet } from "../evidence/sparse-set.js";
import { orderByGain, strongShareMetrics } from "../quality/metrics/strong-share.js";
import { splitByBenchmark } from "../quality/outcomes/split.js";
import { mean } from "../report/statistics.js";
import { fittedSkill, keepCells, type PublishedMean, placedSkills } from "./joint-evidence.js";
import { type KernelNeighbours, kernelMean, nearestRows } from "./kernel.js";
import type { JointInput } from "./standard-errors.js";

/** Sets in which enough models were scored on the same prompts. */
export const LEFT_OUT_MODEL_SETS = ["mmlu_pro", "zeroeval", "llmrouter_ulab"];

/** Evidence by which the left-out model is placed. */
export const PLACED_BY = ["own_means", "five_others"] as const;
export type PlacedBy = (typeof PLACED_BY)[number];

/** Quality of routing a set's prompts with placed models, compared with full labels. */
export interface LeftOutModels {
  readonly set: string;
  readonly models: number;
  /** Mean quality a test prompt: of full labels and of the model that is best in the training part. */
  readonly full: readonly number[];
  readonly best: readonly number[];
  readonly placed: Readonly<Record<PlacedBy, PlacedResult>>;
}

export interface PlacedResult {
  /** Models that could be placed. */
  readonly models: number;
  /** Mean quality a test prompt with one model placed and the others labelled, mean over the models. */
  readonly oneAtATime: readonly number[];
  /** … with all of them placed, each from a fit without it. */
  readonly all: readonly number[];
  /** APGR of the pairs of placed models, beside that of full labels. */
  readonly pairs: readonly PairResult[];
}

export interface PairResult {
  readonly full: number;
  readonly placed: number;
}

/** Share of the prompts that a model must have been scored on, as the quality suite has it. */
const COVERAGE: Readonly<Record<string, number>> = { zeroeval: 0.8 };
const DEFAULT_COVERAGE = 0.9;
/** A pair is one of a strong and a weak model when their training means are so far apart. */
const LEAST_LEAD = 0.05;
const MOST_PAIRS = 134;
/** APGR divides by the lead on the test prompts, which must therefore be large enough too. */
const LEAST_TEST_LEAD = LEAST_LEAD / 2;
const OTHER_BENCHMARKS = 5;
/** The router's defaults. */
const KERNEL = { neighbours: 128, width: 0.2 };
const PRIOR_WEIGHT = 128;

export interface LeaveModelsOutOptions {
  readonly embedder: Embedder;
  readonly signal: AbortSignal | undefined;
  readonly onModel: (done: number, total: number) => void;
}

/** @param input of all sets, this one among them */
export async function leaveModelsOut(
  set: SparseSet,
  input: JointInput,
  { embedder, signal, onModel }: LeaveModelsOutOptions,
): Promise<LeftOutModels> {
  const world = await prepare(set, input, embedder);
  const full = fitJointEvidence(world.training, input);
  const labelled = world.columns.map((column) => labelledPredictions(world, { joint: full, column }));
  const placed: Record<PlacedBy, Map<number, Float64Array>> = {
    own_means: new Map(),
    five_others: new Map(),
  };
  for (const [index, column] of world.columns.entries()) {
    signal?.throwIfAborted();
    onModel(index, world.columns.length);
    const joint = fitWithout(world, { input, column });
    for (const by of PLACED_BY) {
      const predictions = placedPredictions(world, { joint, input, column, by });
      if (predictions !== undefined) placed[by].set(index, predictions);
    }
    // A fit takes a second or so; what waits on the event loop, such as Ctrl-C, gets its turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const means = world.columns.map((column) => trainingMean(world, column));
  const bestIndex = means.indexOf(Math.max(...means));
  const outcome = { world, labelled, means };
  return {
    set: set.name,
    models: world.columns.length,
    full: choose(world, labelled),
    best: world.truth.map((row) => row[bestIndex] as number),
    placed: {
      own_means: placedResult(outcome, placed.own_means),
      five_others: placedResult(outcome, placed.five_others),
    },
  };
}

/** A set, split into training and test prompts, with neighbours. Models are columns of the table; rows are test prompts. */
interface World {
  readonly set: SparseSet;
  readonly table: JointInput["table"];
  /** The table without the test prompts' answers. */
  readonly training: JointInput["table"];
  /** Anchors of the set's training prompts, in the order of the neighbours' numbers. */
  readonly anchors: readonly number[];
  readonly anchorsByTopic: ReadonlyMap<number, readonly number[]>;
  readonly columns: readonly number[];
  readonly neighbours: readonly KernelNeighbours[];
  /** `[test][models]` */
  readonly truth: readonly (readonly number[])[];
  /** Score by anchor, of each column. */
  readonly scores: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

async function prepare(set: SparseSet, { table }: JointInput, embedder: Embedder): Promise<World> {
  const anchorOf = new Map(table.promptIds.map((id, anchor) => [id, anchor]));
  const anchorAt = (prompt: number): number => anchorOf.get(`${set.name}:${set.prompts[prompt]?.id}`) ?? -1;
  const split = splitByBenchmark(set.prompts, 0);
  const train = split.train.filter((prompt) => anchorAt(prompt) >= 0);
  const scored = split.test.filter((prompt) => anchorAt(prompt) >= 0);
  const inSet = new Set([...train, ...scored].map(anchorAt));
  const least = (COVERAGE[set.name] ?? DEFAULT_COVERAGE) * inSet.size;
  const scores = new Map<number, Map<number, number>>();
  table.models.forEach(({ anchors, quality }, column) => {
    const own = new Map<number, number>();
    anchors.forEach((anchor, cell) => {
      if (inSet.has(anchor)) own.set(anchor, quality[cell] as number);
    });
    if (own.size > least) scores.set(column, own);
  });
  const columns = [...scores.keys()];
  const test = scored.filter((prompt) =>
    columns.every((column) => scores.get(column)?.has(anchorAt(prompt))),
  );
  const isTest = new Set(scored.map(anchorAt));
  const anchors = train.map(anchorAt);
  const textsOf = (prompts: readonly number[]) => prompts.map((prompt) => set.prompts[prompt]?.text ?? "");
  const [trainVectors, testVectors] = [
    (await readPromptTexts(embedder, textsOf(train))).map(({ vector }) => vector),
    (await readPromptTexts(embedder, textsOf(test))).map(({ vector }) => vector),
  ];
  const anchorsByTopic = new Map<number, number[]>();
  for (const anchor of anchors) {
    const topic = table.topicOf[anchor] as number;
    const found = anchorsByTopic.get(topic);
    if (found === undefined) anchorsByTopic.set(topic, [anchor]);
    else found.push(anchor);
  }
  return {
    ...{ set, table, columns, anchors, anchorsByTopic, scores },
    training: keepCells(table, (_, anchor) => !isTest.has(anchor)),
    neighbours: testVectors.map((vector) => nearestRows(vector, trainVectors, KERNEL)),
    truth: test.map((prompt) => columns.map((column) => scores.get(column)?.get(anchorAt(prompt)) as number)),
  };
}

/** The fit without the model, its variants and what was published of them. */
function fitWithout(
  world: World,
  { input, column }: { readonly input: JointInput; readonly column: number },
) {
  const { describe, scores } = input;
  const { base } = describe(world.table.models[column]?.model ?? "");
  const isLeft = world.table.models.map(({ model }) => describe(model).base === base);
  return fitJointEvidence(
    keepCells(world.training, (model) => !isLeft[model]),
    { ...input, scores: scores.filter(({ model }) => describe(model).base !== base) },
  );
}

/** Predictions as the router makes them: the model's answers near the prompt, shrunk toward its skills on the same neighbours. */
function labelledPredictions(
  { neighbours, anchors, scores, table }: World,
  { joint, column }: { readonly joint: JointEvidence; readonly column: number },
): Float64Array {
  const own = scores.get(column);
  const expected = anchors.map((anchor) => {
    const topic = table.topicOf[anchor] as number;
    const { value } = fittedSkill(joint, { column, topic, topics: table.topics.length });
    return expectedScore(value, joint.ease[anchor] as number);
  });
  const seen = anchors.map((anchor, row) => own?.get(anchor) ?? (expected[row] as number));
  return Float64Array.from(neighbours, (near) => {
    const trust = near.effective / (near.effective + PRIOR_WEIGHT);
    return trust * kernelMean(near, seen) + (1 - trust) * kernelMean(near, expected);
  });
}

function placedPredictions(
  world: World,
  {
    joint,
    input,
    column,
    by,
  }: {
    readonly joint: JointEvidence;
    readonly input: JointInput;
    readonly column: number;
    readonly by: PlacedBy;
  },
): Float64Array | undefined {
  const { table, anchors, anchorsByTopic, neighbours } = world;
  const model = table.models[column]?.model ?? "";
  const means = by === "own_means" ? ownMeans(world, column) : otherMeans(world, { joint, input, model });
  if (means === undefined) return undefined;
  const skillOn = placedSkills(joint, means, {
    ...{ model, description: input.describe(model) },
    easeOf: (topic) => (anchorsByTopic.get(topic) ?? []).map((anchor) => joint.ease[anchor] as number),
  });
  const skills = new Map([...anchorsByTopic.keys()].map((topic) => [topic, skillOn(topic).value]));
  const expected = anchors.map((anchor) =>
    expectedScore(skills.get(table.topicOf[anchor] as number) ?? 0, joint.ease[anchor] as number),
  );
  return Float64Array.from(neighbours, (near) => kernelMean(near, expected));
}

/** The model's means of each topic of the set (benchmark, or benchmark and category), over the training prompts. */
function ownMeans({ anchorsByTopic, scores }: World, column: number): PublishedMean[] {
  const own = scores.get(column);
  return [...anchorsByTopic].flatMap(([topic, anchors]): PublishedMean[] => {
    const seen = anchors.flatMap((anchor) => own?.get(anchor) ?? []);
    if (seen.length === 0) return [];
    return [
      { topic, score: seen.reduce((sum, score) => sum + score, 0) / seen.length, prompts: seen.length },
    ];
  });
}

/** Five published scores on benchmarks that are not the set's, those that most models have; undefined where there are fewer. */
function otherMeans(
  { set }: World,
  {
    joint,
    input,
    model,
  }: { readonly joint: JointEvidence; readonly input: JointInput; readonly model: string },
): PublishedMean[] | undefined {
  const known = new Set(joint.tests);
  const models = new Map<string, Set<string>>();
  for (const { benchmark, model: other } of input.scores)
    models.set(benchmark, (models.get(benchmark) ?? new Set()).add(other));
  const own = input.scores
    .filter((score) => score.model === model && known.has(score.benchmark))
    .filter(({ benchmark }) => !isSameBenchmark(benchmark, set.name))
    .sort((a, b) => (models.get(b.benchmark)?.size ?? 0) - (models.get(a.benchmark)?.size ?? 0));
  const distinct = new Map(own.toReversed().map((score) => [bareBenchmark(score.benchmark), score]));
  const chosen = [...distinct.values()].toReversed().slice(0, OTHER_BENCHMARKS);
  if (chosen.length < OTHER_BENCHMARKS) return undefined;
  return chosen.map(({ benchmark, score }) => ({ benchmark, score }));
}

/** `llmstats/aime-2024` and `aime_2024` are one benchmark. */
const bareBenchmark = (name: string): string =>
  (name.split("/").at(-1) ?? name).toLowerCase().replace(/[^a-z0-9]/g, "");

function trainingMean({ anchors, scores }: World, column: number): number {
  const own = scores.get(column);
  const seen = anchors.flatMap((anchor) => own?.get(anchor) ?? []);
  return seen.reduce((sum, score) => sum + score, 0) / seen.length;
}

/** Quality of the model with the highest expectation, for each test prompt; the first of equals. */
function choose({ truth }: World, predictions: readonly Float64Array[]): number[] {
  return truth.map((row, prompt) => {
    let best = 0;
    predictions.forEach((of, model) => {
      if ((of[prompt] as number) > (predictions[best]?.[prompt] as number)) best = model;
    });
    return row[best] as number;
  });
}

function placedResult(
  {
    world,
    labelled,
    means,
  }: { readonly world: World; readonly labelled: readonly Float64Array[]; readonly means: readonly number[] },
  placed: ReadonlyMap<number, Float64Array>,
): PlacedResult {
  const sums = world.truth.map(() => 0);
  for (const [index, predictions] of placed) {
    const chosen = choose(
      world,
      labelled.map((own, model) => (model === index ? predictions : own)),
    );
    chosen.forEach((quality, prompt) => {
      sums[prompt] = (sums[prompt] as number) + quality / placed.size;
    });
  }
  const all = labelled.map((own, model) => placed.get(model) ?? own);
  const apgr = (predictions: readonly Float64Array[], [strong, weak]: readonly [number, number]): number =>
    pairApgr(predictions, { truth: world.truth, strong, weak });
  const testMean = (model: number): number => mean(world.truth.map((row) => row[model] as number));
  const pairs = strongWeakPairs(means, [...placed.keys()]).filter(
    ([strong, weak]) => testMean(strong) - testMean(weak) >= LEAST_TEST_LEAD,
  );
  return {
    models: placed.size,
    oneAtATime: sums,
    all: choose(world, all),
    pairs: pairs.map((pair) => ({ full: apgr(labelled, pair), placed: apgr(all, pair) })),
  };
}

function pairApgr(
  predictions: readonly Float64Array[],
  {
    truth,
    strong,
    weak,
  }: { readonly truth: readonly (readonly number[])[]; readonly strong: number; readonly weak: number },
): number {
  const both = (of: (prompt: number, model: number) => number): Float64Array =>
    Float64Array.from({ length: 2 * truth.length }, (_, cell) =>
      of(Math.floor(cell / 2), cell % 2 === 0 ? strong : weak),
    );
  const predicted = both((prompt, model) => predictions[model]?.[prompt] as number);
  const quality = both((prompt, model) => truth[prompt]?.[model] as number);
  const order = orderByGain(predicted, quality, { strong: 0 });
  return strongShareMetrics(order, new Float64Array(truth.length).fill(1)).apgr;
}

/**
 * Pairs of models whose training means lie at least five points apart, strong first; where there are many, evenly spaced
 * ones of them.
 */
export function strongWeakPairs(
  means: readonly number[],
  among: readonly number[],
  { most = MOST_PAIRS }: { readonly most?: number } = {},
): (readonly [number, number])[] {
  const pairs = among.flatMap((strong) =>
    among
      .filter((weak) => (means[strong] as number) - (means[weak] as number) >= LEAST_LEAD)
      .map((weak) => [strong, weak] as const),
  );
  if (pairs.length <= most) return pairs;
  return Array.from(
    { length: most },
    (_, position) => pairs[Math.floor((position * pairs.length) / most)] as [number, number],
  );
}
