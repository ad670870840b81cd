import { catalogId } from "../../src/engine/catalog/models/dataset-names.js";
import { findDataFiles } from "../../src/workbench/outcomes/find-files.js";
import { readOutcomes } from "../../src/workbench/outcomes/read-outcomes.js";
import { readPrompts } from "../../src/workbench/outcomes/read-prompts.js";
import { type RowFilter, RowSelection } from "../../src/workbench/outcomes/row-filter.js";
import type { BenchPrompt } from "../quality/outcomes/outcome-set.js";
import { checksumOfOutcomes } from "../report/folder-checksum.js";

/** An outcome set in which models were scored on different prompts. */
export interface SparseSet {
  readonly name: string;
  /** SHA-256 over the files. */
  readonly sha256: string;
  readonly prompts: readonly BenchPrompt[];
  readonly cells: readonly SparseCell[];
  /** What tokens of answers count; all that is billed when absent. */
  readonly lengths?: "visible" | "total" | undefined;
}

/** One answer. Unknown is null. */
export interface SparseCell {
  /** Index into the set's prompts. */
  readonly prompt: number;
  /** Catalog id, effort included. */
  readonly model: string;
  /** In [0, 1]. */
  readonly score: number;
  readonly samples: number;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly tokensReasoning?: number | null;
  readonly costUsd: number | null;
}

/**
 * Reads a folder in the canonical layout, with models by catalog id. Rows without a score, or whose prompt is not there, are
 * left out.
 *
 * @throws OutcomeDataError at the first fault of a file
 */
export async function loadSparseSet({
  name,
  folder,
  ...source
}: {
  readonly name: string;
  readonly folder: string;
  /** Rows that are read; all when absent. */
  readonly only?: RowFilter | undefined;
  readonly lengths?: SparseSet["lengths"];
}): Promise<SparseSet> {
  const only = new RowSelection(source.only);
  const prompts: BenchPrompt[] = [];
  for (const file of await findDataFiles([folder], "prompts")) {
    for await (const { id, benchmark, category, text } of readPrompts(file, { only })) {
      prompts.push({ id, benchmark: benchmark ?? name, category: category ?? "", text });
    }
  }
  const promptOf = new Map(prompts.map(({ id }, index) => [id, index]));
  const cells: SparseCell[] = [];
  for (const file of await findDataFiles([folder], "outcomes")) {
    for await (const { id, model, effort, modelSource, score, ...rest } of readOutcomes(file, { only })) {
      const prompt = promptOf.get(id);
      if (prompt === undefined || score === null) continue;
      const { samples, tokensIn, tokensOut, tokensReasoning, costUsd } = rest;
      const catalogModel = catalogId(model, effort, { sourceName: modelSource });
      const amounts = { samples, tokensIn, tokensOut, tokensReasoning, costUsd };
      cells.push({ prompt, model: catalogModel, score, ...amounts });
    }
  }
  return { name, sha256: await checksumOfOutcomes(folder), prompts, cells, lengths: source.lengths };
}

export const modelsOf = ({ cells }: SparseSet): string[] =>
  [...new Set(cells.map(({ model }) => model))].sort();

/** The set with some of its prompts only. @param indexes indices into the prompts, ascending */
export function takePrompts(set: SparseSet, indexes: readonly number[]): SparseSet {
  const renumbered = new Map(indexes.map((position, index) => [position, index]));
  return {
    ...set,
    prompts: indexes.map((index) => set.prompts[index] as BenchPrompt),
    cells: set.cells.flatMap((cell) => {
      const prompt = renumbered.get(cell.prompt);
      return prompt === undefined ? [] : [{ ...cell, prompt }];
    }),
  };
}
