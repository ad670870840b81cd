import { setImmediate } from "node:timers/promises";
import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import { decodeRow, encodeRatio, gatherEvidence } from "../../engine/index.js";
import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import type { OutcomeTable } from "../fitting/outcome-table.js";

/** What a set expects of the prompts of traffic, before anything is learned from it. */
export interface Expectations {
  /** Log-odds of the average model to solve each prompt, on the scale of the set's anchors, `[prompts]`. */
  readonly ease: Float32Array;
  /** log2 of the ratio of answers' lengths to what the prompts' texts let expect, `[prompts]`. */
  readonly answerLevel: Float32Array;
  /** Effect of each prompt on log2 of 1 + the code of a bill, `[prompts]`. */
  readonly billLevel: Float32Array;
  /** Log-odds of a right answer by the model of each cell, `[models of the table][cells]`; NaN for models not in the set. */
  readonly offsets: readonly Float32Array[];
  /** Mean log-odds of each model on the prompts of each topic, less their ease: its expected skill, `[models × topics]`. */
  readonly skill: Float64Array;
  /** Topic of the set that most prompts of each topic are nearest to, `[topics]`. */
  readonly likeTopic: Uint16Array;
}

export interface ExpectationOptions {
  /** Topic of each prompt, `[prompts]`, and their number. */
  readonly topicOf: Uint16Array;
  readonly topicCount: number;
  /** Effect of each model on log2 of 1 + the code of a bill, `[models of the set]`. */
  readonly billAbility: Float64Array;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const PROMPTS_PER_REPORT = 1000;

/** About 1 ms a prompt for the 810 models of the shipped set; memory of 8 bytes a prompt and 4 an answer. */
export async function expectationsOf(
  set: AnchorSet,
  traffic: Traffic,
  { topicOf, topicCount, billAbility, onProgress, signal }: ExpectationOptions,
): Promise<Expectations> {
  const { table, vectors, tiers } = traffic;
  const prompts = vectors.count;
  const models = set.models.length;
  const ease = new Float32Array(prompts);
  const answerLevel = new Float32Array(prompts);
  const billLevel = new Float32Array(prompts);
  const skill = new Float64Array(models * topicCount);
  const counts = new Float64Array(topicCount);
  const nearest = Array.from({ length: topicCount }, () => new Uint32Array(set.topics.names.length));
  const cells = new CellCursor(set, table);
  const average = logOdds(meanOf(set.prior.overall.quality));
  for (let prompt = 0; prompt < prompts; prompt++) {
    const vector = decodeRow(vectors, prompt);
    const neighbours = set.index.search(vector, set.parameters.neighbours);
    const facts = tiers === undefined ? {} : { difficulty: tiers[prompt] as number };
    const { quality, billRatio, answerRatio } = gatherEvidence(set, neighbours, facts);
    const promptEase = set.prior.overallEase + logOdds(meanOf(quality)) - average;
    ease[prompt] = promptEase;
    answerLevel[prompt] = Math.log2(answerRatio);
    billLevel[prompt] = meanOf(
      billRatio.map((ratio, model) => Math.log2(1 + encodeRatio(ratio)) - (billAbility[model] as number)),
    );
    cells.take(prompt, quality);
    const topic = topicOf[prompt] as number;
    counts[topic] = (counts[topic] as number) + 1;
    const votes = nearest[topic] as Uint32Array;
    const like = set.topics.ofAnchor[neighbours.anchors[0] ?? 0] as number;
    votes[like] = (votes[like] as number) + 1;
    for (let model = 0; model < models; model++) {
      const at = model * topicCount + topic;
      skill[at] = (skill[at] as number) + logOdds(quality[model] as number) - promptEase;
    }
    if (prompt % PROMPTS_PER_REPORT === 0) {
      onProgress?.(prompt, prompts);
      // Otherwise what takes minutes could not be stopped.
      await setImmediate();
      signal?.throwIfAborted();
    }
  }
  skill.forEach((sum, at) => {
    skill[at] = sum / Math.max(1, counts[at % topicCount] as number);
  });
  const likeTopic = Uint16Array.from(nearest, (votes) => votes.indexOf(Math.max(...votes)));
  return { ease, answerLevel, billLevel, offsets: cells.offsets, skill, likeTopic };
}

/** Walks through the cells of all models, whose anchors ascend, prompt by prompt. */
class CellCursor {
  readonly offsets: readonly Float32Array[];
  readonly #columns: readonly { readonly anchors: Uint32Array; readonly column: number }[];
  readonly #next: Uint32Array;

  constructor(set: AnchorSet, { models }: Traffic["table"]) {
    const columnOf = new Map(set.models.map((model, column) => [model, column]));
    this.#columns = models.map(({ model, anchors }) => ({ anchors, column: columnOf.get(model) ?? -1 }));
    this.#next = new Uint32Array(models.length);
    this.offsets = models.map(({ anchors }) => new Float32Array(anchors.length).fill(Number.NaN));
  }

  take(prompt: number, quality: Float64Array): void {
    this.#columns.forEach(({ anchors, column }, model) => {
      const cell = this.#next[model] as number;
      if (anchors[cell] !== prompt) return;
      this.#next[model] = cell + 1;
      if (column >= 0) (this.offsets[model] as Float32Array)[cell] = logOdds(quality[column] as number);
    });
  }
}

function meanOf(values: Float64Array | Float32Array): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] as number;
  return sum / Math.max(1, values.length);
}

/** Graded answers to prompts of one's own traffic, most prompts answered by one model. */
export interface Traffic {
  /** One source. */
  readonly table: OutcomeTable;
  /** Vectors of the prompts, in the table's order. */
  readonly vectors: AnchorVectors;
  /** Difficulty of the prompts in tiers from 0 to 4; undefined without a difficulty model. */
  readonly tiers: Float32Array | undefined;
  /** As `EmbeddedPrompts` has them. */
  readonly answerTokens?: Float32Array | undefined;
}

/** Of an expected quality, which is never as certain as 0 or 1. */
const logOdds = (probability: number): number => {
  const inside = Math.min(0.98, Math.max(0.02, probability));
  return Math.log(inside / (1 - inside));
};
