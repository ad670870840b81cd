import type { ModelFacts } from "../../src/engine/router/candidate.js";

/** Columns of the models at both ends of the price list. */
export interface PriceEnds {
  readonly cheapest: number;
  readonly mostExpensive: number;
}

/** By the price of answers, then of prompts; null unless every model has a price. */
export function priceEnds(prices: readonly ModelFacts["price"][]): PriceEnds | null {
  const listed = prices.flatMap((price, column) => (price === null ? [] : [{ ...price, column }]));
  if (listed.length < prices.length) return null;
  const sorted = listed.toSorted(
    (a, b) =>
      a.outputUsdPerMtok - b.outputUsdPerMtok || a.inputUsdPerMtok - b.inputUsdPerMtok || a.column - b.column,
  );
  const [first, last] = [sorted[0], sorted.at(-1)];
  return first === undefined || last === undefined
    ? null
    : { cheapest: first.column, mostExpensive: last.column };
}
