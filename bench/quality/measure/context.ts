import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import type { ModelLookup } from "../../../src/engine/router/candidate.js";
import type { VectorPair } from "../baselines/nearest.js";
import type { OutcomeRows } from "../outcomes/outcome-rows.js";

/** One set, split one way, as every part of the measurement sees it. */
export interface SeedContext {
  readonly name: string;
  readonly seed: number;
  readonly train: OutcomeRows;
  readonly test: OutcomeRows;
  readonly costs: SplitCosts | null;
  readonly lookup: ModelLookup;
  /** Remembers what it has embedded. */
  readonly embedder: Embedder;
  readonly vectors: VectorPair;
  readonly signal: AbortSignal | undefined;
}

export interface SplitCosts {
  /** Columns of the models whose cost is known. */
  readonly priced: readonly number[];
  /** Dollars, `[prompts × models]`, NaN in the other columns. */
  readonly train: Float64Array;
  readonly test: Float64Array;
}

/** What one part found out; the parts' findings are joined by name. */
export interface Findings {
  /** Column of the chosen model, `[test]`; −1 = this prompt does not count here. */
  readonly choices?: Readonly<Record<string, Int16Array>>;
  /** Expected quality, `[test × models]`. */
  readonly expectations?: Readonly<Record<string, Float32Array>>;
  /** Choices along a cost weight, cheapest last. */
  readonly sweeps?: Readonly<Record<string, readonly Int16Array[]>>;
  readonly numbers?: Readonly<Record<string, number>>;
}

export function textsOf({ prompts }: OutcomeRows): string[] {
  return prompts.map(({ text }) => text);
}
