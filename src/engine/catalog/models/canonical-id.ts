import { idOfName, modelEntries } from "./models.js";
import { effortVariant, isEffort, reasoningOf } from "./reasoning.js";

/**
 * The catalog id of a model name: other spellings and vendors' full names of the same snapshot are the same model, and
 * `model:effort` is that model with an effort that it supports. Unknown names are returned unchanged.
 */
export function canonicalId(requestedName: string): string {
  return idOfName(requestedName) ?? idOfDated(requestedName) ?? idOfVariant(requestedName) ?? requestedName;
}

/** `-20251101`, `-2026-03-05`, `@20250514`. */
const DATE = /[-@](\d{8}|\d{4}-\d{2}-\d{2})$/;

/** Whether one name is the other with a date. */
export const isDated = (name: string, plain: string): boolean =>
  name.length > plain.length && name.replace(DATE, "").toLowerCase() === plain.toLowerCase();

/** The id without a date, unless the name has several dated models. */
function idOfDated(name: string): string | undefined {
  const plain = name.replace(DATE, "");
  const id = plain === name ? undefined : idOfName(plain);
  return id !== undefined && modelEntries().get(id)?.snapshot === undefined ? id : undefined;
}

function idOfVariant(name: string): string | undefined {
  const colon = name.lastIndexOf(":");
  if (colon <= 0) return undefined;
  const [base, effort] = [canonicalId(name.slice(0, colon)), wordOf(name.slice(colon + 1).toLowerCase())];
  return isEffort(effort) && reasoningOf(base) !== undefined ? effortVariant(base, effort) : undefined;
}

/** Synonyms of efforts. */
const wordOf = (effort: string): string =>
  ({ "no-thinking": "none", nothinking: "none", "non-reasoning": "none", reasoning: "thinking" })[effort] ??
  effort;
