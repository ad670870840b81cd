import { catalogId } from "../../engine/index.js";
import { findDataFiles } from "../outcomes/find-files.js";
import { type OutcomeRow, readOutcomes } from "../outcomes/read-outcomes.js";
import { type PromptFileOptions, readPrompts } from "../outcomes/read-prompts.js";

export interface GradedPrompt {
  readonly id: string;
  /** Empty when the file names none. */
  readonly benchmark: string;
  readonly category: string;
  readonly text: string;
}

/** Prompts, and what the answer of each model to each of them was worth and took. Tables are `[prompts × models]`, NaN = not known. */
export interface GradedPrompts {
  readonly prompts: readonly GradedPrompt[];
  readonly models: readonly string[];
  /** In [0, 1], without gaps. */
  readonly quality: Float64Array;
  readonly tokensIn: Float64Array;
  readonly tokensOut: Float64Array;
  readonly costUsd: Float64Array;
}

export interface GradedFiles {
  /** Files or folders in the canonical layout. */
  readonly prompts: readonly string[];
  readonly outcomes: readonly string[];
}

export interface GradedPromptsOptions extends PromptFileOptions {
  /** A model scored on at most this share of the prompts is left out. In [0, 1). */
  readonly minCoverage: number;
  /** Id of a model; null leaves its rows out. Default: the name in the file. */
  readonly rename?: (name: string, row: OutcomeRow) => string | null;
}

/** What the files have, and a complete table has not. */
export interface IncompleteAnswers {
  /** Prompts of the files. */
  readonly allPrompts: number;
  /** Models graded on too few prompts, with how many. */
  readonly sparseModels: readonly { readonly model: string; readonly prompts: number }[];
  /** Prompts that not all other models are graded on. */
  readonly incompletePrompts: number;
  /** What scores mean, where that is known. */
  readonly scales: readonly string[];
}

interface Cell {
  score: number;
  samples: number;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costUsd: number | null;
}

/**
 * The complete rows of graded answers: models scored on more than `minCoverage` of the prompts, prompts scored for all of those.
 * Models by name, prompts in the order of the files; rows of one prompt and model are averaged by their samples.
 *
 * @throws OutcomeDataError at the first fault of a file
 */
export async function readGradedPrompts(
  files: GradedFiles,
  options: GradedPromptsOptions,
): Promise<GradedPrompts & { readonly incomplete: IncompleteAnswers }> {
  const all = await readAllPrompts(files.prompts, options);
  const scales = new Set<string>();
  const cells = await readCells(files.outcomes, { ...options, scales });
  const asked = new Set(all.map(({ id }) => id));
  const graded = [...cells.keys()].sort().map((model) => {
    const prompts = [...(cells.get(model)?.keys() ?? [])].filter((id) => asked.has(id)).length;
    return { model, prompts };
  });
  const isSparse = ({ prompts }: { prompts: number }) => prompts <= options.minCoverage * all.length;
  const models = graded.filter((model) => !isSparse(model)).map(({ model }) => model);
  const columns = models.map((model) => cells.get(model) ?? new Map<string, Cell>());
  const prompts = all.filter(({ id }) => columns.every((column) => column.has(id)));
  const table = (read: (cell: Cell) => number | null): Float64Array => {
    const values = new Float64Array(prompts.length * models.length);
    prompts.forEach(({ id }, row) => {
      columns.forEach((column, model) => {
        const cell = column.get(id);
        values[row * models.length + model] = (cell === undefined ? null : read(cell)) ?? Number.NaN;
      });
    });
    return values;
  };
  return {
    prompts,
    models,
    quality: table(({ score }) => score),
    tokensIn: table(({ tokensIn }) => tokensIn),
    tokensOut: table(({ tokensOut }) => tokensOut),
    costUsd: table(({ costUsd }) => costUsd),
    incomplete: {
      allPrompts: all.length,
      sparseModels: graded.filter(isSparse),
      incompletePrompts: models.length === 0 ? 0 : all.length - prompts.length,
      scales: [...scales],
    },
  };
}

async function readAllPrompts(files: readonly string[], options: PromptFileOptions): Promise<GradedPrompt[]> {
  const prompts: GradedPrompt[] = [];
  for (const file of await findDataFiles(files, "prompts"))
    for await (const { id, benchmark, category, text } of readPrompts(file, options))
      prompts.push({ id, benchmark: benchmark ?? "", category: category ?? "", text });
  return prompts;
}

/** By model and prompt id; rows without a score are absent. */
async function readCells(
  paths: readonly string[],
  { rename = (name) => name, signal, scales }: GradedPromptsOptions & { readonly scales: Set<string> },
): Promise<Map<string, Map<string, Cell>>> {
  const cells = new Map<string, Map<string, Cell>>();
  for (const file of await findDataFiles(paths, "outcomes")) {
    for await (const row of readOutcomes(file, { signal })) {
      const model = rename(row.model, row);
      if (row.score === null || model === null) continue;
      if (row.scale !== null) scales.add(row.scale);
      const ofModel = cells.get(model) ?? new Map<string, Cell>();
      cells.set(model, ofModel);
      addRow(ofModel, row, row.score);
    }
  }
  return cells;
}

function addRow(ofModel: Map<string, Cell>, row: OutcomeRow, score: number): void {
  const { id, samples, tokensIn, tokensOut, costUsd } = row;
  const before = ofModel.get(id);
  if (before === undefined) {
    ofModel.set(id, { score, samples, tokensIn, tokensOut, costUsd });
    return;
  }
  before.score = (before.score * before.samples + score * samples) / (before.samples + samples);
  before.samples += samples;
}

/** Some prompts, in the order of `indexes`. */
export function takePrompts(graded: GradedPrompts, indexes: ArrayLike<number>): GradedPrompts {
  const width = graded.models.length;
  const take = (table: Float64Array): Float64Array => {
    const taken = new Float64Array(indexes.length * width);
    for (let index = 0; index < indexes.length; index++) {
      const row = indexes[index] as number;
      taken.set(table.subarray(row * width, (row + 1) * width), index * width);
    }
    return taken;
  };
  return {
    prompts: Array.from(indexes, (index) => graded.prompts[index] as GradedPrompt),
    models: graded.models,
    quality: take(graded.quality),
    tokensIn: take(graded.tokensIn),
    tokensOut: take(graded.tokensOut),
    costUsd: take(graded.costUsd),
  };
}

/** What of the files and of the set is not evaluated. */
export interface LeftOutOfEvaluation extends IncompleteAnswers {
  /** Names in the outcomes that are no models of the set. */
  readonly unknownModels: readonly string[];
  /** Models of the set without any graded answer. */
  readonly ungradedModels: readonly string[];
}

interface GradedBySet {
  readonly graded: GradedPrompts;
  readonly leftOut: LeftOutOfEvaluation;
}

/**
 * Reads graded answers of the models of a set, under the set's names of them.
 *
 * @param options.models of the set
 * @param options.minCoverage a model scored on at most this share of the prompts is left out. In [0, 1)
 * @throws OutcomeDataError at the first fault of a file
 */
export async function readGradedBySet(
  files: GradedFiles,
  {
    models,
    ...options
  }: PromptFileOptions & { readonly models: readonly string[]; readonly minCoverage: number },
): Promise<GradedBySet> {
  const profiled = new Set(models);
  const [found, unknown] = [new Set<string>(), new Set<string>()];
  const known = (name: string): string => {
    found.add(name);
    return name;
  };
  const { incomplete, ...graded } = await readGradedPrompts(files, {
    ...options,
    rename: (name, { effort, modelSource }) => {
      if (profiled.has(name)) return known(name);
      const id = catalogId(name, effort, { sourceName: modelSource });
      if (profiled.has(id)) return known(id);
      unknown.add(name);
      return null;
    },
  });
  return {
    graded,
    leftOut: {
      ...incomplete,
      unknownModels: [...unknown].sort(),
      ungradedModels: models.filter((model) => !found.has(model)).sort(),
    },
  };
}
