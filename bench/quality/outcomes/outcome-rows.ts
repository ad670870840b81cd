import { findDataFiles } from "../../../src/profiles/outcomes/find-files.js";
import type { OutcomeRow } from "../../../src/profiles/outcomes/outcome-row.js";
import { readOutcomes } from "../../../src/profiles/outcomes/read-outcomes.js";
import { readPrompts } from "../../../src/profiles/outcomes/read-prompts.js";
import type { BenchPrompt, PromptOutcomes } from "./outcome-set.js";

/** `PromptOutcomes` with what the answers took. All tables are `[prompts × models]`, NaN = not known. */
export interface OutcomeRows extends PromptOutcomes {
  readonly tokensIn: Float64Array;
  readonly tokensOut: Float64Array;
  readonly costUsd: Float64Array;
}

interface Cell {
  score: number;
  samples: number;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costUsd: number | null;
}

/**
 * The complete rows of a set: models scored on more than `minCoverage` of the prompts, prompts scored for all of those.
 * Models by name, prompts in the order of the files; rows of one prompt and model are averaged by their samples.
 *
 * @param folder in the canonical layout
 * @throws OutcomeDataError at the first fault of a file
 */
export async function loadOutcomeRows(folder: string, minCoverage: number): Promise<OutcomeRows> {
  const all = await loadPrompts(folder);
  const cells = await loadCells(folder);
  const models = [...cells.keys()]
    .filter((model) => (cells.get(model)?.size ?? 0) > minCoverage * all.length)
    .sort();
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
  };
}

async function loadPrompts(folder: string): Promise<BenchPrompt[]> {
  const prompts: BenchPrompt[] = [];
  for (const file of await findDataFiles([folder], "prompts")) {
    for await (const { id, benchmark, category, text } of readPrompts(file)) {
      prompts.push({ id, benchmark: benchmark ?? "", category: category ?? "", text });
    }
  }
  return prompts;
}

/** By model and prompt id; rows without a score are absent. */
async function loadCells(folder: string): Promise<Map<string, Map<string, Cell>>> {
  const cells = new Map<string, Map<string, Cell>>();
  for (const file of await findDataFiles([folder], "outcomes")) {
    for await (const row of readOutcomes(file)) {
      if (row.score === null) continue;
      const ofModel = cells.get(row.model) ?? new Map<string, Cell>();
      cells.set(row.model, ofModel);
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

/** Some rows, in the order of `indexes`. */
export function takeRows(rows: OutcomeRows, indexes: ArrayLike<number>): OutcomeRows {
  const width = rows.models.length;
  const take = (table: Float64Array): Float64Array => {
    const taken = new Float64Array(indexes.length * width);
    for (let index = 0; index < indexes.length; index++) {
      const row = indexes[index] as number;
      taken.set(table.subarray(row * width, (row + 1) * width), index * width);
    }
    return taken;
  };
  return {
    prompts: Array.from(indexes, (index) => rows.prompts[index] as BenchPrompt),
    models: rows.models,
    quality: take(rows.quality),
    tokensIn: take(rows.tokensIn),
    tokensOut: take(rows.tokensOut),
    costUsd: take(rows.costUsd),
  };
}

/**
 * Two sets after one another, on the models both have.
 *
 * @throws Error when they have fewer than two models in common
 */
export function joinRows(first: OutcomeRows, second: OutcomeRows): OutcomeRows {
  const models = first.models.filter((model) => second.models.includes(model));
  if (models.length < 2) {
    const common = models.length === 0 ? "no model" : `only the model ${models[0]}`;
    throw new Error(`The two sets have ${common} in common; a router needs at least two to choose between.`);
  }
  const join = (field: "quality" | "tokensIn" | "tokensOut" | "costUsd"): Float64Array =>
    Float64Array.from(
      [first, second].flatMap((rows) =>
        rows.prompts.flatMap((_, row) =>
          models.map((model) => rows[field][row * rows.models.length + rows.models.indexOf(model)] as number),
        ),
      ),
    );
  return {
    prompts: [...first.prompts, ...second.prompts],
    models,
    quality: join("quality"),
    tokensIn: join("tokensIn"),
    tokensOut: join("tokensOut"),
    costUsd: join("costUsd"),
  };
}
