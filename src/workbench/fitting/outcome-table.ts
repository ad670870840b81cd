/**
 * The builder's input: the score of each model on each anchor, in columns. No prompt text and no object per row, so
 * that a million rows fit into tens of megabytes.
 */

import type { ModelService } from "../../engine/estimation/model-service.js";

/** Origin of the data, as written to the manifest. Unknown is null. */
export interface SourceFacts {
  /** Short name, unique within a build; prefixes the prompt ids of this source. */
  readonly name: string;
  /** SPDX identifier where there is one. */
  readonly licence: string | null;
  /** Commit or version of the data. */
  readonly commit: string | null;
  readonly url: string | null;
  /** Whether tokens of answers exclude hidden reasoning (`visible`); `total` when absent. */
  readonly lengths?: "visible" | "total";
}

/** A source that was read, with its counts. */
interface CollectedSource extends SourceFacts {
  /** Anchors of this source: prompts with at least one observed score. */
  readonly anchors: number;
  /** Prompts without any score, which are omitted. */
  readonly promptsWithoutScore: number;
  /** Outcome rows read, duplicates and null scores included. */
  readonly rows: number;
  /** Rows omitted because their prompt id is in no prompts file of this source. */
  readonly rowsOfUnknownPrompts: number;
}

/** The scores of one model. All arrays have one entry per observed cell and equal length, 0 for a placed model. */
export interface ModelOutcomes {
  /** Catalog id, or the original name where no catalog id is known. */
  readonly model: string;
  /** Names the sources use for it, sorted; at least one. */
  readonly originalNames: readonly string[];
  /** Anchor numbers, strictly ascending. */
  readonly anchors: Uint32Array;
  /** Mean score per cell in [0, 1]. */
  readonly quality: Float32Array;
  /** Scored samples behind each cell, in [1, 65535]. */
  readonly samples: Uint16Array;
  /** Mean tokens generated per request, NaN = unknown. */
  readonly tokensOut: Float32Array;
  /** Mean hidden reasoning tokens among them, NaN = unknown; absent where no source has them. */
  readonly tokensReasoning?: Float32Array;
  /** Mean cost of a request in US dollars, NaN = unknown. */
  readonly costUsd: Float32Array;
  /** Mean probability with which a router chose the model for the prompt, NaN = unknown; absent where it is not asked for. */
  readonly probability?: Float32Array;
  /** Times and failures of its calls; absent where nothing was recorded. */
  readonly service?: ModelService | undefined;
}

/** All outcomes of a build. Anchors are numbered in reading order: by source, then by prompts file, then by line. */
export interface OutcomeTable {
  /** `source:id` per anchor, unique. */
  readonly promptIds: readonly string[];
  /** Benchmark names, sorted; a prompt without one belongs to its source's name. */
  readonly benchmarks: readonly string[];
  /** Index into `benchmarks` per anchor. */
  readonly benchmarkOf: Uint16Array;
  /** `benchmark`, or `benchmark/category` where the category has enough prompts; sorted. */
  readonly topics: readonly string[];
  /** Index into `topics` per anchor. */
  readonly topicOf: Uint16Array;
  /** Topics that are named after their source, because their prompts name neither a benchmark nor a frequent category. */
  readonly unlabelledTopics?: readonly string[];
  /** Topics that are clusters of similar anchors, in place of one without a name; after all others. */
  readonly clusteredTopics?: readonly string[];
  /** What scores mean, where that is known. */
  readonly scales?: readonly string[];
  readonly sources: readonly CollectedSource[];
  /** Index into `sources` per anchor. */
  readonly sourceOf: Uint16Array;
  /** Prompt tokens per anchor: the mean over the rows that give them, else estimated from the prompt's length. */
  readonly tokensIn: Float32Array;
  /** By model id; models without an observed cell are placed by published scores. */
  readonly models: readonly ModelOutcomes[];
}
