import type { OutcomeRow } from "../outcomes/read-outcomes.js";
import type { ModelOutcomes } from "./outcome-table.js";

const MAX_SAMPLES = 0xffff;

/** Collects the scored rows of one model; `finish` sorts them and averages those of the same anchor. */
export class ModelCells {
  readonly model: string;
  readonly #originalNames = new Set<string>();
  readonly #anchors = new GrowableColumn((length) => new Uint32Array(length));
  readonly #scores = new GrowableColumn((length) => new Float32Array(length));
  readonly #samples = new GrowableColumn((length) => new Uint32Array(length));
  readonly #tokensOut = new GrowableColumn((length) => new Float32Array(length));
  readonly #tokensReasoning = new GrowableColumn((length) => new Float32Array(length));
  readonly #costUsd = new GrowableColumn((length) => new Float32Array(length));
  readonly #probability = new GrowableColumn((length) => new Float32Array(length));

  constructor(model: string) {
    this.model = model;
  }

  /** @param cell a row with a score, and the number of its prompt */
  add(row: OutcomeRow, cell: { readonly anchor: number; readonly score: number }): void {
    this.#originalNames.add(row.model);
    this.#anchors.push(cell.anchor);
    this.#scores.push(cell.score);
    this.#samples.push(row.samples);
    this.#tokensOut.push(row.tokensOut ?? Number.NaN);
    this.#tokensReasoning.push(row.tokensReasoning ?? Number.NaN);
    this.#costUsd.push(row.costUsd ?? Number.NaN);
    this.#probability.push(row.probability ?? Number.NaN);
  }

  /** Calls `visit` with the prompt number of every row. */
  eachAnchor(visit: (anchor: number) => void): void {
    for (const anchor of this.#anchors.values()) visit(anchor);
  }

  /** @param renumber new anchor number by old one; must keep the order */
  finish(renumber: Uint32Array): ModelOutcomes {
    const order = ascendingOrder(this.#anchors.values());
    const starts = startsOfRuns(order, this.#anchors.values());
    const weights = this.#samples.values();
    const average = (column: Float32Array) => averageRuns(column, { order, starts, weights });
    return {
      model: this.model,
      originalNames: [...this.#originalNames].sort(),
      anchors: Uint32Array.from(starts, (start) => renumber[anchorAt(start, order, this.#anchors)] ?? 0),
      quality: average(this.#scores.values()),
      samples: sumRuns(weights, { order, starts }),
      tokensOut: average(this.#tokensOut.values()),
      tokensReasoning: average(this.#tokensReasoning.values()),
      costUsd: average(this.#costUsd.values()),
      probability: average(this.#probability.values()),
    };
  }
}

interface Runs {
  /** Row numbers, by anchor, then as read. */
  readonly order: Uint32Array;
  /** Positions in `order` where another anchor begins. */
  readonly starts: Uint32Array;
}

function anchorAt(position: number, order: Uint32Array, anchors: GrowableColumn<Uint32Array>): number {
  return anchors.values()[order[position] ?? 0] ?? 0;
}

function ascendingOrder(anchors: Uint32Array): Uint32Array {
  const order = Uint32Array.from(anchors, (_, row) => row);
  if (anchors.every((anchor, row) => row === 0 || anchor >= (anchors[row - 1] ?? 0))) return order;
  return order.sort((a, b) => (anchors[a] ?? 0) - (anchors[b] ?? 0) || a - b);
}

function startsOfRuns(order: Uint32Array, anchors: Uint32Array): Uint32Array {
  const starts = new GrowableColumn((length) => new Uint32Array(length));
  for (let position = 0; position < order.length; position++) {
    const same = position > 0 && anchors[order[position] ?? 0] === anchors[order[position - 1] ?? 0];
    if (!same) starts.push(position);
  }
  return starts.values();
}

/** Weighted mean of each run over its known values; NaN where there are none. */
function averageRuns(column: Float32Array, runs: Runs & { readonly weights: Uint32Array }): Float32Array {
  const means = new Float32Array(runs.starts.length);
  for (let run = 0; run < means.length; run++) {
    let sum = 0;
    let weight = 0;
    eachRowOfRun(runs, run, (row) => {
      const value = column[row] ?? Number.NaN;
      if (Number.isNaN(value)) return;
      sum += value * (runs.weights[row] ?? 0);
      weight += runs.weights[row] ?? 0;
    });
    means[run] = weight === 0 ? Number.NaN : sum / weight;
  }
  return means;
}

function sumRuns(column: Uint32Array, runs: Runs): Uint16Array {
  const sums = new Uint16Array(runs.starts.length);
  for (let run = 0; run < sums.length; run++) {
    let sum = 0;
    eachRowOfRun(runs, run, (row) => {
      sum += column[row] ?? 0;
    });
    sums[run] = Math.min(sum, MAX_SAMPLES);
  }
  return sums;
}

function eachRowOfRun(runs: Runs, run: number, visit: (row: number) => void): void {
  const end = runs.starts[run + 1] ?? runs.order.length;
  for (let position = runs.starts[run] ?? 0; position < end; position++) visit(runs.order[position] ?? 0);
}

type NumberArray = Float32Array | Float64Array | Uint8Array | Uint16Array | Uint32Array;

const INITIAL_CAPACITY = 1024;

/** A typed array that grows by half when full: for columns of a table of unknown length. */
export class GrowableColumn<T extends NumberArray> {
  #values: T;
  #length = 0;
  readonly #allocate: (length: number) => T;

  constructor(allocate: (length: number) => T) {
    this.#allocate = allocate;
    this.#values = allocate(INITIAL_CAPACITY);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = this.#allocate(this.#length + (this.#length >> 1));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  /** Adds to the value at `index`, which must have been pushed. */
  add(index: number, amount: number): void {
    this.#values[index] = (this.#values[index] ?? 0) + amount;
  }

  /** The values pushed so far, as a view that is invalid after the next push. */
  values(): T {
    return this.#values.subarray(0, this.#length) as T;
  }
}
