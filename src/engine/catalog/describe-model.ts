/** Features from which a model with few measurements is estimated: family, date, price and reasoning effort. */

import type { ModelLookup } from "../router/candidate.js";
import { describeByName, type ModelDescription } from "./model-description.js";
import { modelEntries } from "./models/models.js";
import { reasoningOf } from "./models/reasoning.js";

/** @param lookup of the catalog that provides the prices */
export function describeModel(model: string, lookup: ModelLookup): ModelDescription {
  const byName = describeByName(model);
  const entry = modelEntries().get(byName.base);
  const { price } = lookup(byName.base);
  const isFree = price === null || price.inputUsdPerMtok + price.outputUsdPerMtok === 0;
  return {
    ...byName,
    released: entry?.released ?? null,
    outputUsdPerMtok: price?.outputUsdPerMtok ?? null,
    listPrice: isFree
      ? null
      : { inputUsdPerMtok: price.inputUsdPerMtok, outputUsdPerMtok: price.outputUsdPerMtok },
    thinking: thinkingOf(byName),
    predecessor: entry?.predecessor ?? null,
  };
}

/** Level of thinking of a variant, the vendor's default where the id names none; null when it does not think. */
export function thinkingOf({ base, effort, thinking }: ModelDescription): string | null {
  const rule = reasoningOf(base);
  if (effort !== null || rule === undefined) return thinking;
  const { control, default: byDefault = "none" } = rule;
  if (control === "always" || byDefault === "always") return "thinking";
  if (byDefault === "none") return null;
  return byDefault === "auto" ? "medium" : byDefault;
}
