/** A choice for an example request, short enough that its answer can be read. */
import type { ModelLookup } from "../../engine/router/candidate.js";

/** Well-known models of one vendor and of different prices, preferred while all of them can be chosen. */
const PREFERRED = ["gpt-5.5", "gpt-5.4-mini", "gpt-5.4-nano"];

const MOST_MODELS = 3;

export interface ExampleChoice {
  readonly models: readonly string[];
  readonly costWeight: number;
  /** Whether a provider is configured that answers with the chosen model; without one it can only be decided. */
  readonly isRunnable: boolean;
}

interface ChoiceOptions {
  readonly lookup: ModelLookup;
  readonly isRunnable: boolean;
  /** The recommended cost weight. */
  readonly costWeight: number;
}

/**
 * Two or three models that a request can be decided among, with a cost weight that needs their prices only where they are
 * known. Null when there are fewer than two.
 *
 * @param models every model that can be chosen, such as by `decidable`
 */
export function exampleChoice(
  models: readonly string[],
  { lookup, isRunnable, costWeight }: ChoiceOptions,
): ExampleChoice | null {
  const isVariant = (model: string): boolean => model.includes(":");
  const ordered = [...models.filter((model) => !isVariant(model)), ...models.filter(isVariant)];
  const priced = ordered.filter((model) => lookup(model).price !== null);
  if (PREFERRED.every((model) => priced.includes(model)))
    return { models: PREFERRED, costWeight, isRunnable };
  if (priced.length >= 2) return { models: priced.slice(0, MOST_MODELS), costWeight, isRunnable };
  return ordered.length >= 2 ? { models: ordered.slice(0, MOST_MODELS), costWeight: 0, isRunnable } : null;
}
