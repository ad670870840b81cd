import { groupBy } from "../../foundation/group-by.js";
import type { OutcomeRow } from "../outcomes/read-outcomes.js";
import type { ModelOutcomes } from "./outcome-table.js";

const MAX_SAMPLES = 0xffff;

/** Collects the scored rows of one model, column by column; `finish` sorts them and averages those of the same anchor. */
export class ModelCells {
  readonly model: string;
  /** Prompt number of each row. */
  readonly anchors: number[] = [];
  readonly #originalNames = new Set<string>();
  readonly #scores: number[] = [];
  readonly #samples: number[] = [];
  readonly #tokensOut: number[] = [];
  readonly #tokensReasoning: number[] = [];
  readonly #costUsd: number[] = [];
  readonly #probability: number[] = [];

  constructor(model: string) {
    this.model = model;
  }

  /** @param cell a row with a score, and the number of its prompt */
  add(row: OutcomeRow, cell: { readonly anchor: number; readonly score: number }): void {
    this.#originalNames.add(row.model);
    this.anchors.push(cell.anchor);
    this.#scores.push(Math.fround(cell.score));
    this.#samples.push(row.samples);
    this.#tokensOut.push(Math.fround(row.tokensOut ?? Number.NaN));
    this.#tokensReasoning.push(Math.fround(row.tokensReasoning ?? Number.NaN));
    this.#costUsd.push(Math.fround(row.costUsd ?? Number.NaN));
    this.#probability.push(Math.fround(row.probability ?? Number.NaN));
  }

  /** @param renumber new anchor number by old one; must keep the order */
  finish(renumber: Uint32Array): ModelOutcomes {
    const { anchors } = this;
    const rowsOf = groupBy([...anchors.keys()], (row) => anchors[row] as number);
    const runs = [...rowsOf].sort(([left], [right]) => left - right);
    const average = (column: readonly number[]) =>
      Float32Array.from(runs, ([, rows]) => weightedMean(rows, { column, weights: this.#samples }));
    return {
      model: this.model,
      originalNames: [...this.#originalNames].sort(),
      anchors: Uint32Array.from(runs, ([anchor]) => renumber[anchor] ?? 0),
      quality: average(this.#scores),
      samples: Uint16Array.from(runs, ([, rows]) =>
        Math.min(
          rows.reduce((sum, row) => sum + (this.#samples[row] as number), 0),
          MAX_SAMPLES,
        ),
      ),
      tokensOut: average(this.#tokensOut),
      tokensReasoning: average(this.#tokensReasoning),
      costUsd: average(this.#costUsd),
      probability: average(this.#probability),
    };
  }
}

interface Weighed {
  readonly column: readonly number[];
  readonly weights: readonly number[];
}

/** Over the known values of some rows; NaN where there are none. */
function weightedMean(rows: readonly number[], { column, weights }: Weighed): number {
  let sum = 0;
  let weight = 0;
  for (const row of rows) {
    const value = column[row] as number;
    if (Number.isNaN(value)) continue;
    sum += value * (weights[row] as number);
    weight += weights[row] as number;
  }
  return weight === 0 ? Number.NaN : sum / weight;
}
