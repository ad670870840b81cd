/** Features that place a model of which little was measured: line, date, price, and how hard it thinks. */
import { describeByName, type ModelDescription } from "../profiles/build/model-description.js";
import type { ModelLookup } from "../router/candidate.js";
import { catalogData } from "./catalog-data.js";
import { reasoningOf } from "./reasoning.js";

/** @param lookup of the catalog whose prices count */
export function describeModel(model: string, lookup: ModelLookup): ModelDescription {
  const byName = describeByName(model);
  const entry = catalogData().models.get(byName.base);
  return {
    ...byName,
    released: entry?.released ?? null,
    outputUsdPerMtok: lookup(byName.base).price?.outputUsdPerMtok ?? null,
    thinking: thinkingOf(byName),
  };
}

/** How hard a model thinks as it was asked; what its vendor does by default where nothing was said. */
function thinkingOf({ base, effort, thinking }: ModelDescription): string | null {
  const rule = reasoningOf(base);
  if (effort !== null || rule === undefined) return thinking;
  const { control, default: byDefault = "none" } = rule;
  if (control === "always" || byDefault === "always") return "thinking";
  if (byDefault === "none") return null;
  return byDefault === "auto" ? "medium" : byDefault;
}
